/** The transfers that do not expire, with the dead letter that is the reason. */
import { statement, type Database } from '@causeway/postgres'

export interface HeldBack {
  readonly transferId: string
  readonly letterId: string
  /** The event of the dead letter; '' when it names none. */
  readonly event: string
  readonly reason: string
}

const insertHeld = statement(`
  insert into held_back (transfer_id, letter_id, event, reason) values ($1, $2, $3, $4)
  on conflict (transfer_id, letter_id) do nothing`)

export async function hold(db: Database, held: HeldBack): Promise<void> {
  const { transferId, letterId, event, reason } = held
  // Text in PostgreSQL is without U+0000, and the message of an error is made of anything.
  await db.query(insertHeld, [transferId, letterId, event, reason.replaceAll('\0', '')])
}

const deleteHeld = statement(`delete from held_back where transfer_id = $1 and letter_id = $2`)

export async function release(db: Database, transferId: string, letterId: string): Promise<void> {
  await db.query(deleteHeld, [transferId, letterId])
}

const selectCount = statement(`
  select count(distinct transfer_id)::integer as held from held_back`)

/** How many transfers are held back. */
export async function countHeld(db: Database): Promise<number> {
  const [row] = await db.query<{ held: number }>(selectCount, [])
  return row?.held ?? 0
}
