/**
 * Certificates, keys and passwords of a hub whose services run in separate processes, each in a
 * file of its own.
 */
import {
  issueClientCertificate,
  issueServerCertificate,
  makeCa,
  type Ca,
  type HostNames,
} from '@causeway/pki'
import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingPrefix, type ServiceName } from '@causeway/services'
import type { HubHost } from './hub-host.ts'
import { programOf, type ProcessName } from './services.ts'

export interface Secrets {
  /**
   * The credentials of the program at the brokers; the brokers allow the provisioner everything.
   */
  kafkaOf(user: string): Readonly<Record<string, string>>
  readonly passwordFile: string
  grpcOf(name: ProcessName): Readonly<Record<string, string>>
  /** A key of its own for each process. */
  componentOf(service: ServiceName, name: ProcessName): Readonly<Record<string, string>>
  readonly of: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>
}

/** Two authorities: one for the FSPs of the scheme, one for the services of the hub. */
export function writeSecrets(host: HubHost, folder: string): Secrets {
  const now_ms = Date.now()
  const validity = { from: new Date(now_ms - 60_000), to: new Date(now_ms + 86_400_000) }
  const subject = (commonName: string) => ({ commonName, organization: 'Hub' })
  const write = (name: string, content: string) => {
    const file = join(folder, name)
    writeFileSync(file, content, { mode: 0o600 })
    host.shareFile(file)
    return file
  }
  const pair = (name: string, { certificate, key }: Ca) => ({
    certificate: write(`${name}.pem`, certificate),
    key: write(`${name}.key`, key),
  })
  const here: HostNames = { dns: ['localhost'], ip: ['127.0.0.1'] }
  const schemeCa = makeCa({ subject: subject('Scheme CA'), validity })
  const servicesCa = makeCa({ subject: subject('Services CA'), validity })
  const ca = pair('scheme-ca', schemeCa)
  const servicesCaFile = pair('services-ca', servicesCa).certificate
  const port = { subject: subject('localhost'), names: here, validity }
  const edge = pair('fsp-port', issueServerCertificate(schemeCa, port))
  const client = pair(
    'hub',
    issueClientCertificate(schemeCa, { subject: subject('Hub'), validity }),
  )
  const passwordFile = write('administrator-password', randomBytes(15).toString('base64url'))
  return {
    kafkaOf: (user) => host.brokersFor(user, write),
    passwordFile,
    grpcOf(name) {
      const program = programOf(name)
      const names = { dns: [program], ip: [] }
      const certified = { subject: subject(program), names, validity }
      const own = pair(`grpc-${name}`, issueClientCertificate(servicesCa, certified))
      return {
        GRPC_TLS_CERTIFICATE_FILE: own.certificate,
        GRPC_TLS_KEY_FILE: own.key,
        GRPC_TLS_CA_FILE: servicesCaFile,
      }
    },
    componentOf(service, name) {
      const pem = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))
      const file = write(`component-${service}-${name}.key`, pem)
      return { [`${settingPrefix(service)}_COMPONENT_KEY_FILE`]: file }
    },
    of: {
      'fspiop-api': {
        EDGE_TLS_CERTIFICATE_FILE: edge.certificate,
        EDGE_TLS_KEY_FILE: edge.key,
        EDGE_TLS_CA_FILE: ca.certificate,
        JWS_SIGNING_KEY_FILE: write('hub-signing.key', signingKey()),
        JWS_AUTH_SERVICE_SIGNING_KEY_FILE: write('auth-service-signing.key', signingKey()),
      },
      notifications: {
        NOTIFICATIONS_TLS_CERTIFICATE_FILE: client.certificate,
        NOTIFICATIONS_TLS_KEY_FILE: client.key,
        NOTIFICATIONS_TLS_CA_FILE: ca.certificate,
      },
      audit: secretsOfAudit(write),
      config: { CONFIG_SECRETS_KEY: randomBytes(32).toString('base64url') },
      'auth-service': {
        AUTH_SERVICE_FIRST_PASSWORD_FILE: passwordFile,
        AUTH_SERVICE_SECRETS_KEY: randomBytes(32).toString('base64url'),
        AUTH_SERVICE_CA_CERTIFICATE_FILE: ca.certificate,
        AUTH_SERVICE_CA_KEY_FILE: ca.key,
      },
    },
  }
}

/** What the services of a process need, each for itself. */
export function secretsOf(
  files: Secrets,
  services: readonly ServiceName[],
  name: ProcessName,
): Readonly<Record<string, string>> {
  const all = services.flatMap((service) => [
    ...Object.entries(files.componentOf(service, name)),
    ...Object.entries(files.of[service] ?? {}),
  ])
  return Object.fromEntries(all)
}

function secretsOfAudit(write: (name: string, content: string) => string) {
  return {
    AUDIT_SIGNING_KEY_FILE: write('audit-signing.key', pemOf(generateKeyPairSync('ed25519'))),
    AUDIT_SECRETS_KEY: randomBytes(32).toString('base64url'),
  }
}

function signingKey(): string {
  return pemOf(generateKeyPairSync('rsa', { modulusLength: 2_048 }))
}

function pemOf({ privateKey }: { readonly privateKey: KeyObject }): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
