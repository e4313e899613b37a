/**
 * Identity between processes. Each end presents a certificate of the common authority, whose common name
 * says which services the process runs. Names and addresses of hosts prove nothing here, so replicas may run
 * on any host.
 */
import {
  experimental,
  type ChannelCredentials,
  ServerCredentials,
  credentials,
} from '@grpc/grpc-js'
import type { PeerCertificate } from 'node:tls'

/** The certificate of a process and the authority that it trusts; all PEM. */
export interface GrpcCertificates {
  readonly certificate: string
  readonly key: string
  readonly ca: string
}

export interface GrpcIdentity {
  readonly certificates: Renewable
  /** The services that a process with this common name runs; none: it is no name of a process. */
  readonly servicesOf: (commonName: string) => readonly string[]
  /** The services that may call a method: `/causeway.transfers.v1.Transfers/GetTransferStates`. */
  readonly callersOf: (path: string) => readonly string[]
}

/** Certificates that may be renewed; existing connections are not affected. */
export interface Renewable {
  /** Is used from the next connection on. */
  renew(certificates: GrpcCertificates): void
  readonly provider: experimental.CertificateProvider
}

export function renewable(first: GrpcCertificates): Renewable {
  let current = bytesOf(first)
  const ofCa = new Set<experimental.CaCertificateUpdateListener>()
  const ofIdentity = new Set<experimental.IdentityCertificateUpdateListener>()
  return {
    renew(certificates) {
      current = bytesOf(certificates)
      for (const listener of ofCa) listener(current.ca)
      for (const listener of ofIdentity) listener(current.identity)
    },
    provider: {
      addCaCertificateListener(listener) {
        ofCa.add(listener)
        // Later, because the library is not ready for it before.
        process.nextTick(() => listener(current.ca))
      },
      removeCaCertificateListener: (listener) => void ofCa.delete(listener),
      addIdentityCertificateListener(listener) {
        ofIdentity.add(listener)
        process.nextTick(() => listener(current.identity))
      },
      removeIdentityCertificateListener: (listener) => void ofIdentity.delete(listener),
    },
  }
}

function bytesOf({ certificate, key, ca }: GrpcCertificates) {
  return {
    ca: { caCertificate: Buffer.from(ca) },
    identity: { certificate: Buffer.from(certificate), privateKey: Buffer.from(key) },
  }
}

/** A client without a certificate of the authority is not admitted. */
export function serverCredentials(identity: GrpcIdentity | undefined): ServerCredentials {
  if (identity === undefined) return ServerCredentials.createInsecure()
  const { provider } = identity.certificates
  return experimental.createCertificateProviderServerCredentials(provider, provider, true)
}

/** Connects only to a process that runs the provider, by its certificate. */
export function channelCredentials(
  identity: GrpcIdentity | undefined,
  provider: string,
): ChannelCredentials {
  if (identity === undefined) return credentials.createInsecure()
  const { certificates, servicesOf } = identity
  const { provider: own } = certificates
  return experimental.createCertificateProviderChannelCredentials(own, own, {
    checkServerIdentity: (_host, shown) => {
      const name = commonNameOf(shown)
      if (name !== undefined && servicesOf(name).includes(provider)) return undefined
      return new Error(`'${name ?? ''}' presents its certificate where ${provider} is called`)
    },
  })
}

/** undefined when there is none, or more than one. */
export function commonNameOf(certificate: PeerCertificate | undefined): string | undefined {
  // A certificate without a subject has none, in spite of the type.
  const name: unknown = (certificate as Partial<PeerCertificate> | undefined)?.subject?.CN
  return typeof name === 'string' && name !== '' ? name : undefined
}
