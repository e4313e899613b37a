/**
 * Storage of bulk quotes. An id is claimed once, a final row never changes, and the events about a change
 * are committed with it. Each statement concerns one bulk with all its items.
 */
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import type { Relay } from '@causeway/events'
import { plainBodies, type Bodies } from '@causeway/keys/months'
import type { ErrorInformation } from '@causeway/fspiop'
import {
  ensureMonthlyPartitions,
  monthOf,
  statement,
  textArray,
  type Database,
  type Queries,
} from '@causeway/postgres'
import type { Pending } from '../quotes/domain/quote.ts'
import { hashBytes } from '../quotes/row.ts'
import type { MadeBody } from '../quotes/bodies.ts'
import type { StoredAnswer } from './contract.ts'
import type { BulkQuote, ClaimedBulk, EndedBulk, RejectedBulk } from './domain/bulk-quote.ts'
import { bulkColumns, bulkOf, endValues, type BulkRow } from './row.ts'

export interface StoredItem {
  readonly quoteId: string
  readonly currency: string
  /** Why the hub refuses it. */
  readonly error: ErrorInformation | undefined
}

export interface ClaimedItem extends StoredItem {
  readonly transactionId: string
  readonly amountType: 'SEND' | 'RECEIVE'
  /** Ten-thousandths. */
  readonly amount: bigint
}

export interface BulkClaim {
  readonly bulk: ClaimedBulk & (Pending | RejectedBulk)
  readonly items: readonly ClaimedItem[]
  readonly relay: Relay | undefined
  /** The immediate answer to the payer FSP, if the hub refuses every item. */
  readonly answer: Buffer | undefined
}

/** A bulk quote with the answer for the payer FSP or the payee FSP, if it is still stored. */
export interface StoredBulk {
  readonly bulk: BulkQuote
  readonly answer: StoredAnswer | undefined
}

/** The end of a bulk quote, applied if it is still pending. */
export interface BulkEnd {
  readonly bulk: ClaimedBulk & EndedBulk
  /** The payee FSP's message that ended it. */
  readonly message:
    | { readonly kind: 'RESPONSE' | 'REJECT'; readonly eventId: string; readonly relay: Relay }
    | undefined
  /** The message for the payer FSP in place of it. */
  readonly answer: MadeBody | undefined
  /** The hub's errors of answered items, by their ids. */
  readonly forbidden: ReadonlyMap<string, ErrorInformation>
}

type BuildEvents = () => readonly OutgoingMessage[]

export interface BulkStore {
  /** Stores a new id with its request and announces the events of `buildEvents`; true if it was new. */
  claim(
    claim: BulkClaim,
    now: Date,
    buildEvents: (known: StoredBulk | undefined) => readonly OutgoingMessage[],
  ): Promise<boolean>
  /** With the answer for `asker`: the payee FSP gets its own. */
  read(id: string, asker?: string): Promise<StoredBulk | undefined>
  items(id: string): Promise<readonly StoredItem[]>
  /** Ends the bulk and announces the events of `buildEvents`, or does neither: false. */
  end(end: BulkEnd, now: Date, buildEvents: BuildEvents): Promise<boolean>
  /** Expires pending bulk quotes whose expiration is not after that moment; returns their number. */
  expire(until: Date, limit: number): Promise<number>
  ensurePartitions(now: Date): Promise<void>
}

const claimStatement = statement(`
  insert into bulk_quotes (id, request_hash, month, payer_fsp, payee_fsp, items, items_refused,
    expires_at, payer_version, request_event_id, created_at, state, reason, error,
    outcome_event_id, outcome_hash, valid_until, completed_at)
  values ($1, $2, $3::date, $4, $5, $6::integer, $7::integer, $8::timestamptz, $9, $10::uuid,
    $11::timestamptz, $12, $13, $14, $15::uuid, $16::bytea, $17::timestamptz,
    case $12 when 'PENDING' then null else $11::timestamptz end)
  on conflict (id) do nothing
  returning id`)

