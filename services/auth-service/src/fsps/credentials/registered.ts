/**
 * Which client certificates identify an FSP: those that the hub issued, and those of elsewhere that an
 * operator has registered, until they are revoked. A change is announced, so that edges learn of it at
 * once.
 */
import { X509Certificate } from 'node:crypto'
import { readSubject } from '@causeway/pki'
import { publicKeyFault } from '@causeway/pki/public-key'
import type { EventBus } from '@causeway/bus'
import type { Database, Transaction } from '@causeway/postgres'
import { announceChange } from '../announce.ts'
import { timeMessage } from '../../contract.ts'
import { refuse, unknownParticipant, type RefusedCommand } from '../../domain/refusal.ts'
import type { FindFsp } from '../find-fsp.ts'
import { lockNamed } from '../../lock.ts'
import { record } from '../../record.ts'
import {
  certificateOf,
  insertCertificate,
  openCertificates,
  revokeCertificates,
  type RegisteredCertificate,
} from './store.ts'

export interface RegisteredParts {
  readonly db: Database
  readonly bus: EventBus
  readonly findFsp: FindFsp
}

export type RegisteredOutcome =
  | RefusedCommand
  | { readonly type: 'REGISTERED'; readonly certificate: RegisteredCertificate }

const text_max = 16_384
/** Certificates of one FSP that have not ended: more than any rotation needs. */
const open_max = 100

/**
 * A certificate that was made elsewhere, in PEM; the same again is no change. It must name the FSP: which
 * authorities are trusted is decided at each handshake.
 */
export async function registerCertificate(
  { db, bus, findFsp }: RegisteredParts,
  { participant, certificate: pem, actor }: CertificateChange & { readonly certificate: string },
): Promise<RegisteredOutcome> {
  const x509 = readCertificate(pem)
  if (x509 === undefined) return refuse('INVALID', 'certificate is not one certificate in PEM')
  const weakness = publicKeyFault(x509.publicKey, ['RSA', 'P-256', 'P-384', 'Ed25519'])
  if (weakness !== undefined) return refuse('INVALID', `the key of certificate is ${weakness}`)
  const normalized = x509.toString()
  const name = readSubject(normalized)?.commonName
  if (name !== participant) {
    return refuse('INVALID', `certificate names ${name ?? 'nobody'} (CN), not ${participant}`)
  }
  const now = new Date()
  const validTo = new Date(x509.validTo)
  if (validTo <= now) return refuse('INVALID', `certificate has ended at ${timeMessage(validTo)}`)
  if ((await findFsp(participant)) === undefined) return unknownParticipant(participant)
  return db.transaction(async (tx): Promise<RegisteredOutcome> => {
    await lockNamed(tx, `fsp ${participant}`)
    const { serialNumber: serial } = x509
    const known = await certificateOf(tx, serial)
    if (known !== undefined) return knownCertificate(known, participant, normalized)
    if ((await openCertificates(tx, participant, now)) >= open_max) {
      return refuse('INVALID', `${participant} has ${open_max} certificates: revoke some first`)
    }
    const validFrom = new Date(x509.validFrom)
    const stored = { serial, participant, certificate: normalized, validFrom, validTo }
    await insertCertificate(tx, { ...stored, origin: 'REGISTERED' }, now)
    announceChange(bus, tx, participant, now)
    record(bus, tx, {
      actor,
      action: 'RegisterCertificate',
      subject: subjectOf(participant, serial),
      before: null,
      after: { validFrom: timeMessage(validFrom), validTo: timeMessage(validTo) },
      at: now,
    })
    return { type: 'REGISTERED', certificate: await certificateIn(tx, serial) }
  })
}

interface CertificateChange {
  readonly participant: string
  readonly actor: string
}

/** From now on it identifies nobody; revoked again is no change. */
export function revokeCertificate(
  { db, bus }: Pick<RegisteredParts, 'db' | 'bus'>,
  { participant, serial: text, actor }: CertificateChange & { readonly serial: string },
): Promise<RegisteredOutcome> {
  const serial = text.replaceAll(':', '').toUpperCase()
  return db.transaction(async (tx): Promise<RegisteredOutcome> => {
    await lockNamed(tx, `fsp ${participant}`)
    const known = await certificateOf(tx, serial)
    if (known?.participant !== participant) {
      return refuse('CERTIFICATE_UNKNOWN', `${participant} has no certificate ${serial}`)
    }
    await revoke({ bus, tx }, [known], { participant, actor })
    return { type: 'REGISTERED', certificate: await certificateIn(tx, serial) }
  })
}

/** All certificates of the FSP. */
export async function revokeCertificatesOf(
  { db, bus }: Pick<RegisteredParts, 'db' | 'bus'>,
  named: CertificateChange,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockNamed(tx, `fsp ${named.participant}`)
    await revoke({ bus, tx }, undefined, named)
  })
}

/** @param some of the FSP's; undefined: all */
async function revoke(
  { bus, tx }: { readonly bus: EventBus; readonly tx: Transaction },
  some: readonly Pick<RegisteredCertificate, 'serial'>[] | undefined,
  { participant, actor }: CertificateChange,
): Promise<void> {
  const at = new Date()
  const serials = some?.map(({ serial }) => serial)
  const revoked = await revokeCertificates(tx, { participant, serials, by: actor, at })
  if (revoked.length === 0) return
  announceChange(bus, tx, participant, at)
  for (const serial of revoked) {
    record(bus, tx, {
      actor,
      action: 'RevokeCertificate',
      subject: subjectOf(participant, serial),
      before: { revoked: false },
      after: { revoked: true },
      at,
    })
  }
}

/** Of a serial number that is known. */
function knownCertificate(
  known: RegisteredCertificate & { readonly certificate: string },
  participant: string,
  certificate: string,
): RegisteredOutcome {
  const isSame =
    known.participant === participant &&
    new X509Certificate(known.certificate).fingerprint256 ===
      new X509Certificate(certificate).fingerprint256
  if (!isSame) {
    return refuse('CERTIFICATE_EXISTS', `another certificate has the serial ${known.serial}`)
  }
  return known.revokedAt === null
    ? { type: 'REGISTERED', certificate: known }
    : refuse('CERTIFICATE_REVOKED', `the certificate ${known.serial} was revoked: use a new one`)
}

async function certificateIn(tx: Transaction, serial: string): Promise<RegisteredCertificate> {
  const stored = await certificateOf(tx, serial)
  if (stored === undefined) throw new Error(`certificate ${serial} was stored, but not found`)
  return stored
}

/** Undefined: not exactly one certificate. */
function readCertificate(pem: string): X509Certificate | undefined {
  if (pem.length > text_max || pem.split('-----BEGIN ').length !== 2) return undefined
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

function subjectOf(participant: string, serial: string): string {
  return `participants/${participant}/certificates/${serial}`
}
