/** Queries of consents for operators, and the erasure of consents. */
import { archivedMonths, statement, type Queries, type Transaction } from '@causeway/postgres'
import type {
  ConsentSummaryCredentialType,
  ConsentSummaryReason,
  ConsentSummaryState,
} from '@causeway/protos'
import { eraseDescriptions } from './pisp/record-store.ts'

export interface SummaryRow {
  readonly id: string
  readonly state: ConsentSummaryState
  readonly dfsp: string
  readonly pisp: string | null
  readonly consent_request_id: string | null
  readonly credential_type: ConsentSummaryCredentialType | null
  readonly registered_at: Date
  readonly issued_at: Date | null
  readonly revoked_at: Date | null
  readonly revoked_by: string | null
  readonly reason: ConsentSummaryReason | null
  readonly erased_at: Date | null
  readonly verifier: string | null
}

export interface RecordRow extends SummaryRow {
  /** YYYY-MM of each month whose steps are archived. */
  readonly archived_months: readonly string[]
}

export interface StepRow {
  readonly at: Date
  readonly type: string
  readonly fsp: string
  readonly detail: string
  readonly verification: string | null
}

export interface ConsentSearch {
  readonly consentId: string | undefined
  readonly fspId: string | undefined
  readonly state: ConsentSummaryState | undefined
  readonly from: Date | null
  readonly to: Date | null
  /** The last entry of the page before. */
  readonly after: { readonly at: Date; readonly id: string } | null
  readonly limit: number
}

const columns = `c.id, c.state, c.dfsp, p.pisp, c.consent_request_id, c.credential_type,
  c.registered_at, c.issued_at, c.revoked_at, c.revoked_by, c.reason, c.erased_at, c.verifier`

const searchStatement = statement(`
  select ${columns} from consents c left join consent_parties p on p.consent_id = c.id
  where ($1::text is null or c.id = $1::text) and ($2::text is null or c.dfsp = $2::text or p.pisp = $2::text)
    and ($3::text is null or c.state = $3::text)
    and ($4::timestamptz is null or c.registered_at >= $4::timestamptz)
    and ($5::timestamptz is null or c.registered_at < $5::timestamptz)
    and ($6::timestamptz is null or (c.registered_at, c.id) < ($6::timestamptz, $7::text))
  order by c.registered_at desc, c.id desc limit $8`)

const stepsArchived = archivedMonths('consent_steps', [
  'p.observed_at',
  'c.registered_at',
  'c.issued_at',
  'c.revoked_at',
  'c.erased_at',
])

const recordStatement = statement(`
  select ${columns}, ${stepsArchived} as archived_months
  from consents c left join consent_parties p on p.consent_id = c.id
  where c.id = $1`)

const steps_max = 500

const stepsStatement = statement(`
  select * from (
    (select at, step as type, fsp, detail, null as verification, n
      from consent_steps where consent_id = $1 order by n desc limit ${steps_max})
    union all
    (select decided_at, case when reason is null then 'SIGNATURE_VERIFIED' else 'SIGNATURE_REFUSED' end,
        dfsp, concat_ws(': ', reason, nullif(detail, '')), id, 0
      from verifications where consent_id = $1 order by decided_at desc limit ${steps_max})
  ) as steps order by at desc, n desc limit ${steps_max}`)

export function searchConsents(db: Queries, search: ConsentSearch): Promise<readonly SummaryRow[]> {
  const { consentId, fspId, state, from, to, after, limit } = search
  return db.query<SummaryRow>(searchStatement, [
    consentId ?? null,
    fspId ?? null,
    state ?? null,
    from,
    to,
    after?.at ?? null,
    after?.id ?? '',
    limit,
  ])
}

export async function readRecord(db: Queries, id: string): Promise<RecordRow | undefined> {
  const [row] = await db.query<RecordRow>(recordStatement, [id])
  return row
}

export function readSteps(db: Queries, id: string): Promise<readonly StepRow[]> {
  return db.query<StepRow>(stepsStatement, [id])
}

const eraseStatement = statement(`
  update consents set erased_at = $2, consent_request_id = null where id = $1`)
const erasePartiesStatement = statement(`
  update consent_parties set consent_request_id = null where consent_id = $1`)
const eraseCredentialStatement = statement(`
  delete from revoked_credentials where consent_id = $1`)
const erasedStepStatement = statement(`
  insert into consent_steps (month, event_id, consent_id, at, step, fsp, detail)
  values ($1::date, gen_random_uuid(), $2, $3, 'ERASED', $4, '')`)

export interface Erasure {
  readonly consentId: string
  readonly erasedBy: string
  readonly now: Date
  /** The partition of the history. */
  readonly month: string
}

/** Requires the lock of the consent. */
export async function eraseContents(tx: Transaction, erasure: Erasure): Promise<void> {
  const { consentId, erasedBy, now, month } = erasure
  await Promise.all([
    tx.query(eraseStatement, [consentId, now]),
    tx.query(erasePartiesStatement, [consentId]),
    tx.query(eraseCredentialStatement, [consentId]),
    eraseDescriptions(tx, consentId),
    tx.query(erasedStepStatement, [month, consentId, now, erasedBy]),
  ])
}
