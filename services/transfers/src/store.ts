/**
 * The transfers that are stored. An id is claimed once, a final row never changes, and the events of
 * a change is written in the transaction of the change.
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
import type { AbortReason, TransferState } from '@causeway/protos'
import { stepsOf } from './bulks/domain/progress.ts'
import { advance, type EndedBulk } from './bulks/store.ts'
import type { Claimed, Final, Open, OpenState, Transfer } from './domain/transfer.ts'
import { storeRefused, type RefusedMessage } from './records/record-store.ts'
import { rememberReserved } from './reserved.ts'
import {
  columns,
  finalColumns,
  hashBytes,
  transferOf,
  type FinalColumns,
  type TransferRow,
} from './row.ts'

export interface Claim {
  readonly transfer: Claimed & Open
  readonly sweepAt: Date
  readonly relay: Relay | undefined
}

/** A row that is to move, if it is still open. */
export interface TransferMove {
  readonly transfer: Claimed & (Open | Final)
  /** Whether it moves from RESERVED as well as from RECEIVED. */
  readonly fromReserved: boolean
  readonly windowId: number | undefined
  /** The payee FSP's message that ended it, where it is at hand. */
  readonly message: StoredMessage | undefined
}

export interface StoredMessage {
  readonly kind: 'FULFIL' | 'REJECT'
  readonly eventId: string
  /** ISO 8601 UTC: when the hub had it. */
  readonly receivedAt: string
  readonly relay: Relay
}

export interface Movement {
  /** The state from which each of them moved. */
  readonly moved: ReadonlyMap<string, OpenState>
  /** The rows of the others as they are. */
  readonly unmoved: ReadonlyMap<string, Transfer>
  /** The bulks of which they leave no item open. */
  readonly ended: readonly EndedBulk[]
}

/** Items of bulks, or all other transfers: each expires by the messages about its kind. */
export type Swept = 'singles' | 'items'

export interface TransferTables {
  /** Stores new ids as RECEIVED with their requests; the ids that were new. */
  claim(claims: readonly Claim[], now: Date): Promise<ReadonlySet<string>>
  read(ids: readonly string[]): Promise<ReadonlyMap<string, Transfer>>
  /** The payers' requests as received; of an item, that of its bulk. */
  requests(transferIds: readonly string[]): Promise<ReadonlyMap<string, Relay>>
  /** Moves the rows that are still open and announces the events that `buildEvents` builds, or does neither. */
  move(
    changes: readonly TransferMove[],
    now: Date,
    buildEvents: (movement: Movement) => readonly OutgoingMessage[],
  ): Promise<Movement>
  /**
   * Open transfers that are due, neither held back nor items whose bulk awaits an answer; no other process
   * gets them before `claimed_ms` have passed.
   */
  takeDue(which: Swept, now: Date, claimed_ms: number, limit: number): Promise<readonly Transfer[]>
  sweepAgain(again: readonly { readonly transferId: string; readonly at: Date }[]): Promise<void>
  /**
   * Open transfers that expired before that moment, none of them held back or an item whose bulk awaits an
   * answer; all of them are due or about to be.
   */
  openSince(
    which: Swept,
    expiredBefore: Date,
    dueBefore: Date,
    limit: number,
  ): Promise<readonly Transfer[]>
  /**
   * Milliseconds for which the longest overdue open transfer is past its expiry; 0 when none is. One
   * that a sweeper has claimed for `claimed_ms` counts as well.
   */
  overdue_ms(now: Date, claimed_ms: number): Promise<number>
  /** Keeps messages that changed nothing, once each. */
  storeRefused(refusals: readonly RefusedMessage[], now: Date): Promise<void>
  states(ids: readonly string[]): Promise<readonly StateRow[]>
  page(afterId: string, limit: number): Promise<readonly StateRow[]>
  ensurePartitions(now: Date): Promise<void>
}

export interface TransferStore extends TransferTables {
  /** The same as `read`, but what is shown as RESERVED may be final by now. */
  lastSeen(ids: readonly string[]): Promise<ReadonlyMap<string, Transfer>>
}

export interface StateRow {
  readonly id: string
  readonly state: TransferState
  readonly reason: AbortReason | null
  readonly expires_at: Date
  readonly payer_fsp: string
  readonly payee_fsp: string
  readonly amount: string
  readonly currency: string
  readonly fulfilment: string | null
  readonly condition: string
  readonly window_id: number | null
  readonly completed_at: Date | null
}

