/**
 * Storage of quotes. An id is claimed once, a final row never changes, and the events about a
 * change are committed with it.
 */
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import type { Relay } from '@causeway/events'
import { plainBodies, type Bodies } from '@causeway/keys/months'
import {
  byteaArray,
  ensureMonthlyPartitions,
  monthOf,
  statement,
  textArray,
  type Database,
  type Queries,
} from '@causeway/postgres'
import type { Terms } from './contract.ts'
import type { Claimed, EndedQuote, Pending, Quote, Rejected } from './domain/quote.ts'
import { columns, endColumns, hashBytes, quoteOf, type EndColumns, type QuoteRow } from './row.ts'

export interface Claim {
  readonly quote: Terms & (Pending | Rejected)
  readonly relay: Relay | undefined
}

/** A quote with the payee FSP's own answer, if it is still stored. */
export interface QuoteWithAnswer {
  readonly quote: Quote
  readonly answer: Relay | undefined
}

export interface ClaimResult {
  /** The new ids. */
  readonly claimed: ReadonlySet<string>
  /** The stored quotes of the other ids. */
  readonly known: ReadonlyMap<string, QuoteWithAnswer>
}

/** The end of a quote, applied if it is still pending. */
export interface QuoteEnd {
  readonly quote: Claimed & EndedQuote
  /** The payee FSP's message that ended it. */
  readonly message: StoredMessage | undefined
  /** The condition of an answer; stored for quotes with a transaction request. */
  readonly condition?: string
}

export interface StoredMessage {
  readonly kind: 'RESPONSE' | 'REJECT'
  readonly eventId: string
  readonly relay: Relay
}

export interface MoveResult {
  readonly moved: ReadonlySet<string>
  /** The current rows of the others. */
  readonly unchanged: ReadonlyMap<string, Quote>
}

/** The tables of quotes. */
export interface QuoteTables {
  /** Stores new ids with their requests and announces the messages of `buildEvents`, or does neither. */
  claim(
    claims: readonly Claim[],
    now: Date,
    buildEvents: (claiming: ClaimResult) => readonly OutgoingMessage[],
  ): Promise<ClaimResult>
  read(ids: readonly string[]): Promise<ReadonlyMap<string, Quote>>
  readWithAnswers(ids: readonly string[]): Promise<ReadonlyMap<string, QuoteWithAnswer>>
  /** Ends the pending quotes and announces the messages of `buildEvents`, or does neither. */
  move(
    changes: readonly QuoteEnd[],
    now: Date,
    buildEvents: (movement: MoveResult) => readonly OutgoingMessage[],
  ): Promise<MoveResult>
  /** Expires pending quotes whose expiration is not after that moment; returns their number. */
  expire(until: Date, limit: number): Promise<number>
  /** Milliseconds since the expiration of the longest overdue pending quote; 0 if there is none. */
  overdue_ms(now: Date): Promise<number>
  ensurePartitions(now: Date): Promise<void>
}

const claimStatement = statement(`
  with asked as materialized (
    select * from unnest($1::text[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::text[],
      $7::text[]::numeric[], $8::text[], $9::text[]::timestamptz[], $10::text[],
      $11::text[]::uuid[], $12::text[], $13::text[], $14::text[], $15::text[], $16::bytea[],
      $17::bytea[], $20::text[])
    as a (id, request_hash, transaction_id, payer_fsp, payee_fsp, amount_type, amount, currency,
      expires_at, payer_version, request_event_id, state, reason, error, rule_id, body, headers,
      transaction_request_id)
  ), claimed as (
    insert into quotes (id, request_hash, month, transaction_id, payer_fsp, payee_fsp, amount_type,
      amount, currency, expires_at, payer_version, request_event_id, created_at, state, reason,
      error, rule_id, transaction_request_id, completed_at)
    select id, request_hash, $18::date, transaction_id, payer_fsp, payee_fsp, amount_type, amount,
      currency, expires_at, payer_version, request_event_id, $19::timestamptz, state, reason,
      error, rule_id, transaction_request_id, case state when 'PENDING' then null else $19::timestamptz end
    from asked order by id
    on conflict (id) do nothing
    returning id
  ), kept as (
    insert into messages (month, quote_id, kind, event_id, body, headers)
    select $18::date, id, 'REQUEST', request_event_id, body, headers
    from claimed join asked using (id) where body is not null
  )
  select id from claimed`)

