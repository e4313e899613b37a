/** What must be right about a bulk: each item as the payee FSP has answered it, or void. */
import { isFunded, isRegistered } from './model.ts'
import type { BulkRecord } from './bulks.ts'
import { isAccepted } from './record.ts'
import { mayBeOff, type Off } from './switches.ts'

/** @param ledgerOutcomes by the id of the item */
export function judgeBulk(
  record: BulkRecord,
  ledgerOutcomes: ReadonlyMap<string, string>,
  offs: readonly Off[],
): readonly string[] {
  const { id, prepare, outcomes, itemIds } = record
  if (!isAccepted(prepare)) return []
  const found: string[] = []
  const all = outcomes.map((outcome) => itemIds.map((item) => outcome.get(item) ?? false).join())
  if (new Set(all).size > 1) found.push(`the bulk ${id} ended as ${all.join(' and ')}`)
  const committed = committedItems(record)
  for (const [at, item] of itemIds.entries()) {
    const isCommitted = committed.has(item)
    const right = endsOfItem(record, at, offs)
    if (!right.has(isCommitted)) {
      found.push(`item ${at} of the bulk ${id} is ${isCommitted ? 'committed' : 'not committed'}`)
    }
    const outcome = ledgerOutcomes.get(item) ?? 'nothing'
    if ((outcome === 'POSTED') !== isCommitted || outcome === 'RESERVED') {
      found.push(`item ${at} of the bulk ${id}: ${isCommitted}, and the ledger holds ${outcome}`)
    }
  }
  return found
}

/** As the payer FSP has learned. */
export function committedItems({ outcomes }: BulkRecord): ReadonlySet<string> {
  const items = outcomes.flatMap((outcome) => [...outcome])
  return new Set(items.filter(([, isCommitted]) => isCommitted).map(([id]) => id))
}

/** Whether it may be committed, and whether it may be void. */
function endsOfItem(
  { planned: { payer, payee, speaks, items }, prepare, answered, expires_ms }: BulkRecord,
  at: number,
  offs: readonly Off[],
): ReadonlySet<boolean> {
  const isFulfilled = speaks !== 'REJECT' && items[at] === 'FULFIL'
  if (!isFunded(payer) || !isRegistered(payee) || !isFulfilled || answered === undefined) {
    return new Set([false])
  }
  const ends = new Set(answered.received_ms.map((ms) => ms < expires_ms))
  const from_ms = Math.min(...prepare.received_ms)
  // Each item is decided by itself.
  return mayBeOff({ payer, payee, from_ms, to_ms: Infinity }, offs) ? ends.add(false) : ends
}