const claimStatement = statement(`
  with asked as materialized (
    select * from unnest($1::text[], $2::bytea[], $3::text[], $4::text[], $5::text[]::numeric[],
      $6::text[], $7::text[]::timestamptz[], $8::text[], $9::text[]::integer[], $10::text[],
      $11::text[], $12::text[]::uuid[], $13::text[]::timestamptz[], $14::text[]::timestamptz[],
      $15::bytea[], $16::bytea[])
    as a (id, request_hash, payer_fsp, payee_fsp, amount, currency, expires_at, condition,
      settlement_model_id, settles, payer_version, prepare_event_id, received_at, sweep_at, body,
      headers)
  ), claimed as (
    insert into transfers (id, request_hash, month, payer_fsp, payee_fsp, amount, currency,
      expires_at, condition, settlement_model_id, settles, payer_version, prepare_event_id,
      received_at, state, sweep_at)
    select id, request_hash, $17::date, payer_fsp, payee_fsp, amount, currency, expires_at, condition,
      settlement_model_id, settles, payer_version, prepare_event_id, received_at, 'RECEIVED', sweep_at
    from asked order by id
    on conflict (id) do nothing
    returning id
  ), kept as (
    insert into messages (month, transfer_id, kind, event_id, body, headers)
    select $17::date, id, 'PREPARE', prepare_event_id, body, headers
    from claimed join asked using (id) where body is not null
  )
  select id from claimed`)

const readStatement = statement(`
  select ${columns} from unnest($1::text[]) as a (id) join transfers t using (id)`)

const requestsStatement = statement(`
  select m.transfer_id, m.body, m.headers from messages m
  join transfers t on t.id = m.transfer_id and t.month = m.month
  where m.transfer_id = any ($1::text[]) and m.kind = 'PREPARE'
  union all
  select t.id, m.body, m.headers from transfers t
  join bulk_messages m on m.bulk_id = t.bulk_id and m.month = t.month
    and m.event_id = t.prepare_event_id
  where t.id = any ($1::text[]) and t.bulk_id is not null`)

// One look into the index for each row, locked in their order: as a join it would be planned as a scan
// while the table is new and small, and stay one while it grows.
const moveStatement = statement(`
  with asked as materialized (
    select * from unnest($1::text[], $2::text[], $3::text[]::boolean[], $4::text[], $5::text[],
      $6::text[], $7::text[], $8::text[]::uuid[], $9::bytea[], $10::text[], $11::text[]::integer[],
      $12::text[], $13::text[]::uuid[], $14::bytea[], $15::bytea[], $17::text[]::timestamptz[],
      $18::text[])
    as a (id, state, from_reserved, reason, error, fulfilment, completed_timestamp, outcome_event_id,
      outcome_hash, payee_version, window_id, kind, event_id, body, headers, received_at,
      extension_list)
  ), found as materialized (
    select t.id, t.state from (select id, from_reserved from asked order by id) a
    cross join lateral (select id, state from transfers where id = a.id for update) t
    where t.state = 'RECEIVED' or (t.state = 'RESERVED' and a.from_reserved)
  ), moved as (
    update transfers t set state = asked.state, reason = asked.reason, error = asked.error,
      fulfilment = asked.fulfilment, completed_timestamp = asked.completed_timestamp,
      outcome_event_id = asked.outcome_event_id, outcome_hash = asked.outcome_hash,
      payee_version = asked.payee_version, extension_list = asked.extension_list,
      window_id = asked.window_id,
      sweep_at = case asked.state when 'RESERVED' then t.sweep_at end,
      completed_at = case asked.state when 'RESERVED' then null else $16::timestamptz end
    from asked join found using (id)
    where t.id = found.id
    returning t.id, t.month, found.state as was
  ), kept as (
    insert into messages (month, transfer_id, kind, event_id, body, headers, received_at)
    select moved.month, id, kind, event_id, body, headers, received_at
    from moved join asked using (id) where kind is not null
  )
  select id, was from moved`)

/** `now` is that of the group whose messages the items are about. */
const isFree = (now: string) => `
  not exists (select from held_back where transfer_id in (t.id, t.bulk_id))
  and not exists (
    select from bulk_transfers b where b.id = t.bulk_id and b.answer_awaited_until > ${now})`

