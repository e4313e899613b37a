/**
 * The bulks that are stored, all SQL of them. An id is claimed once, together with all of its items; the
 * items that move are counted in the transaction that moves them, and the one that leaves none open ends
 * the bulk.
 */
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import type { Relay } from '@causeway/events'
import { plainBodies, type Bodies } from '@causeway/keys/months'
import {
  monthOf,
  statement,
  textArray,
  type Database,
  type Queries,
  type Transaction,
} from '@causeway/postgres'
import { isOpen, type Claimed, type Open, type Transfer } from '../domain/transfer.ts'
import { hashBytes } from '../row.ts'
import {
  itemsOf,
  leftOutOf,
  type Bulk,
  type BulkRequest,
  type CommonReason,
  type BulkItem,
} from './domain/bulk.ts'
import { endOf, type MovedItems } from './domain/progress.ts'
import { openAnswerTables, type AnswerTables } from './answer-store.ts'
import { bulkColumns, bulkOf, type BulkRow } from './row.ts'

export interface BulkClaim {
  readonly request: BulkRequest
  /** One for each id of the request, in the state RECEIVED; none when the bulk is refused. */
  readonly transfers: readonly (Claimed & Open)[]
  readonly sweepAt: Date
  readonly relay: Relay | undefined
  /** There when the bulk ends with its claim, and none of its items is claimed. */
  readonly refusal: CommonReason | undefined
}

/** A bulk of which every item is final. */
export interface EndedBulk {
  readonly bulk: Bulk
  readonly items: readonly BulkItem[]
}

export interface ClaimedBulk {
  /** The ids of its items that were new: they are RECEIVED. */
  readonly transferIds: ReadonlySet<string>
  /** There when none was. */
  readonly ended: EndedBulk | undefined
}

export interface BulkTables extends AnswerTables {
  /** Stores the bulk with all items whose ids are new; undefined when the id of the bulk is not. */
  claim(
    claim: BulkClaim,
    now: Date,
    announce: (claimed: ClaimedBulk) => readonly OutgoingMessage[],
  ): Promise<ClaimedBulk | undefined>
  read(bulkTransferId: string): Promise<Bulk | undefined>
  /** The payer FSP's request as received; undefined when it is archived or erased. */
  request(bulkTransferId: string): Promise<Relay | undefined>
  /**
   * The payee FSP is to be asked for what is reserved: announces what `buildEvents` makes of the bulk, once. Does
   * nothing while items are undecided, or when none is open.
   */
  accept(
    bulkTransferId: string,
    buildEvents: (bulk: Bulk) => readonly OutgoingMessage[],
  ): Promise<void>
  /**
   * The ids of bulks that expired before that moment and whose items are all final though they are not
   * counted so, by a fault of this service or of a person who changed rows. The longest expired come first.
   */
  miscounted(expiredBefore: Date): Promise<readonly string[]>
  /** Ends one of them by what its items are; false when it has ended, or was counted, meanwhile. */
  endMiscounted(
    bulkTransferId: string,
    now: Date,
    buildEvents: (ended: EndedBulk) => readonly OutgoingMessage[],
  ): Promise<boolean>
  /** Announces what changes nothing. */
  announce(messages: readonly OutgoingMessage[]): Promise<void>
}

