/** gRPC of a process in a distributed hub: always with certificates on both sides. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import {
  openGrpcHost,
  type OpenGrpcHost,
  renewable,
  type GrpcCertificates,
  type Renewable,
} from '@causeway/grpc'
import {
  type Logger,
  type Metrics,
  noteCertificateEnd,
  openSecurityEvents,
  readPem,
  periodically,
  type Periodic,
  StartError,
} from '@causeway/process'
import type { DistributedSettings } from './distributed-settings.ts'

export interface DistributedGrpcOptions {
  /** Of the process. */
  readonly name: string
  readonly settings: DistributedSettings
  /** The address of the gRPC server of that service; undefined: it runs in this process. */
  readonly addressOf: (provider: string) => string | undefined
  /** The services that may call a method: `/causeway.transfers.v1.Transfers/GetTransferStates`. */
  readonly callersOf: (path: string) => readonly string[]
  /** The services that a process with this common name runs. */
  readonly servicesOf: (commonName: string) => readonly string[]
  readonly log: Logger
  readonly metrics: Metrics
}

/** Throws StartError with the setting that is wrong. */
export async function openDistributedGrpc(options: DistributedGrpcOptions): Promise<OpenGrpcHost> {
  const { name, settings, addressOf, callersOf, servicesOf, log, metrics } = options
  const first = await readCertificates(settings)
  const fault = faultOf(first)
  if (fault !== undefined) throw new StartError(`GRPC_TLS_CERTIFICATE_FILE: ${fault}.`)
  const certificates = renewable(first)
  const security = openSecurityEvents(name, { log, metrics })
  noteCertificateEnd(metrics, 'GRPC_TLS_CERTIFICATE_FILE', first.certificate)
  const host = await openGrpcHost({
    log,
    listen: `${settings.GRPC_HOST}:${settings.GRPC_PORT}`,
    addressOf,
    reachedAt: hostOf(settings),
    identity: { certificates, callersOf, servicesOf },
    onCallerRefused: (actor, target, address) =>
      security.tell({ type: 'CALLER_REFUSED', reason: 'not a caller', actor, address, target }),
  })
  const renewal = renewCertificates(options, first, certificates)
  return {
    ...host,
    async stop() {
      await renewal.stop()
      await host.stop()
    },
  }
}

async function readCertificates(settings: DistributedSettings): Promise<GrpcCertificates> {
  const file = (name: 'GRPC_TLS_CERTIFICATE_FILE' | 'GRPC_TLS_KEY_FILE' | 'GRPC_TLS_CA_FILE') =>
    readPem(name, settings[name])
  return {
    certificate: await file('GRPC_TLS_CERTIFICATE_FILE'),
    key: await file('GRPC_TLS_KEY_FILE'),
    ca: await file('GRPC_TLS_CA_FILE'),
  }
}

/** Incompletely replaced files are logged and read again later; until then the old ones are used. */
function renewCertificates(
  { settings, log, metrics }: DistributedGrpcOptions,
  first: GrpcCertificates,
  certificates: Renewable,
): Periodic {
  const textOf = ({ certificate, key, ca }: GrpcCertificates) => [certificate, key, ca].join('\n')
  let shown = textOf(first)
  return periodically(
    settings.TLS_RENEWAL_MS,
    async () => {
      const read = await readCertificates(settings)
      if (textOf(read) === shown) return
      const fault = faultOf(read)
      if (fault !== undefined) throw new Error(fault)
      certificates.renew(read)
      shown = textOf(read)
      noteCertificateEnd(metrics, 'GRPC_TLS_CERTIFICATE_FILE', read.certificate)
      log.info('the certificate for gRPC was renewed')
    },
    { log, name: 'renewal of the certificate for gRPC' },
  )
}

/** Why others could not authenticate this process. */
function faultOf({ certificate, key, ca }: GrpcCertificates): string | undefined {
  try {
    const own = new X509Certificate(certificate)
    if (!own.checkPrivateKey(createPrivateKey(key))) return 'the key is not that of the certificate'
    return new X509Certificate(ca).ca ? undefined : 'the authority is not a certificate authority'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A process that listens on all addresses is reached by its first external one. */
export function hostOf({
  GRPC_HOST: host,
  GRPC_ADVERTISED_HOST: advertised,
}: Pick<DistributedSettings, 'GRPC_HOST' | 'GRPC_ADVERTISED_HOST'>): string {
  if (advertised !== undefined) return advertised
  if (host !== '0.0.0.0' && host !== '::' && host !== '[::]') return host.replace(/^\[|\]$/g, '')
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((found) => found !== undefined && !found.internal && found.family === 'IPv4')
  return outside?.address ?? '127.0.0.1'
}