const takeDueStatement = statement(`
  with due as materialized (
    select id from transfers t
    where sweep_at <= $1::timestamptz and (bulk_id is not null) = $4::boolean
      and ${isFree('$1::timestamptz')}
    order by sweep_at limit $3::integer for update of t skip locked
  )
  update transfers t set sweep_at = $2::timestamptz from due where t.id = due.id
  returning ${columns}`)

// Locked in the order in which a move locks them, or the two could wait for each other.
const sweepAgainStatement = statement(`
  with found as materialized (
    select t.id, a.at
    from (select * from unnest($1::text[], $2::text[]::timestamptz[]) as a (id, at) order by id) a
    cross join lateral (
      select id from transfers where id = a.id and sweep_at is not null for update
    ) t
  )
  update transfers t set sweep_at = found.at from found where t.id = found.id`)

const openSinceStatement = statement(`
  select ${columns} from transfers t
  where sweep_at <= $2::timestamptz and expires_at <= $1::timestamptz
    and (bulk_id is not null) = $4::boolean and ${isFree('$1::timestamptz')}
  order by sweep_at limit $3::integer`)

const overdueStatement = statement(`
  select min(expires_at) as oldest from transfers where sweep_at <= $1::timestamptz`)

const stateColumns = `t.id, t.state, t.reason, t.expires_at, t.payer_fsp, t.payee_fsp, t.amount, t.currency,
  t.fulfilment, t.condition, t.window_id, t.completed_at`

const statesStatement = statement(`
  select ${stateColumns} from unnest($1::text[]) as a (id)
  join transfers t using (id)`)

const pageStatement = statement(`
  select ${stateColumns} from transfers t where id > $1::text collate "C"
  order by id limit $2::integer`)

const partitioned = ['messages', 'deliveries', 'refused_messages', 'bulk_messages']

export function openTransferStore(
  db: Database,
  bus: EventBus,
  bodies: Bodies = plainBodies,
): TransferStore {
  return rememberReserved(openTables(db, bus, bodies))
}

function openTables(db: Database, bus: EventBus, bodies: Bodies): TransferTables {
  return {
    async claim(claims, now) {
      if (claims.length === 0) return new Set()
      const rows = await db.query<{ id: string }>(claimStatement, claimValues(claims, now, bodies))
      return new Set(rows.map(({ id }) => id))
    },
    read: (ids) => readTransfers(db, ids),
    async requests(transferIds) {
      if (transferIds.length === 0) return new Map()
      interface Kept {
        readonly transfer_id: string
        readonly body: Buffer
        readonly headers: Buffer | null
      }
      const rows = await db.query<Kept>(requestsStatement, [textArray(transferIds)])
      const opened = await bodies.open(rows.map(({ body }) => body))
      return new Map(
        rows.flatMap(({ transfer_id, headers }, at) => {
          const body = opened[at] ?? null
          if (body === null) return []
          return [[transfer_id, headers === null ? { body } : { body, headers }]]
        }),
      )
    },
    move: (changes, now, buildEvents) =>
      db.transaction(async (tx) => {
        const movement = await move(tx, changes, now, bodies)
        bus.announce(tx, buildEvents(movement))
        return movement
      }),
    async takeDue(which, now, claimed_ms, limit) {
      const until = new Date(now.getTime() + claimed_ms)
      const values = [now, until, limit, which === 'items']
      return (await db.query<TransferRow>(takeDueStatement, values)).map(transferOf)
    },
    async sweepAgain(again) {
      if (again.length === 0) return
      await db.query(sweepAgainStatement, [
        textArray(again.map(({ transferId }) => transferId)),
        textArray(again.map(({ at }) => at.toISOString())),
      ])
    },
    async openSince(which, expiredBefore, dueBefore, limit) {
      const values = [expiredBefore, dueBefore, limit, which === 'items']
      return (await db.query<TransferRow>(openSinceStatement, values)).map(transferOf)
    },
    async overdue_ms(now, claimed_ms) {
      const dueBefore = new Date(now.getTime() + claimed_ms)
      const [row] = await db.query<{ oldest: Date | null }>(overdueStatement, [dueBefore])
      const oldest = row?.oldest ?? now
      return Math.max(0, now.getTime() - oldest.getTime())
    },
    storeRefused: (refusals, now) => storeRefused(db, refusals, now),
    states: (ids) => db.query<StateRow>(statesStatement, [textArray(ids)]),
    page: (afterId, limit) => db.query<StateRow>(pageStatement, [afterId, limit]),
    ensurePartitions: (now) => ensureMonthlyPartitions(db, partitioned, now),
  }
}