const readStatement = statement(`
  select ${columns} from unnest($1::text[]) as a (id) join quotes q using (id)`)

const readWithAnswersStatement = statement(`
  select ${columns}, m.body, m.headers from unnest($1::text[]) as a (id)
  join quotes q using (id)
  left join messages m on q.state = 'ACCEPTED'
    and m.quote_id = q.id and m.kind = 'RESPONSE' and m.month = q.month`)

// One index lookup per row, locked in order: a join would be planned as a scan while the table is
// new and small, and the plan would remain while it grows.
const moveStatement = statement(`
  with asked as materialized (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
      $6::text[]::uuid[], $7::bytea[], $8::text[]::numeric[], $9::text[]::timestamptz[], $10::text[],
      $11::text[]::uuid[], $12::bytea[], $13::bytea[], $15::text[])
    as a (id, state, reason, error, rule_id, outcome_event_id, outcome_hash, transfer_amount,
      valid_until, kind, event_id, body, headers, condition)
  ), found as materialized (
    select q.id from (select id from asked order by id) a
    cross join lateral (select id, state from quotes where id = a.id for update) q
    where q.state = 'PENDING'
  ), moved as (
    update quotes q set state = asked.state, reason = asked.reason, error = asked.error,
      rule_id = asked.rule_id, outcome_event_id = asked.outcome_event_id,
      outcome_hash = asked.outcome_hash, transfer_amount = asked.transfer_amount,
      valid_until = asked.valid_until, completed_at = $14::timestamptz,
      condition = case when q.transaction_request_id is not null and asked.state = 'ACCEPTED'
        then asked.condition end
    from asked join found using (id)
    where q.id = found.id
    returning q.id, q.month
  ), kept as (
    insert into messages (month, quote_id, kind, event_id, body, headers)
    select moved.month, id, kind, event_id, body, headers
    from moved join asked using (id) where kind is not null
  )
  select id from moved`)

const expireStatement = statement(`
  with due as materialized (
    select id from quotes where state = 'PENDING' and expires_at <= $1::timestamptz
    order by expires_at limit $2::integer for update skip locked
  )
  update quotes q set state = 'EXPIRED', completed_at = $1::timestamptz
  from due where q.id = due.id
  returning q.id`)

const overdueStatement = statement(`
  select min(expires_at) as oldest from quotes
  where state = 'PENDING' and expires_at <= $1::timestamptz`)

interface IdRow {
  readonly id: string
}

interface AnswerRow extends QuoteRow {
  readonly body: Buffer | null
  readonly headers: Buffer | null
}

export function openQuoteTables(
  db: Database,
  bus: EventBus,
  bodies: Bodies = plainBodies,
): QuoteTables {
  return {
    claim: (claims, now, buildEvents) =>
      db.transaction(async (tx) => {
        const claiming = await claim(tx, claims, now, bodies)
        bus.announce(tx, buildEvents(claiming))
        return claiming
      }),
    read: (ids) => read(db, ids),
    readWithAnswers: (ids) => readWithAnswers(db, ids, bodies),
    move: (changes, now, buildEvents) =>
      db.transaction(async (tx) => {
        const movement = await move(tx, changes, now, bodies)
        bus.announce(tx, buildEvents(movement))
        return movement
      }),
    async expire(until, limit) {
      return (await db.query<IdRow>(expireStatement, [until, limit])).length
    },
    async overdue_ms(now) {
      const [row] = await db.query<{ oldest: Date | null }>(overdueStatement, [now])
      return now.getTime() - (row?.oldest ?? now).getTime()
    },
    ensurePartitions: (now) => ensureMonthlyPartitions(db, ['messages', 'deliveries'], now),
  }
}

async function claim(
  tx: Queries,
  claims: readonly Claim[],
  now: Date,
  bodies: Bodies,
): Promise<ClaimResult> {
  const rows = await tx.query<IdRow>(claimStatement, claimValues(claims, now, bodies))
  const claimed = new Set(rows.map(({ id }) => id))
  const others = claims.map(({ quote }) => quote.quoteId).filter((id) => !claimed.has(id))
  return { claimed, known: await readWithAnswers(tx, others, bodies) }
}

