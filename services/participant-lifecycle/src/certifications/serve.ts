/**
 * The methods of the certifications service. A report is stored with its audit entry in one transaction,
 * outside the ledger's queue: it is large, and no balance depends on it.
 */
import { recordedActor } from '@causeway/process'
import { announceAudit } from '@causeway/ledger'
import { boundedPage, readCursor, writeCursor } from '@causeway/records'
import { participantSubject } from '@causeway/events'
import { isRefused, refusalMessage, refuse, unknownParticipant } from '@causeway/services'
import type { EventBus } from '@causeway/bus'
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { certificationsService } from '@causeway/protos'
import type { RefusedChange } from '../domain/refusal.ts'
import { certificationMessage, reportOf, resultMessage, type KitReport } from './contract.ts'
import {
  addCertification,
  certificationsOf,
  participantIdOf,
  wholeCertification,
  type CertificationCursor,
  type StoredCertification,
} from './store.ts'

interface CertificationParts {
  readonly database: Database
  readonly bus: EventBus
}

export function serveCertifications(
  parts: CertificationParts,
): Handlers<typeof certificationsService> {
  const { database } = parts
  return {
    StoreCertification: async (message) => {
      const report = reportOf(message)
      if (isRefused(report)) return { isNew: false, refusal: refusalMessage(report) }
      const { name, actor } = message
      const stored = await storeReport(parts, name, { report, by: recordedActor(actor) })
      if (isRefused(stored)) return { isNew: false, refusal: refusalMessage(stored) }
      const { certification, isNew } = stored
      return { isNew, certification: certificationMessage(certification) }
    },
    ListCertifications: async ({ name, cursor, limit }) => {
      const id = await participantIdOf(database, name)
      if (id === undefined) return { refusal: refusalMessage(unknownParticipant(name)) }
      const rows_max = boundedPage(limit)
      const after = readCursor<CertificationCursor>(cursor, { id: isNumber })
      const found = await certificationsOf(database, id, after, rows_max)
      const last = found.length < rows_max ? undefined : found.at(-1)
      const next = last && writeCursor({ id: String(last.id) })
      return { page: { certifications: found.map(certificationMessage), next } }
    },
    GetCertification: async ({ name, id }) => {
      const participantId = await participantIdOf(database, name)
      if (participantId === undefined) return { refusal: refusalMessage(unknownParticipant(name)) }
      const whole = await wholeCertification(database, participantId, id)
      if (whole === undefined) return { refusal: refusalMessage(unknownReport(name, id)) }
      return {
        whole: {
          certification: certificationMessage(whole.certification),
          results: whole.results.map(resultMessage),
        },
      }
    },
  }
}

/** A report that is there already is not audited again. */
function storeReport(
  { database, bus }: CertificationParts,
  name: string,
  { report, by }: { readonly report: KitReport; readonly by: string },
): Promise<StoredCertification | RefusedChange> {
  return database.transaction(async (tx) => {
    const participantId = await participantIdOf(tx, name)
    if (participantId === undefined) return unknownParticipant(name)
    const stored = await addCertification(tx, participantId, { report, by })
    const { id, startedAt, callbackUrl, passed, failed, notRun } = stored.certification
    if (stored.isNew) {
      announceAudit(
        bus,
        tx,
        { actor: by, action: 'StoreCertification' },
        {
          subject: `${participantSubject(name)}/certifications/${id}`,
          before: null,
          after: { startedAt: startedAt.toISOString(), callbackUrl, passed, failed, notRun },
        },
      )
    }
    return stored
  })
}

function unknownReport(name: string, id: number): RefusedChange {
  return refuse('REPORT_UNKNOWN', `${name} has no report ${id}`)
}

/** Below 2^31, the bound of an id. */
function isNumber(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text)
}
