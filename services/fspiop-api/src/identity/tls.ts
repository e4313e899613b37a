/**
 * TLS of the FSP port: certificate, key and CA are files that are read again at run time, and auth-service
 * is asked for certificates of further hosts, so that a new certificate needs no restart.
 */
import { createSecureContext } from 'node:tls'
import type { GrpcHost } from '@causeway/grpc'
import { strongCiphers, type HostTls, type HttpServer, type ServerTls } from '@causeway/http'
import {
  noteCertificateEnd,
  periodically,
  readPem,
  StartError,
  type Logger,
  type Metrics,
  type Periodic,
  type Service,
} from '@causeway/process'
import { keyManagementService } from '@causeway/protos'
import type { Security } from '../security.ts'
import type { FspiopApiSettings } from '../settings.ts'

/** EDGE_IDENTITY=header is for development and uses plain http. */
function isPlain({ EDGE_IDENTITY, EDGE_TLS }: FspiopApiSettings): boolean {
  return EDGE_IDENTITY === 'header' || EDGE_TLS !== 'on'
}

/** Undefined: plain http. Throws StartError for a missing file. */
export async function readTls(settings: FspiopApiSettings): Promise<ServerTls | undefined> {
  if (isPlain(settings)) return undefined
  const pem = (name: keyof FspiopApiSettings & `EDGE_TLS_${string}_FILE`) =>
    readPem(name, settings[name])
  const isMtls = settings.EDGE_IDENTITY === 'mtls'
  return {
    certificate: await pem('EDGE_TLS_CERTIFICATE_FILE'),
    key: await pem('EDGE_TLS_KEY_FILE'),
    ca: isMtls ? await pem('EDGE_TLS_CA_FILE') : '',
    // Tokens are bound to a certificate of any CA.
    asksClient: true,
    minVersion: settings.EDGE_TLS_MIN_VERSION,
    ciphers: ciphersOf(settings),
  }
}

function ciphersOf({ EDGE_TLS_CIPHERS: ciphers }: FspiopApiSettings): string {
  if (ciphers === undefined) return strongCiphers
  try {
    createSecureContext({ ciphers })
    return ciphers
  } catch {
    throw new StartError(`EDGE_TLS_CIPHERS names no cipher suites that OpenSSL knows: ${ciphers}.`)
  }
}

export interface RenewalParts {
  readonly grpc: GrpcHost
  readonly log: Logger
  readonly metrics: Metrics
  readonly security: Pick<Security, 'trust'>
}

/** Renews the certificate of the port and those of hosts; without TLS it does nothing. */
export async function openRenewal(
  settings: FspiopApiSettings,
  opened: ServerTls | undefined,
  server: Pick<HttpServer, 'renewTls' | 'setHosts'>,
  parts: RenewalParts,
): Promise<Service> {
  if (opened === undefined) return { stop: () => Promise.resolve() }
  const ofPort = renewTls(settings, opened, server, parts)
  const ofHosts = await renewHosts(settings, server, parts)
  return {
    async stop() {
      await ofPort.stop()
      await ofHosts.stop()
    },
  }
}

/** Inconsistent files are logged and read again later; until then the old ones are used. */
function renewTls(
  settings: FspiopApiSettings,
  opened: ServerTls,
  server: Pick<HttpServer, 'renewTls'>,
  { log, metrics, security }: RenewalParts,
): Periodic {
  let shown = opened
  noteCertificateEnd(metrics, 'EDGE_TLS_CERTIFICATE_FILE', opened.certificate)
  return periodically(
    settings.TLS_RENEWAL_MS,
    async () => {
      const read = await readTls(settings)
      if (read === undefined || isSame(read, shown)) return
      server.renewTls(read)
      security.trust(read.ca)
      noteCertificateEnd(metrics, 'EDGE_TLS_CERTIFICATE_FILE', read.certificate)
      shown = read
      log.info('the certificate of the FSP port was renewed')
    },
    { log, name: 'renewal of the certificate of the FSP port' },
  )
}

/**
 * Asks once before it returns. While auth-service does not answer, the certificates that it named last
 * are used.
 */
async function renewHosts(
  settings: FspiopApiSettings,
  server: Pick<HttpServer, 'setHosts'>,
  { grpc, log }: RenewalParts,
): Promise<Periodic> {
  const { GetListenerCertificates } = grpc.client(keyManagementService, 'auth-service')
  let shown = '[]'
  const renew = async () => {
    const { listeners } = await GetListenerCertificates({})
    const hosts: HostTls[] = listeners.map(({ host, certificatePem, privateKeyPem }) => ({
      host,
      certificate: certificatePem,
      key: privateKeyPem,
    }))
    const read = JSON.stringify(hosts)
    if (read === shown) return
    server.setHosts(hosts)
    shown = read
    log.info({ hosts: hosts.map(({ host }) => host) }, 'certificates of hosts were renewed')
  }
  await renew().catch((error: unknown) => {
    log.warn({ err: error }, 'auth-service did not name the certificates of hosts')
  })
  return periodically(settings.TLS_RENEWAL_MS, renew, {
    log,
    name: 'renewal of certificates of hosts',
  })
}

function isSame(one: ServerTls, other: ServerTls): boolean {
  return one.certificate === other.certificate && one.key === other.key && one.ca === other.ca
}
