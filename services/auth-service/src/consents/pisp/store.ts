/** Storage of observed third-party messages and transactions, in batches, each message once. */
import {
  filedMonthOf,
  statement,
  textArray,
  type Database,
  type Queries,
  type Transaction,
} from '@causeway/postgres'
import {
  begun,
  follow,
  type TransactionMessage,
  type ThirdPartyTransaction,
} from './domain/transaction.ts'

const insertSteps = statement(`
  insert into third_party_steps (month, event_id, about, subject_id, method, source_fsp,
    destination_fsp, received_at, outcome, error_code, error_description, transaction_request_id,
    consent_id, challenge_hash)
  select * from unnest($1::text[]::date[], $2::text[]::uuid[], $3::text[], $4::text[], $5::text[],
    $6::text[], $7::text[], $8::text[]::timestamptz[], $9::text[], $10::text[], $11::text[],
    $12::text[], $13::text[], $14::text[])
  on conflict do nothing
  returning event_id as id`)

const claimStatement = statement(`
  insert into third_party_transactions (id, pisp, dfsp, requested_at, state)
  select id, pisp, dfsp, requested_at, 'REQUESTED'
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]::timestamptz[])
    as a (id, pisp, dfsp, requested_at)
  order by id
  on conflict do nothing`)

const lockStatement = statement(`
  select t.id, t.pisp, t.dfsp, t.requested_at, t.state, t.transaction_state, t.transaction_id,
    t.error_code, t.error_description, t.ended_at
  from third_party_transactions t where t.id = any ($1::text[]) order by t.id for update`)

const updateStatement = statement(`
  update third_party_transactions t set state = a.state, transaction_state = a.transaction_state,
    transaction_id = a.transaction_id, error_code = a.error_code,
    error_description = a.error_description, ended_at = a.ended_at
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
    $7::text[]::timestamptz[])
    as a (id, state, transaction_state, transaction_id, error_code, error_description, ended_at)
  where t.id = a.id`)

/** The request of the payment and the two messages with the challenge may arrive in any order. */
const consentsStatement = statement(`
  update third_party_transactions t set consent_id = found.consent_id
  from (
    select distinct on (a.transaction_request_id) a.transaction_request_id, a.source_fsp, v.consent_id
    from third_party_steps a
    join third_party_steps v on v.challenge_hash = a.challenge_hash
      and v.source_fsp = a.source_fsp and v.consent_id is not null
    where (a.challenge_hash = any ($1::text[]) or a.transaction_request_id = any ($2::text[]))
      and a.transaction_request_id is not null
    order by a.transaction_request_id, v.received_at desc
  ) as found
  where t.id = found.transaction_request_id and t.dfsp = found.source_fsp and t.consent_id is null`)

interface TransactionRow {
  readonly id: string
  readonly pisp: string
  readonly dfsp: string
  readonly requested_at: Date
  readonly state: string
  readonly transaction_state: string | null
  readonly transaction_id: string | null
  readonly error_code: string | null
  readonly error_description: string | null
  readonly ended_at: Date | null
}

/** Stores new messages in order of arrival, and the resulting transactions. */
export async function saveSteps(
  db: Database,
  steps: readonly TransactionMessage[],
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const stored = await tx.query<{ id: string }>(insertSteps, stepValues(steps, now))
    const ids = new Set(stored.map(({ id }) => id))
    await followAll(
      tx,
      steps.filter(({ eventId, about }) => ids.has(eventId) && about === 'TRANSACTION'),
    )
  })
  await linkConsents(db, steps)
}

/**
 * After COMMIT, so that of messages that arrive at the same time the last one sees the others; also of
 * repeated messages, since the process may have ended in between.
 */
async function linkConsents(db: Queries, steps: readonly TransactionMessage[]): Promise<void> {
  const challenges = steps.flatMap(({ challengeHash }) => challengeHash ?? [])
  const requested = steps.flatMap(({ about, method, subjectId }) =>
    about === 'TRANSACTION' && method === 'POST' ? [subjectId] : [],
  )
  if (challenges.length + requested.length === 0) return
  await db.query(consentsStatement, [textArray(challenges), textArray(requested)])
}

async function followAll(tx: Transaction, steps: readonly TransactionMessage[]): Promise<void> {
  const first = new Map<string, TransactionMessage>()
  for (const step of steps) {
    if (step.method === 'POST' && !first.has(step.subjectId)) first.set(step.subjectId, step)
  }
  await claim(tx, [...first.values()].map(begun))
  const answers = steps.filter(({ method }) => method !== 'POST')
  if (answers.length === 0) return
  const ids = [...new Set(answers.map(({ subjectId }) => subjectId))]
  const rows = await tx.query<TransactionRow>(lockStatement, [textArray(ids)])
  const found = new Map(rows.map((row) => [row.id, transactionOf(row)]))
  for (const step of answers) {
    const transaction = found.get(step.subjectId)
    if (transaction !== undefined) found.set(step.subjectId, follow(transaction, step))
  }
  await update(tx, [...found.values()])
}

async function claim(db: Queries, transactions: readonly ThirdPartyTransaction[]): Promise<void> {
  if (transactions.length === 0) return
  await db.query(claimStatement, [
    textArray(transactions.map(({ id }) => id)),
    textArray(transactions.map(({ pisp }) => pisp)),
    textArray(transactions.map(({ dfsp }) => dfsp)),
    textArray(transactions.map(({ requestedAt }) => requestedAt.toISOString())),
  ])
}

async function update(db: Queries, transactions: readonly ThirdPartyTransaction[]): Promise<void> {
  if (transactions.length === 0) return
  const texts = (of: (transaction: ThirdPartyTransaction) => string | undefined) =>
    textArray(transactions.map((transaction) => of(transaction) ?? null))
  await db.query(updateStatement, [
    texts(({ id }) => id),
    texts(({ state }) => state),
    texts(({ transactionState }) => transactionState),
    texts(({ transactionId }) => transactionId),
    texts(({ error }) => error?.errorCode),
    texts(({ error }) => error?.errorDescription),
    texts(({ endedAt }) => endedAt?.toISOString()),
  ])
}

function stepValues(steps: readonly TransactionMessage[], now: Date): Buffer[] {
  const texts = (of: (step: TransactionMessage) => string | undefined) =>
    textArray(steps.map((step) => of(step) ?? null))
  return [
    texts(({ receivedAt }) => filedMonthOf(receivedAt, now)),
    texts(({ eventId }) => eventId),
    texts(({ about }) => about),
    texts(({ subjectId }) => subjectId),
    texts(({ method }) => method),
    texts(({ source }) => source),
    texts(({ destination }) => destination),
    texts(({ receivedAt }) => receivedAt.toISOString()),
    texts(({ outcome }) => outcome),
    texts(({ error }) => error?.errorCode),
    texts(({ error }) => error?.errorDescription),
    texts(({ transactionRequestId }) => transactionRequestId),
    texts(({ consentId }) => consentId),
    texts(({ challengeHash }) => challengeHash),
  ]
}

function transactionOf(row: TransactionRow): ThirdPartyTransaction {
  const { error_code, error_description } = row
  return {
    id: row.id,
    pisp: row.pisp,
    dfsp: row.dfsp,
    requestedAt: row.requested_at,
    state: row.state,
    transactionState: row.transaction_state ?? undefined,
    transactionId: row.transaction_id ?? undefined,
    error:
      error_code === null
        ? undefined
        : { errorCode: error_code, errorDescription: error_description ?? '' },
    endedAt: row.ended_at ?? undefined,
  }
}
