/** Queries of third-party transactions, for operators and for reconciliation. */
import { archivedMonths, statement, textArray, type Queries } from '@causeway/postgres'
import type { ThirdPartyStepSubject, ThirdPartySummaryState } from '@causeway/protos'
import type { VerificationReason } from '../domain/consent.ts'

export interface SummaryRow {
  readonly id: string
  readonly pisp: string
  readonly dfsp: string
  readonly requested_at: Date
  readonly state: string
  readonly transaction_state: string | null
  readonly transaction_id: string | null
  readonly consent_id: string | null
  readonly error_code: string | null
  readonly error_description: string | null
  readonly ended_at: Date | null
}

export interface StepRow {
  readonly about: ThirdPartyStepSubject
  readonly subject_id: string
  readonly method: string
  readonly source_fsp: string
  readonly destination_fsp: string
  readonly received_at: Date
  readonly outcome: string | null
  readonly error_code: string | null
  readonly error_description: string | null
  readonly consent_id: string | null
}

/** An answer of the hosted auth service. */
export interface VerificationRow {
  readonly id: string
  readonly consent_id: string
  readonly reason: VerificationReason | null
  readonly decided_at: Date
}

/** What is undefined or null is not searched for. */
export interface TransactionSearch {
  readonly transactionRequestId: string | undefined
  /** As PISP or as DFSP. */
  readonly fspId: string | undefined
  readonly pispId: string | undefined
  readonly dfspId: string | undefined
  readonly consentId: string | undefined
  readonly state: ThirdPartySummaryState | undefined
  readonly from: Date | null
  readonly to: Date | null
  /** The last entry of the page before. */
  readonly after: { readonly at: Date; readonly id: string } | null
  readonly limit: number
}

const columns = `t.id, t.pisp, t.dfsp, t.requested_at, t.state, t.transaction_state,
  t.transaction_id, t.consent_id, t.error_code, t.error_description, t.ended_at`

const stepsArchived = archivedMonths('third_party_steps', ['t.requested_at', 't.ended_at'])

const archivedStatement = statement(`
  select ${stepsArchived} as months from third_party_transactions t where t.id = $1`)

const byIdsStatement = statement(`
  select ${columns} from unnest($1::text[]) as a (id) join third_party_transactions t using (id)`)

/** Only its DFSP names the transaction; of two with the same name the first counts. */
const byTransactionStatement = statement(`
  select ${columns} from third_party_transactions t
  where t.transaction_id = $1 and t.dfsp = $2 order by t.requested_at limit 1`)

const searchStatement = statement(`
  select ${columns} from third_party_transactions t
  where ($1::text is null or t.pisp = $1::text or t.dfsp = $1::text)
    and ($2::text is null or t.consent_id = $2::text)
    and ($3::text is null or t.state = $3::text)
    and ($4::timestamptz is null or t.requested_at >= $4::timestamptz)
    and ($5::timestamptz is null or t.requested_at < $5::timestamptz)
    and ($6::timestamptz is null or (t.requested_at, t.id) < ($6::timestamptz, $7::text))
    and ($9::text is null or t.id = $9::text)
    and ($10::text is null or t.pisp = $10::text)
    and ($11::text is null or t.dfsp = $11::text)
  order by t.requested_at desc, t.id desc limit $8`)

const steps_max = 200

const stepColumns = `s.about, s.subject_id, s.method, s.source_fsp, s.destination_fsp, s.received_at,
  s.outcome, s.error_code, s.error_description, s.consent_id`

// Messages of the transaction between its PISP and DFSP, then of the authorizations that the DFSP
// requested, then of the verifications of what was signed there; other FSPs may use any id.
const stepsStatement = statement(`
  with asked as materialized (
    select subject_id, challenge_hash from third_party_steps
    where transaction_request_id = $1 and about = 'AUTHORIZATION' and source_fsp = $3
      and destination_fsp = $2
    limit ${steps_max}
  ), checked as materialized (
    select distinct v.subject_id from asked a
    join third_party_steps v on v.challenge_hash = a.challenge_hash
    where v.about = 'VERIFICATION' and v.source_fsp = $3
    limit ${steps_max}
  )
  select ${stepColumns} from (
    select * from third_party_steps
    where transaction_request_id = $1 and about = 'TRANSACTION'
      and (source_fsp, destination_fsp) in (($2, $3), ($3, $2))
    union all
    select * from third_party_steps
    where subject_id in (select subject_id from asked) and about = 'AUTHORIZATION'
      and (source_fsp, destination_fsp) in (($2, $3), ($3, $2))
    union all
    select * from third_party_steps
    where subject_id in (select subject_id from checked) and about = 'VERIFICATION'
      and (source_fsp = $3 or destination_fsp = $3)
  ) as s
  order by s.received_at limit ${steps_max}`)

const verificationsStatement = statement(`
  select v.id, v.consent_id, v.reason, v.decided_at
  from unnest($1::text[]) as a (id) join verifications v using (id) where v.dfsp = $2`)

export function readTransactions(
  db: Queries,
  ids: readonly string[],
): Promise<readonly SummaryRow[]> {
  return db.query<SummaryRow>(byIdsStatement, [textArray(ids)])
}

export async function readByTransaction(
  db: Queries,
  transactionId: string,
  dfsp: string,
): Promise<SummaryRow | undefined> {
  const [row] = await db.query<SummaryRow>(byTransactionStatement, [transactionId, dfsp])
  return row
}

export function searchTransactions(
  db: Queries,
  search: TransactionSearch,
): Promise<readonly SummaryRow[]> {
  const { fspId, consentId, state, from, to, after, limit } = search
  const { transactionRequestId, pispId, dfspId } = search
  return db.query<SummaryRow>(searchStatement, [
    fspId ?? null,
    consentId ?? null,
    state ?? null,
    from,
    to,
    after?.at ?? null,
    after?.id ?? '',
    limit,
    transactionRequestId ?? null,
    pispId ?? null,
    dfspId ?? null,
  ])
}

export function readSteps(
  db: Queries,
  { id, pisp, dfsp }: SummaryRow,
): Promise<readonly StepRow[]> {
  return db.query<StepRow>(stepsStatement, [id, pisp, dfsp])
}

/** YYYY-MM of each month whose messages about the transaction are archived. */
export async function readArchivedMonths(db: Queries, id: string): Promise<readonly string[]> {
  const [row] = await db.query<{ readonly months: readonly string[] }>(archivedStatement, [id])
  return row?.months ?? []
}

export async function readVerifications(
  db: Queries,
  ids: readonly string[],
  dfsp: string,
): Promise<readonly VerificationRow[]> {
  if (ids.length === 0) return []
  return db.query<VerificationRow>(verificationsStatement, [textArray(ids), dfsp])
}

const eraseTransactions = statement(`
  with erased as (
    update third_party_transactions set error_description = ''
    where consent_id = $1 and error_description is not null
    returning id
  )
  update third_party_steps s set error_description = ''
  from erased where s.transaction_request_id = erased.id and s.error_description is not null`)

/** Descriptions of errors are free text of FSPs; no other column can contain personal data. */
export async function eraseDescriptions(db: Queries, consentId: string): Promise<void> {
  await db.query(eraseTransactions, [consentId])
}
