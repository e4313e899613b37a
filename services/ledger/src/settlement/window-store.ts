/** The current settlement window, its nets, and its rotations. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'

/** The net of one account under one model in a closed window. */
export interface WindowNet {
  readonly modelId: number
  readonly accountId: number
  readonly participant: string
  readonly participantId: number
  readonly currency: string
  /** Payer's side plus, payee's side minus. */
  readonly net: bigint
  readonly transfersCount: bigint
}

export interface Rotation {
  readonly requestId: string
  readonly windowId: number
  readonly nextWindowId: number
}

const findRotation = statement(`
  select request_id, window_id, next_window_id from window_rotations where request_id = $1`)

export async function rotationOf(tx: Queries, requestId: string): Promise<Rotation | undefined> {
  const [row] = await tx.query<{ window_id: number; next_window_id: number }>(findRotation, [
    requestId,
  ])
  return row && { requestId, windowId: row.window_id, nextWindowId: row.next_window_id }
}

const findNext = statement('select next_window_id from window_rotations where window_id = $1')

/** The window that came after this one; undefined when it was never rotated. */
export async function nextWindowOf(tx: Queries, windowId: number): Promise<number | undefined> {
  const [row] = await tx.query<{ next_window_id: number }>(findNext, [windowId])
  return row?.next_window_id
}

const findWindow = statement('select window_id from current_window where is_current')

/** The current window, read without a lock. */
export async function currentWindow(db: Queries): Promise<number> {
  const [row] = await db.query<{ window_id: number }>(findWindow, [])
  if (row === undefined) throw new Error('the ledger has no current window')
  return row.window_id
}

const lockWindow = statement(`select window_id from current_window where is_current for update`)

export async function lockCurrentWindow(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ window_id: number }>(lockWindow, [])
  if (row === undefined) throw new Error('the ledger has no current window')
  return row.window_id
}

const listNets = statement(`
  select net.model_id, net.account_id, participants.id, participants.name, accounts.currency, net.net,
    net.transfers_count
  from window_net net
  join accounts on accounts.id = net.account_id
  join participants on participants.id = accounts.participant_id
  where net.window_id = $1
  order by net.model_id, net.account_id`)

interface NetRow {
  readonly model_id: number
  readonly account_id: number
  readonly id: number
  readonly name: string
  readonly currency: string
  readonly net: string
  readonly transfers_count: string
}

export async function netsOf(tx: Queries, windowId: number): Promise<readonly WindowNet[]> {
  const rows = await tx.query<NetRow>(listNets, [windowId])
  return rows.map((row) => ({
    modelId: row.model_id,
    accountId: row.account_id,
    participant: row.name,
    participantId: row.id,
    currency: row.currency,
    net: BigInt(row.net),
    transfersCount: BigInt(row.transfers_count),
  }))
}

const rotate = statement(`
  with switched as (update current_window set window_id = $3 where is_current)
  insert into window_rotations (request_id, window_id, next_window_id, rotated_at)
  values ($1, $2, $3, clock_timestamp())`)

/** Later posts are stamped with the next window. */
export async function saveRotation(
  tx: Transaction,
  { requestId, windowId, nextWindowId }: Rotation,
): Promise<void> {
  await tx.query(rotate, [requestId, windowId, nextWindowId])
}