export async function readTransfers(
  db: Queries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Transfer>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<TransferRow>(readStatement, [textArray(ids)])
  return new Map(rows.map((row) => [row.id, transferOf(row)]))
}

async function move(
  tx: Queries,
  changes: readonly TransferMove[],
  now: Date,
  bodies: Bodies,
): Promise<Movement> {
  if (changes.length === 0) return { moved: new Map(), unmoved: new Map(), ended: [] }
  const rows = await tx.query<{ id: string; was: OpenState }>(
    moveStatement,
    changeValues(changes, now, bodies),
  )
  const moved = new Map(rows.map(({ id, was }) => [id, was]))
  const after = changes.map(({ transfer }) => transfer)
  const others = after.map(({ transferId }) => transferId).filter((id) => !moved.has(id))
  const unmoved = await readTransfers(tx, others)
  const ended = await advance(tx, stepsOf(moved, after), now, readTransfers)
  return { moved, unmoved, ended }
}

function claimValues(claims: readonly Claim[], now: Date, bodies: Bodies): (Buffer | string)[] {
  const texts = (of: (terms: Claimed, claim: Claim) => string | null): Buffer =>
    textArray(claims.map((claim) => of(claim.transfer, claim)))
  return [
    texts(({ transferId }) => transferId),
    byteaArray(claims.map(({ transfer }) => hashBytes(transfer.requestHash))),
    texts(({ payerFsp }) => payerFsp),
    texts(({ payeeFsp }) => payeeFsp),
    texts(({ amount }) => String(amount)),
    texts(({ currency }) => currency),
    texts(({ expiresAt }) => expiresAt),
    texts(({ condition }) => condition),
    texts(({ allocation }) =>
      allocation === undefined ? null : String(allocation.settlementModelId),
    ),
    texts(({ allocation }) => allocation?.settles ?? null),
    texts(({ payerVersion }) => payerVersion),
    texts(({ prepareEventId }) => prepareEventId),
    texts(({ receivedAt }) => receivedAt),
    texts((_terms, { sweepAt }) => sweepAt.toISOString()),
    byteaArray(claims.map(({ relay }) => bodies.seal(relay?.body ?? null, now))),
    byteaArray(claims.map(({ relay }) => relay?.headers ?? null)),
    monthOf(now),
  ]
}

function changeValues(
  changes: readonly TransferMove[],
  now: Date,
  bodies: Bodies,
): (Buffer | Date)[] {
  const ends = changes.map((change) => ({ ...change, end: finalColumns(change.transfer) }))
  const texts = (of: (end: FinalColumns, change: TransferMove) => string | null): Buffer =>
    textArray(ends.map((change) => of(change.end, change)))
  const messages = changes.map(({ message }) => message)
  return [
    texts((_end, { transfer }) => transfer.transferId),
    texts((_end, { transfer }) => transfer.state),
    texts((_end, { fromReserved }) => String(fromReserved)),
    texts(({ reason }) => reason),
    texts(({ error }) => error),
    texts(({ fulfilment }) => fulfilment),
    texts(({ completedTimestamp }) => completedTimestamp),
    texts(({ outcomeEventId }) => outcomeEventId),
    byteaArray(ends.map(({ end }) => end.outcomeHash)),
    texts(({ payeeVersion }) => payeeVersion),
    texts((_end, { windowId }) => (windowId === undefined ? null : String(windowId))),
    textArray(messages.map((message) => message?.kind ?? null)),
    textArray(messages.map((message) => message?.eventId ?? null)),
    byteaArray(messages.map((message) => bodies.seal(message?.relay.body ?? null, now))),
    byteaArray(messages.map((message) => message?.relay.headers ?? null)),
    now,
    textArray(messages.map((message) => message?.receivedAt ?? null)),
    texts(({ extensionList }) => extensionList),
  ]
}
