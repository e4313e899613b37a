/**
 * Certificates of listeners by host. fspiop-api asks for them, with their private keys, and shows them to
 * clients that name the host in the handshake.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { EventBus } from '@causeway/bus'
import type { Database } from '@causeway/postgres'
import { isRefused } from '@causeway/services'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { lockNamed } from '../lock.ts'
import { record } from '../record.ts'
import type { Adapters } from './adapters.ts'
import { keyOf, listeners, saveListener, type ListenerRow } from './store.ts'
import { privateKeyOf, usableKey } from './usable.ts'

export interface ListenerParts {
  readonly db: Database
  readonly bus: EventBus
  readonly providers: Adapters
}

export interface Listener {
  readonly host: string
  /** PEM, with its chain. */
  readonly certificate: string
  /** PEM. */
  readonly privateKey: string
}

/** A process holds the private keys of all of them. */
const listeners_max = 16
const hostForm = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9][a-z0-9-]{0,62})*$/

export async function setListener(
  parts: ListenerParts,
  row: ListenerRow,
  actor: string,
): Promise<Date | RefusedCommand> {
  const { host, keyId, certificate } = row
  if (!hostForm.test(host)) return refuse('INVALID', 'host must be a host name in lower case')
  const usable = await usableKey(parts, keyId, 'TERMINATE_TLS')
  if (isRefused(usable)) return usable
  if (usable.provider.adapter !== 'NODE') {
    return refuse('KEY_NOT_EXPORTABLE', 'an HSM holds the key, and a listener needs it in memory')
  }
  const validTo = validToOf(certificate, host, usable.key.publicKey ?? '', new Date())
  if (isRefused(validTo)) return validTo
  const { db, bus } = parts
  return db.transaction(async (tx): Promise<Date | RefusedCommand> => {
    await lockNamed(tx, 'listeners')
    const known = await listeners(tx)
    const before = known.find((each) => each.host === host)
    if (before === undefined && known.length >= listeners_max) {
      return refuse('INVALID', `there are ${listeners_max} listeners, and no more are possible`)
    }
    if (before?.keyId === keyId && before.certificate === certificate) return validTo
    const now = new Date()
    await saveListener(tx, row, now, actor)
    record(bus, tx, {
      actor,
      action: 'SetListenerCertificate',
      subject: `listeners/${host}`,
      before: before === undefined ? null : { keyId: before.keyId },
      after: { keyId, validTo: validTo.toISOString() },
      at: now,
    })
    return validTo
  })
}

function validToOf(
  certificate: string,
  host: string,
  publicKey: string,
  now: Date,
): Date | RefusedCommand {
  const x509 = certificateIn(certificate)
  if (x509 === undefined) {
    return refuse('CERTIFICATE_INVALID', 'certificatePem is not a certificate in PEM')
  }
  if (x509.publicKey.export({ type: 'spki', format: 'pem' }) !== publicKey) {
    return refuse('CERTIFICATE_INVALID', 'certificatePem is not of this key')
  }
  if (x509.checkHost(host, { subject: 'never' }) === undefined) {
    return refuse('CERTIFICATE_INVALID', `certificatePem does not name ${host}`)
  }
  const validTo = new Date(x509.validTo)
  return validTo <= now || new Date(x509.validFrom) > now
    ? refuse('CERTIFICATE_INVALID', 'certificatePem is not valid now')
    : validTo
}

/** The first of a chain. */
function certificateIn(pem: string): X509Certificate | undefined {
  if (pem.includes('PRIVATE KEY')) return undefined
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

export async function allListeners({ db, providers }: ListenerParts): Promise<readonly Listener[]> {
  const found: Listener[] = []
  for (const { host, keyId, certificate } of await listeners(db)) {
    const key = await keyOf(db, keyId)
    const der = key && providers.of(key.adapter)?.exportPair(privateKeyOf(key))
    if (der !== undefined) found.push({ host, certificate, privateKey: pemOf(der) })
  }
  return found
}

function pemOf(der: Buffer): string {
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return key.export({ format: 'pem', type: 'pkcs8' }).toString()
}