const itemsStatement = statement(`
  insert into bulk_quote_items (month, bulk_quote_id, position, quote_id, transaction_id,
    amount_type, amount, currency, error)
  select $1::date, $2, a.n - 1, a.quote_id, a.transaction_id, a.amount_type, a.amount, a.currency,
    a.error
  from unnest($3::text[], $4::text[], $5::text[], $6::text[]::numeric[], $7::text[], $8::text[])
    with ordinality
  as a (quote_id, transaction_id, amount_type, amount, currency, error, n)`)

const messageStatement = statement(`
  insert into bulk_messages (month, bulk_quote_id, kind, event_id, body, headers, encryption)
  values ($1::date, $2, $3, $4::uuid, $5::bytea, $6::bytea, $7)`)

/** The hub's answer replaces that of the payee FSP, except for the payee FSP itself. */
const readStatement = statement(`
  select ${bulkColumns}, m.body, m.headers, m.encryption
  from bulk_quotes q
  left join lateral (
    select body, headers, encryption from bulk_messages
    where bulk_quote_id = q.id and month = q.month
      and kind = any (case when $2 = q.payee_fsp then '{RESPONSE}' else '{ANSWER,RESPONSE}' end::text[])
    order by kind limit 1
  ) m on q.state in ('ACCEPTED', 'REJECTED')
  where q.id = $1::text collate "C"`)

const readItemsStatement = statement(`
  select i.quote_id, i.currency, i.error
  from bulk_quotes q join bulk_quote_items i on i.bulk_quote_id = q.id and i.month = q.month
  where q.id = $1::text collate "C" order by i.position`)

const endStatement = statement(`
  update bulk_quotes set state = $2, reason = $3, error = $4, outcome_event_id = $5::uuid,
    outcome_hash = $6::bytea, valid_until = $7::timestamptz, completed_at = $8::timestamptz
  where id = $1::text collate "C" and state = 'PENDING'
  returning month::text`)

const forbidStatement = statement(`
  update bulk_quote_items i set error = a.error
  from unnest($3::text[], $4::text[]) as a (quote_id, error)
  where i.month = $1::date and i.bulk_quote_id = $2 and i.quote_id = a.quote_id and i.error is null`)

const expireStatement = statement(`
  with due as materialized (
    select id from bulk_quotes where state = 'PENDING' and expires_at <= $1::timestamptz
    order by expires_at limit $2::integer for update skip locked
  )
  update bulk_quotes q set state = 'EXPIRED', completed_at = $1::timestamptz
  from due where q.id = due.id
  returning q.id`)

interface ReadRow extends BulkRow {
  readonly body: Buffer | null
  readonly headers: Buffer | null
  readonly encryption: string | null
}

interface ItemRow {
  readonly quote_id: string
  readonly currency: string
  readonly error: string | null
}

export function openBulkStore(
  db: Database,
  bus: Pick<EventBus, 'announce'>,
  bodies: Bodies = plainBodies,
): BulkStore {
  return {
    claim: (claim, now, buildEvents) =>
      db.transaction(async (tx) => {
        const isNew = await store(tx, claim, now, bodies)
        const known = isNew ? undefined : await read(tx, bodies, claim.bulk.bulkQuoteId)
        if (!isNew && known === undefined) throw new Error('an id is claimed but not stored')
        bus.announce(tx, buildEvents(known))
        return isNew
      }),
    read: (id, asker) => read(db, bodies, id, asker),
    async items(id) {
      const rows = await db.query<ItemRow>(readItemsStatement, [id])
      return rows.map(({ quote_id, currency, error }) => ({
        quoteId: quote_id,
        currency,
        error: error === null ? undefined : (JSON.parse(error) as ErrorInformation),
      }))
    },
    end: (end, now, buildEvents) =>
      db.transaction(async (tx) => {
        const hasEnded = await move(tx, end, now, bodies)
        if (hasEnded) bus.announce(tx, buildEvents())
        return hasEnded
      }),
    async expire(until, limit) {
      return (await db.query(expireStatement, [until, limit])).length
    },
    ensurePartitions: (now) =>
      ensureMonthlyPartitions(db, ['bulk_quote_items', 'bulk_messages'], now),
  }
}

