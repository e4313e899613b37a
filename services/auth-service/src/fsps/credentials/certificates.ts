/**
 * Issues client certificates of the scheme's CA. The operator determines the FSP that the
 * certificate names, the request proves the key. A certificate is stored before it is returned.
 */
import { X509Certificate } from 'node:crypto'
import type { EventBus } from '@causeway/bus'
import { faultOfCa, readCsr, signCsr, type Ca } from '@causeway/pki'
import type { Database } from '@causeway/postgres'
import { readPem, StartError } from '@causeway/process'
import { announceChange } from '../announce.ts'
import { timeMessage } from '../../contract.ts'
import { refuse, unknownParticipant, type RefusedCommand } from '../../domain/refusal.ts'
import type { FindFsp } from '../find-fsp.ts'
import { record } from '../../record.ts'
import type { AuthServiceSettings } from '../../settings.ts'
import { foreignHost } from './domain/certified-hosts.ts'
import { insertCertificate, type IssuedCertificate } from './store.ts'

export interface CertificateParts {
  readonly db: Database
  readonly bus: EventBus
  readonly findFsp: FindFsp
  /** Undefined if this hub issues no certificates. */
  readonly readCa: (() => Promise<Ca>) | undefined
  readonly hubName: string
  readonly life_ms: number
}

export interface Issued extends IssuedCertificate {
  readonly type: 'ISSUED'
  /** PEM. */
  readonly ca: string
}

/** Certificates are backdated so that clocks that are slightly behind accept them. */
const earlier_ms = 300_000

/**
 * Returns a function that reads the CA from its files on each call, so that a renewed CA needs no
 * restart and its key is in memory only while it signs. Throws StartError for a CA that cannot
 * sign.
 */
export async function openCa(
  settings: AuthServiceSettings,
): Promise<(() => Promise<Ca>) | undefined> {
  const { AUTH_SERVICE_CA_CERTIFICATE_FILE: file, AUTH_SERVICE_CA_KEY_FILE: keyFile } = settings
  if (file === undefined && keyFile === undefined) return undefined
  const readCa = async () => {
    const certificate = await readPem('AUTH_SERVICE_CA_CERTIFICATE_FILE', file)
    const ca = { certificate, key: await readPem('AUTH_SERVICE_CA_KEY_FILE', keyFile) }
    const fault = faultOfCa(ca, new Date())
    if (fault === undefined) return ca
    throw new StartError(`The CA of AUTH_SERVICE_CA_CERTIFICATE_FILE cannot sign: ${fault}.`)
  }
  await readCa()
  return readCa
}

export async function issueCertificate(
  parts: CertificateParts,
  { participant, csr, actor }: Readonly<Record<'participant' | 'csr' | 'actor', string>>,
): Promise<Issued | RefusedCommand> {
  const { db, bus, findFsp, readCa, hubName, life_ms } = parts
  if (readCa === undefined) return refuse('NO_CA', 'this hub issues no certificates')
  const request = readCsr(csr)
  if ('fault' in request) return refuse('INVALID', `csr: ${request.fault}`)
  const fsp = await findFsp(participant)
  if (fsp === undefined) return unknownParticipant(participant)
  const foreign = foreignHost(request.names, fsp.hosts)
  if (foreign !== undefined) return foreign
  const ca = await readCa()
  const now = new Date()
  const certificate = signCsr(ca, {
    request,
    subject: { commonName: participant, organization: hubName },
    names: request.names,
    validity: {
      from: new Date(now.getTime() - earlier_ms),
      to: new Date(now.getTime() + life_ms),
    },
  })
  const issued = rowOf(participant, certificate)
  await db.transaction(async (tx) => {
    await insertCertificate(tx, { ...issued, origin: 'ISSUED' }, now)
    announceChange(bus, tx, participant, now)
    record(bus, tx, {
      actor,
      action: 'IssueCertificate',
      subject: `participants/${participant}/certificates/${issued.serial}`,
      before: null,
      after: { validFrom: timeMessage(issued.validFrom), validTo: timeMessage(issued.validTo) },
      at: now,
    })
  })
  return { type: 'ISSUED', ...issued, ca: ca.certificate }
}

function rowOf(participant: string, certificate: string): IssuedCertificate {
  const x509 = new X509Certificate(certificate)
  return {
    serial: x509.serialNumber,
    participant,
    certificate,
    validFrom: new Date(x509.validFrom),
    validTo: new Date(x509.validTo),
  }
}
