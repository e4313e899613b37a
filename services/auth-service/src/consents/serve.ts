/** Consents for operators: search, history and erasure. Credentials are never returned. */
import { refusalMessage } from '@causeway/services'
import type { EventBus } from '@causeway/bus'
import type { FidoVerifier, Verifier } from '@causeway/credentials'
import type { Handlers } from '@causeway/grpc'
import { monthOf, type Database } from '@causeway/postgres'
import {
  present,
  type ConsentStep,
  type ConsentSummary,
  type consentsService,
} from '@causeway/protos'
import { createdByFault, isRefused, timeMessage, timeOf } from '../contract.ts'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { readCursor, writeCursor } from '../page-cursor.ts'
import { record } from '../record.ts'
import { consentsOfPerson } from './person-store.ts'
import {
  eraseContents,
  readRecord,
  readSteps,
  searchConsents,
  type ConsentSearch,
  type StepRow,
  type SummaryRow,
} from './record-store.ts'
import { lockConsent } from './store.ts'
import { verifyConsents } from './verify.ts'

export interface ConsentServeParts {
  readonly db: Database
  readonly bus: EventBus
  readonly now: () => Date
}

const page_max = 200

export function serveConsents(parts: ConsentServeParts): Handlers<typeof consentsService> {
  const { db } = parts
  return {
    async SearchConsents(asked) {
      const limit = Math.min(Math.max(asked.limit, 1), page_max)
      const { consentId, fspId, state } = asked
      const from = validated(timeOf('from', asked.from, null))
      const to = validated(timeOf('to', asked.to, null))
      const search: ConsentSearch = {
        consentId,
        fspId,
        state,
        from,
        to,
        after: readCursor(asked.after),
        limit,
      }
      // One entry beyond the page shows whether there are more.
      const rows = await searchConsents(db, { ...search, limit: limit + 1 })
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      const next =
        rows.length > limit && last !== undefined
          ? writeCursor({ at: last.registered_at, id: last.id })
          : undefined
      return { consents: shown.map(summaryOf), ...present({ next }) }
    },
    async GetConsentRecord({ consentId }) {
      const [row, steps] = await Promise.all([readRecord(db, consentId), readSteps(db, consentId)])
      if (row === undefined) return { record: null }
      return {
        record: {
          summary: summaryOf(row),
          steps: steps.map(stepOf),
          archivedMonths: [...row.archived_months],
          ...present({ origin: originOf(row) }),
        },
      }
    },
    async EraseConsent({ consentId, erasedBy }) {
      const fault = createdByFault(erasedBy) ?? (await erase(parts, consentId, erasedBy))
      return fault === undefined ? {} : { refusal: refusalMessage(fault) }
    },
    async ErasePerson({ partyIdType: type, partyIdentifier: identifier }) {
      const ids = await consentsOfPerson(db, { type, identifier })
      for (const id of ids) await erase(parts, id, 'erasure of a person')
      return { erased: ids.length }
    },
    VerifyConsents: () => verifyConsents(db),
  }
}

/** A repeated erasure changes nothing. */
function erase(
  { db, bus, now: clock }: ConsentServeParts,
  consentId: string,
  erasedBy: string,
): Promise<RefusedCommand | undefined> {
  return db.transaction(async (tx) => {
    await lockConsent(tx, consentId)
    const row = await readRecord(tx, consentId)
    if (row === undefined) return refuse('CONSENT_UNKNOWN', `there is no consent ${consentId}`)
    if (row.state === 'PENDING' || row.state === 'ISSUED') {
      return refuse('CONSENT_IN_FORCE', `the consent is ${row.state}: revoke it first`)
    }
    if (row.erased_at !== null) return undefined
    const now = clock()
    await eraseContents(tx, { consentId, erasedBy, now, month: monthOf(now) })
    record(bus, tx, {
      actor: erasedBy,
      action: 'EraseConsent',
      subject: `consents/${consentId}`,
      before: { state: row.state },
      after: { state: row.state, erasedAt: now.toISOString() },
      at: now,
    })
    return undefined
  })
}

/** The operator API has validated the time. */
function validated(time: Date | null | RefusedCommand): Date | null {
  if (time !== null && isRefused(time)) throw new Error(time.detail)
  return time
}

function summaryOf(row: SummaryRow): ConsentSummary {
  return {
    consentId: row.id,
    state: row.state,
    dfspId: row.dfsp,
    registeredAt: timeMessage(row.registered_at),
    ...present({
      pispId: row.pisp,
      consentRequestId: row.consent_request_id,
      credentialType: row.credential_type,
      issuedAt: row.issued_at?.toISOString(),
      revokedAt: row.revoked_at?.toISOString(),
      revokedBy: row.revoked_by,
      reason: row.reason,
      erasedAt: row.erased_at?.toISOString(),
    }),
  }
}

function originOf({ verifier }: SummaryRow): string | undefined {
  const stored = verifier === null ? undefined : (JSON.parse(verifier) as Verifier)
  return isFido(stored) ? stored.origin : undefined
}

function isFido(verifier: Verifier | undefined): verifier is FidoVerifier {
  return verifier?.type === 'FIDO'
}

function stepOf({ at, type, fsp, detail, verification }: StepRow): ConsentStep {
  return {
    at: timeMessage(at),
    type,
    fspId: fsp,
    detail,
    ...present({ verificationRequestId: verification }),
  }
}