/** How the transfers of these ids are read in the same transaction. */
export type ReadTransfers = (
  db: Queries,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, Transfer>>

/** Bulks that one comparison ends. */
const miscounted_max = 20

const claimStatement = statement(`
  with bulk as (
    insert into bulk_transfers (id, request_hash, month, bulk_quote_id, payer_fsp, payee_fsp,
      expires_at, payer_version, prepare_event_id, received_at, transfer_ids, undecided_count,
      open_count, state)
    values ($1::text, $2::bytea, $3::date, $4::text, $5::text, $6::text, $7::timestamptz, $8::text,
      $9::uuid, $10::timestamptz, $11::text[], cardinality($11::text[]), cardinality($11::text[]),
      'RECEIVED')
    on conflict (id) do nothing
    returning id
  ), kept as (
    insert into bulk_messages (month, bulk_id, kind, event_id, body, headers, received_at)
    select $3::date, id, 'PREPARE', $9::uuid, $12::bytea, $13::bytea, $10::timestamptz
    from bulk where $12::bytea is not null
  ), claimed as (
    insert into transfers (id, request_hash, month, payer_fsp, payee_fsp, amount, currency,
      expires_at, condition, settlement_model_id, settles, payer_version, prepare_event_id,
      received_at, state, sweep_at, bulk_id)
    select a.id, $2::bytea, $3::date, $5::text, $6::text, a.amount, a.currency, $7::timestamptz,
      a.condition, a.settlement_model_id, a.settles, $8::text, $9::uuid, $10::timestamptz,
      'RECEIVED', $14::timestamptz, bulk.id
    from bulk cross join unnest($15::text[], $16::text[]::numeric[], $17::text[], $18::text[],
      $19::text[]::integer[], $20::text[])
      as a (id, amount, currency, condition, settlement_model_id, settles)
    order by a.id
    on conflict (id) do nothing
    returning id
  )
  select (select count(*) from bulk)::integer as bulks,
    array_to_string(array(select id from claimed), ' ') as transfer_ids`)

const readStatement = statement(`
  select ${bulkColumns} from bulk_transfers b where b.id = $1::text`)

const lockStatement = statement(`
  select ${bulkColumns} from bulk_transfers b where b.id = $1::text for update`)

const requestStatement = statement(`
  select m.body, m.headers from bulk_transfers b
  join bulk_messages m on m.bulk_id = b.id and m.event_id = b.prepare_event_id and m.month = b.month
  where b.id = $1::text`)

// The bulks are locked in the order of their ids, after all transfers that the transaction has locked.
const countStatement = statement(`
  with asked as materialized (
    select * from unnest($1::text[], $2::text[]::integer[], $3::text[]::integer[],
      $4::text[]::integer[]) as a (id, decided, ended, committed)
  ), found as materialized (
    select a.* from (select * from asked order by id) a
    cross join lateral (select id from bulk_transfers where id = a.id for update) b
  )
  update bulk_transfers b set undecided_count = undecided_count - found.decided,
    open_count = open_count - found.ended, committed_count = committed_count + found.committed,
    state = case state when 'RECEIVED' then 'PENDING' else state end
  from found where b.id = found.id
  returning b.id, b.open_count`)

const acceptStatement = statement(`
  update bulk_transfers set state = 'ACCEPTED', left_out = $2::text[]::integer[]
  where id = $1::text`)

const miscountedStatement = statement(`
  select b.id from bulk_transfers b
  where b.completed_at is null and b.expires_at <= $1::timestamptz and not exists (
    select from transfers t
    where t.id = any (b.transfer_ids) and t.bulk_id = b.id and t.sweep_at is not null)
  order by b.expires_at limit ${miscounted_max}`)

const recountStatement = statement(`
  update bulk_transfers set undecided_count = 0, open_count = 0, committed_count = $2::integer
  where id = $1::text`)

const endStatement = statement(`
  update bulk_transfers set state = $2::text, reason = $3::text, completed_at = $4::timestamptz
  where id = $1::text`)

export function openBulkStore(
  db: Database,
  bus: EventBus,
  read: ReadTransfers,
  bodies: Bodies = plainBodies,
): BulkTables {
  return {
    ...openAnswerTables(db, bodies),
    claim: (claim, now, buildEvents) =>
      db.transaction(async (tx) => {
        const { request, refusal } = claim
        const [row] = await tx.query<{ bulks: number; transfer_ids: string }>(
          claimStatement,
          claimValues(claim, now, bodies),
        )
        if (row?.bulks !== 1) return undefined
        const transferIds = new Set(row.transfer_ids === '' ? [] : row.transfer_ids.split(' '))
        const used = request.transferIds.length - transferIds.size
        const { bulkTransferId } = request
        const step = { bulkTransferId, decided: used, ended: used, committed: 0 }
        const [ended] = used === 0 ? [] : await advance(tx, [step], now, read, refusal)
        const claimed = { transferIds, ended }
        bus.announce(tx, buildEvents(claimed))
        return claimed
      }),
    async read(bulkTransferId) {
      const [row] = await db.query<BulkRow>(readStatement, [bulkTransferId])
      return row === undefined ? undefined : bulkOf(row)
    },
    request: (bulkTransferId) => readRequest(db, bodies, bulkTransferId),
    accept: (bulkTransferId, buildEvents) =>
      db.transaction(async (tx) => {
        const [row] = await tx.query<BulkRow>(lockStatement, [bulkTransferId])
        if (row === undefined) return
        const bulk = bulkOf(row)
        const { undecided, open, items } = bulk.counts
        if (undecided > 0 || open === 0 || bulk.leftOut !== undefined) return
        const leftOut =
          open === items ? [] : leftOutOf(itemsOf(bulk, await read(tx, bulk.transferIds)))
        await tx.query(acceptStatement, [bulkTransferId, textArray(leftOut.map(String))])
        bus.announce(tx, buildEvents({ ...bulk, state: 'ACCEPTED', leftOut }))
      }),
    async miscounted(expiredBefore) {
      const rows = await db.query<{ id: string }>(miscountedStatement, [expiredBefore])
      return rows.map(({ id }) => id)
    },
    endMiscounted: (id, now, buildEvents) =>
      db.transaction((tx) => endMiscounted(tx, id, now, { bus, read, buildEvents })),
    announce: (messages) =>
      db.transaction((tx) => {
        bus.announce(tx, messages)
        return Promise.resolve()
      }),
  }
}

async function readRequest(db: Queries, bodies: Bodies, id: string): Promise<Relay | undefined> {
  interface Kept {
    readonly body: Buffer
    readonly headers: Buffer | null
  }
  const [row] = await db.query<Kept>(requestStatement, [id])
  const [body = null] = await bodies.open([row?.body ?? null])
  if (row === undefined || body === null) return undefined
  return row.headers === null ? { body } : { body, headers: row.headers }
}

/** Counts what the transaction has moved, and ends the bulks of which it leaves no item open. */
export async function advance(
  tx: Queries,
  steps: readonly MovedItems[],
  now: Date,
  read: ReadTransfers,
  refusal?: CommonReason,
): Promise<readonly EndedBulk[]> {
  if (steps.length === 0) return []
  const counts = (of: (step: MovedItems) => number): Buffer =>
    textArray(steps.map((step) => String(of(step))))
  const rows = await tx.query<{ id: string; open_count: number }>(countStatement, [
    textArray(steps.map(({ bulkTransferId }) => bulkTransferId)),
    counts(({ decided }) => decided),
    counts(({ ended }) => ended),
    counts(({ committed }) => committed),
  ])
  const ended: EndedBulk[] = []
  for (const { id, open_count } of rows) {
    if (open_count === 0) ended.push(await end(tx, id, now, read, refusal))
  }
  return ended
}

interface BulkEndParts {
  readonly bus: EventBus
  readonly read: ReadTransfers
  readonly buildEvents: (ended: EndedBulk) => readonly OutgoingMessage[]
}

/** False when it has been ended, or counted, meanwhile. */
async function endMiscounted(
  tx: Transaction,
  id: string,
  now: Date,
  { bus, read, buildEvents }: BulkEndParts,
): Promise<boolean> {
  const [row] = await tx.query<BulkRow>(lockStatement, [id])
  if (row === undefined || row.completed_at !== null) return false
  const bulk = bulkOf(row)
  const transfers = itemsOf(bulk, await read(tx, bulk.transferIds)).map(({ transfer }) => transfer)
  if (transfers.some((transfer) => transfer !== undefined && isOpen(transfer))) return false
  const committed = transfers.filter((transfer) => transfer?.state === 'COMMITTED').length
  await tx.query(recountStatement, [id, committed])
  bus.announce(tx, buildEvents(await end(tx, id, now, read)))
  return true
}

async function end(
  tx: Queries,
  id: string,
  now: Date,
  read: ReadTransfers,
  refusal?: CommonReason,
): Promise<EndedBulk> {
  const [row] = await tx.query<BulkRow>(readStatement, [id])
  if (row === undefined) throw new Error(`the bulk ${id} was counted, but is not stored`)
  const open = bulkOf(row)
  const items = itemsOf(open, await read(tx, open.transferIds))
  const bulkEnd = endOf(open, items, now.toISOString(), refusal)
  await tx.query(endStatement, [id, bulkEnd.state, bulkEnd.reason ?? null, now])
  return { bulk: { ...open, state: bulkEnd.state, end: bulkEnd }, items }
}

function claimValues(
  { request, transfers, sweepAt, relay }: BulkClaim,
  now: Date,
  bodies: Bodies,
): (Buffer | Date | string | null)[] {
  const texts = (of: (transfer: Claimed) => string | null): Buffer => textArray(transfers.map(of))
  return [
    request.bulkTransferId,
    hashBytes(request.requestHash),
    monthOf(now),
    request.bulkQuoteId,
    request.payerFsp,
    request.payeeFsp,
    request.expiresAt,
    request.payerVersion,
    request.prepareEventId,
    request.receivedAt,
    textArray(request.transferIds),
    bodies.seal(relay?.body ?? null, now),
    relay?.headers ?? null,
    sweepAt,
    texts(({ transferId }) => transferId),
    texts(({ amount }) => String(amount)),
    texts(({ currency }) => currency),
    texts(({ condition }) => condition),
    texts(({ allocation }) =>
      allocation === undefined ? null : String(allocation.settlementModelId),
    ),
    texts(({ allocation }) => allocation?.settles ?? null),
  ]
}