async function store(
  tx: Queries,
  { bulk, items, relay, answer }: BulkClaim,
  now: Date,
  bodies: Bodies,
) {
  const month = monthOf(now)
  const claimed = await tx.query(claimStatement, [
    bulk.bulkQuoteId,
    hashBytes(bulk.requestHash),
    month,
    bulk.payerFsp,
    bulk.payeeFsp ?? null,
    items.length,
    items.filter(({ error }) => error !== undefined).length,
    bulk.expiresAt,
    bulk.payerVersion,
    bulk.requestEventId,
    now,
    bulk.state,
    ...endValues(bulk),
  ])
  if (claimed.length === 0) return false
  const texts = (of: (item: ClaimedItem) => string | null): Buffer => textArray(items.map(of))
  await tx.query(itemsStatement, [
    month,
    bulk.bulkQuoteId,
    texts(({ quoteId }) => quoteId),
    texts(({ transactionId }) => transactionId),
    texts(({ amountType }) => amountType),
    texts(({ amount }) => String(amount)),
    texts(({ currency }) => currency),
    texts(({ error }) => (error === undefined ? null : JSON.stringify(error))),
  ])
  const keep = keeper(tx, month, bulk, (body) => bodies.seal(body, now))
  if (relay !== undefined) await keep('REQUEST', bulk.requestEventId, relay)
  if (answer !== undefined) await keep('ANSWER', bulk.requestEventId, { body: answer })
  return true
}

async function move(
  tx: Queries,
  { bulk, message, answer, forbidden }: BulkEnd,
  now: Date,
  bodies: Bodies,
): Promise<boolean> {
  const [row] = await tx.query<{ readonly month: string }>(endStatement, [
    bulk.bulkQuoteId,
    bulk.state,
    ...endValues(bulk),
    now,
  ])
  if (row === undefined) return false
  const keep = keeper(tx, row.month, bulk, (body) => bodies.seal(body, now))
  if (message !== undefined) {
    await keep(message.kind, message.eventId, message.relay)
    if (answer !== undefined) {
      await keep('ANSWER', message.eventId, { body: answer.body }, answer.encryption)
    }
  }
  if (forbidden.size > 0) {
    const errors = [...forbidden.values()].map((error) => JSON.stringify(error))
    const ids = textArray([...forbidden.keys()])
    await tx.query(forbidStatement, [row.month, bulk.bulkQuoteId, ids, textArray(errors)])
  }
  return true
}

function keeper(
  tx: Queries,
  month: string,
  { bulkQuoteId }: ClaimedBulk,
  seal: (body: Buffer) => Buffer,
) {
  return (kind: string, eventId: string, { body, headers }: Relay, encryption?: string) =>
    tx.query(messageStatement, [
      month,
      bulkQuoteId,
      kind,
      eventId,
      seal(body),
      headers ?? null,
      encryption ?? null,
    ])
}

async function read(
  db: Queries,
  bodies: Bodies,
  id: string,
  asker = '',
): Promise<StoredBulk | undefined> {
  const [row] = await db.query<ReadRow>(readStatement, [id, asker])
  if (row === undefined) return undefined
  const { headers, encryption } = row
  const [body = null] = await bodies.open([row.body])
  const bulk = bulkOf(row)
  if (body === null) return { bulk, answer: undefined }
  const relay = headers === null ? { body } : { body, headers }
  return { bulk, answer: { relay, encryption: encryption ?? undefined } }
}
