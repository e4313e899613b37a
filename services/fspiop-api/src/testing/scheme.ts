/** A scheme CA, the certificates that it issues, and the files that the edge reads them from. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  issueClientCertificate,
  issueServerCertificate,
  makeCa,
  type Ca,
  type Certified,
  type Validity,
} from '@causeway/pki'
import { makeCrl, type CrlContent } from '@causeway/pki/testing'
import type { FspiopApiSettings } from '../settings.ts'

const hour_ms = 3_600_000
const names = { dns: ['localhost'], ip: ['127.0.0.1'] }

export interface Scheme {
  readonly settings: Pick<
    FspiopApiSettings,
    'EDGE_TLS' | 'EDGE_TLS_CERTIFICATE_FILE' | 'EDGE_TLS_KEY_FILE' | 'EDGE_TLS_CA_FILE'
  >
  /** The TLS options of a client of this name; it trusts the scheme's CA only. */
  client(
    name: string,
    changed?: { readonly from?: Ca; readonly validity?: Validity },
  ): Certified & { readonly ca: string }
  /** The CA that issues certificates unless another is given. */
  readonly ca: Ca
  /** Writes a revocation list of the CA to a file, and returns its name. */
  revoke(content: CrlContent): string
  /** Replaces the CAs that the edge trusts. */
  trust(...cas: readonly Ca[]): void
  /** Replaces the certificate of the server by a new one. */
  renewServer(commonName: string, from?: Ca): void
  stop(): void
}

export function validFor(from_ms: number, to_ms: number): Validity {
  const now_ms = Date.now()
  return { from: new Date(now_ms + from_ms), to: new Date(now_ms + to_ms) }
}

export function newCa(): Ca {
  return makeCa({ subject: subject('Scheme CA'), validity: validFor(-hour_ms, hour_ms) })
}

export function openScheme(): Scheme {
  const ca = newCa()
  const folder = mkdtempSync(join(tmpdir(), 'scheme-'))
  const file = (name: string) => join(folder, name)
  const validity = validFor(-hour_ms, hour_ms)

  function trust(...cas: readonly Ca[]): void {
    writeFileSync(file('ca.crt'), cas.map(({ certificate }) => certificate).join('\n'))
  }

  function renewServer(commonName: string, from = ca): void {
    const server: Certified = issueServerCertificate(from, {
      subject: subject(commonName),
      names,
      validity,
    })
    writeFileSync(file('server.crt'), server.certificate)
    writeFileSync(file('server.key'), server.key)
  }

  trust(ca)
  renewServer('Hub')
  return {
    settings: {
      EDGE_TLS: 'on',
      EDGE_TLS_CERTIFICATE_FILE: file('server.crt'),
      EDGE_TLS_KEY_FILE: file('server.key'),
      EDGE_TLS_CA_FILE: file('ca.crt'),
    },
    client(name, changed = {}) {
      const issued = issueClientCertificate(changed.from ?? ca, {
        subject: subject(name),
        validity: changed.validity ?? validity,
      })
      return { ...issued, ca: ca.certificate }
    },
    ca,
    revoke(content) {
      writeFileSync(file('ca.crl'), makeCrl(ca, content))
      return file('ca.crl')
    },
    trust,
    renewServer,
    stop: () => rmSync(folder, { recursive: true }),
  }
}

function subject(commonName: string) {
  return { commonName, organization: 'Scheme' }
}
