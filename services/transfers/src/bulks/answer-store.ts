/**
 * The payee FSP's messages about a bulk: those that are being read, those that are taken, and which open
 * items they concern.
 */
import type { Relay } from '@causeway/events'
import type { Bodies } from '@causeway/keys/months'
import { statement, textArray, type Database } from '@causeway/postgres'
import type { AwaitedBulkAnswerOutcome } from '@causeway/protos'
import { hashBytes } from '../row.ts'
import type { LastWord } from './domain/bulk.ts'

/** A message of the payee FSP that is to be taken. */
export interface TakenAnswer {
  readonly bulkTransferId: string
  readonly eventId: string
  readonly kind: 'FULFIL' | 'REJECT'
  /** ISO 8601 UTC: when the hub had it. */
  readonly receivedAt: string
  readonly relay: Relay | undefined
  /** There when no other content is taken after it. */
  readonly lastWord: LastWord | undefined
}

/** An answer of a payee FSP that is being read. */
export interface Arrival {
  readonly bulkTransferId: string
  readonly payeeFsp: string
  /** ISO 8601 UTC: when the hub had it. */
  readonly receivedAt: string
  /** Until then no item of the bulk expires. */
  readonly until: Date
}

export interface AnswerTables {
  /**
   * Holds back the items of the bulk for an answer that is being read. NOT_AWAITED: it changes nothing,
   * because the bulk is final or another FSP's, or the answer came after its expiration.
   */
  awaitAnswer(arrival: Arrival): Promise<AwaitedBulkAnswerOutcome>
  /** Those of the ids that are items of the bulk and open, in their order. */
  openItems(bulkTransferId: string, transferIds: readonly string[]): Promise<readonly string[]>
  /**
   * Takes the message unless the bulk is final or has another last word; whether it is taken. The last word
   * is stored, and any other message, also a repetition, as far as the bytes of a bulk permit.
   */
  take(answer: TakenAnswer): Promise<boolean>
}

/** Of the messages of the payee FSP that are stored beside its last word; others take effect all the same. */
const others_bytes_max = 16 * 2 ** 20

const awaitStatement = statement(`
  with awaited as (
    update bulk_transfers
    set answer_awaited_until = greatest(answer_awaited_until, $4::timestamptz)
    where id = $1::text and payee_fsp = $2::text and expires_at >= $3::timestamptz
      and completed_at is null
    returning id
  )
  select case when exists (select from awaited) then 'AWAITED'
    when exists (select from bulk_transfers where id = $1::text) then 'NOT_AWAITED'
    else 'UNKNOWN' end as outcome`)

const openItemsStatement = statement(`
  select t.id from unnest($2::text[]) as a (id) join transfers t using (id)
  where t.bulk_id = $1::text and t.sweep_at is not null`)

const takeStatement = statement(`
  with taken as (
    update bulk_transfers set state = 'PROCESSING',
      answer_event_id = coalesce(answer_event_id, $5::uuid),
      answer_hash = coalesce(answer_hash, $6::bytea),
      answer_refuses = coalesce(answer_refuses, $7::boolean),
      answer_error = case when answer_hash is null then $8::text else answer_error end,
      payee_version = coalesce(payee_version, $9::text)
    where id = $1::text and completed_at is null and left_out is not null
      and (answer_hash is null or answer_hash = $6::bytea)
    returning id, month, answer_event_id
  ), kept as (
    insert into bulk_messages (month, bulk_id, kind, event_id, body, headers, received_at)
    select month, id, $2::text, $3::uuid, $10::bytea, $11::bytea, $4::timestamptz
    from taken where $10::bytea is not null and (answer_event_id = $3::uuid or (
      select coalesce(sum(octet_length(m.body)), 0) + octet_length($10::bytea) from bulk_messages m
      where m.bulk_id = taken.id and m.month = taken.month and m.kind <> 'PREPARE'
    ) <= ${others_bytes_max})
    on conflict do nothing
  )
  select id from taken`)

export function openAnswerTables(db: Database, bodies: Bodies): AnswerTables {
  return {
    async awaitAnswer({ bulkTransferId, payeeFsp, receivedAt, until }) {
      const values = [bulkTransferId, payeeFsp, receivedAt, until]
      const [row] = await db.query<{ outcome: AwaitedBulkAnswerOutcome }>(awaitStatement, values)
      return row?.outcome ?? 'UNKNOWN'
    },
    async openItems(bulkTransferId, transferIds) {
      const rows = await db.query<{ id: string }>(openItemsStatement, [
        bulkTransferId,
        textArray(transferIds),
      ])
      const open = new Set(rows.map(({ id }) => id))
      return transferIds.filter((id) => open.has(id))
    },
    async take(answer) {
      const rows = await db.query(takeStatement, answerValues(answer, bodies))
      return rows.length > 0
    },
  }
}

function answerValues(answer: TakenAnswer, bodies: Bodies): (Buffer | boolean | string | null)[] {
  const { bulkTransferId, kind, eventId, receivedAt, lastWord, relay } = answer
  return [
    bulkTransferId,
    kind,
    eventId,
    receivedAt,
    lastWord?.eventId ?? null,
    lastWord === undefined ? null : hashBytes(lastWord.hash),
    lastWord?.refuses ?? null,
    lastWord?.error === undefined ? null : JSON.stringify(lastWord.error),
    lastWord?.version ?? null,
    bodies.seal(relay?.body ?? null, new Date()),
    relay?.headers ?? null,
  ]
}