async function move(
  tx: Queries,
  changes: readonly QuoteEnd[],
  now: Date,
  bodies: Bodies,
): Promise<MoveResult> {
  if (changes.length === 0) return { moved: new Set(), unchanged: new Map() }
  const rows = await tx.query<IdRow>(moveStatement, changeValues(changes, now, bodies))
  const moved = new Set(rows.map(({ id }) => id))
  const others = changes.map(({ quote }) => quote.quoteId).filter((id) => !moved.has(id))
  return { moved, unchanged: await read(tx, others) }
}

async function read(db: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, Quote>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<QuoteRow>(readStatement, [textArray(ids)])
  return new Map(rows.map((row) => [row.id, quoteOf(row)]))
}

async function readWithAnswers(
  db: Queries,
  ids: readonly string[],
  bodies: Bodies,
): Promise<ReadonlyMap<string, QuoteWithAnswer>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<AnswerRow>(readWithAnswersStatement, [textArray(ids)])
  const opened = await bodies.open(rows.map(({ body }) => body))
  return new Map(
    rows.map((row, at) => {
      const answer = answerOf(opened[at] ?? null, row.headers)
      return [row.id, { quote: quoteOf(row), answer }]
    }),
  )
}

function answerOf(body: Buffer | null, headers: Buffer | null): Relay | undefined {
  if (body === null) return undefined
  return headers === null ? { body } : { body, headers }
}

function claimValues(
  claims: readonly Claim[],
  now: Date,
  bodies: Bodies,
): (Buffer | string | Date)[] {
  const ends = claims.map((claim) => ({ ...claim, end: endColumns(claim.quote) }))
  const texts = (of: (quote: Claim['quote'], claim: (typeof ends)[number]) => string | null) =>
    textArray(ends.map((claim) => of(claim.quote, claim)))
  return [
    texts(({ quoteId }) => quoteId),
    byteaArray(claims.map(({ quote }) => hashBytes(quote.requestHash))),
    texts(({ transactionId }) => transactionId),
    texts(({ payerFsp }) => payerFsp),
    texts(({ payeeFsp }) => payeeFsp ?? null),
    texts(({ amountType }) => amountType),
    texts(({ amount }) => String(amount)),
    texts(({ currency }) => currency),
    texts(({ expiresAt }) => expiresAt),
    texts(({ payerVersion }) => payerVersion),
    texts(({ requestEventId }) => requestEventId),
    texts(({ state }) => state),
    texts((_quote, { end }) => end.reason),
    texts((_quote, { end }) => end.error),
    texts((_quote, { end }) => end.ruleId),
    byteaArray(claims.map(({ relay }) => bodies.seal(relay?.body ?? null, now))),
    byteaArray(claims.map(({ relay }) => relay?.headers ?? null)),
    monthOf(now),
    now,
    texts(({ transactionRequestId }) => transactionRequestId ?? null),
  ]
}

function changeValues(changes: readonly QuoteEnd[], now: Date, bodies: Bodies): (Buffer | Date)[] {
  const ends = changes.map(({ quote }) => endColumns(quote))
  const texts = (of: (end: EndColumns) => string | null): Buffer => textArray(ends.map(of))
  const messages = changes.map(({ message }) => message)
  return [
    textArray(changes.map(({ quote }) => quote.quoteId)),
    textArray(changes.map(({ quote }) => quote.state)),
    texts(({ reason }) => reason),
    texts(({ error }) => error),
    texts(({ ruleId }) => ruleId),
    texts(({ outcomeEventId }) => outcomeEventId),
    byteaArray(ends.map(({ outcomeHash }) => outcomeHash)),
    texts(({ transferAmount }) => transferAmount),
    texts(({ validUntil }) => validUntil),
    textArray(messages.map((message) => message?.kind ?? null)),
    textArray(messages.map((message) => message?.eventId ?? null)),
    byteaArray(messages.map((message) => bodies.seal(message?.relay.body ?? null, now))),
    byteaArray(messages.map((message) => message?.relay.headers ?? null)),
    now,
    textArray(changes.map(({ condition }) => condition ?? null)),
  ]
}
