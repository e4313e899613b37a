/** What must be right about a bulk: each item as the payee FSP has answered it, or void. */
import { resultOf, type BulkOutcome } from '../bulk-messages.ts'
import type { BulkRecord } from '../bulks.ts'
import { fitsBulk, isSameList } from '../plan/lists.ts'
import { refusedByPayee } from '../messages.ts'
import { isFunded, isRegistered } from './model.ts'
import { isAccepted } from '../record.ts'
import { mayBeOff, type Switched } from '../switches.ts'

/** @param ledgerOutcomes by the id of the item */
export function judgeBulk(
  record: BulkRecord,
  ledgerOutcomes: ReadonlyMap<string, string>,
  switched: readonly Switched[],
): readonly string[] {
  const { id, prepare, outcomes, itemIds } = record
  if (!isAccepted(prepare)) return []
  const found = [...record.wrong, ...judgeOutcomes(record)]
  const all = outcomes.map((outcome) => [...paidIn(outcome)].join())
  if (new Set(all).size > 1) found.push(`the bulk ${id} ended as ${all.join(' and ')}`)
  const committed = committedItems(record)
  for (const [at, item] of itemIds.entries()) {
    const isCommitted = committed.has(item)
    const right = endsOfItem(record, at, switched)
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
  return new Set(outcomes.flatMap(paidIn))
}

function paidIn(outcome: BulkOutcome): readonly string[] {
  if (outcome === 'REFUSED') return []
  return outcome.flatMap(({ transferId, fulfilment }) =>
    fulfilment === undefined ? [] : [transferId],
  )
}

/**
 * There is one result for each item, in the order of the request; the second one with an id is an error, and
 * so is not paid. Both FSPs learn the same, the payee FSP of what it was asked for.
 */
function judgeOutcomes(record: BulkRecord): readonly string[] {
  const { id, outcomes, payeeOutcomes, requested, itemIds } = record
  const found: string[] = []
  for (const outcome of outcomes) {
    if (outcome === 'REFUSED') continue
    const ids = outcome.map(({ transferId }) => transferId)
    if (ids.join() !== requested.join()) found.push(`the bulk ${id} ended with other items`)
    const again = outcome.slice(itemIds.length)
    for (const { transferId, fulfilment } of again) {
      if (fulfilment !== undefined) found.push(`${transferId} is reported as paid twice`)
    }
    found.push(...wrongLists(record, outcome))
  }
  const committed = committedItems(record)
  for (const outcome of payeeOutcomes) {
    if (outcome === 'REFUSED') continue
    if (outcome.some((each) => committed.has(each.transferId) === (each.fulfilment === undefined)))
      found.push(`the payee FSP of the bulk ${id} learned of another end than the payer FSP`)
  }
  return found
}

/** What the payee FSP has added to a result arrives, if it fits into the share of the item. */
function wrongLists(
  record: BulkRecord,
  outcome: Exclude<BulkOutcome, 'REFUSED'>,
): readonly string[] {
  const { requested, planned } = record
  return outcome.flatMap(({ transferId, fulfilment, errorInformation, extensionList }, at) => {
    const isAgain = at >= record.itemIds.length
    const isOfPayee = fulfilment ?? errorInformation?.errorCode === refusedByPayee.errorCode
    const given = resultOf(record, transferId)
    // It may have refused all of them with one list.
    if (isAgain || isOfPayee === false || planned.speaks === 'REJECT') return []
    const list = given.extensionList ?? given.errorInformation?.extensionList
    const wanted = fitsBulk(list, requested.length) ? list : undefined
    const got = extensionList ?? errorInformation?.extensionList
    return isSameList(got, wanted) ? [] : [`the item ${transferId} ended with another list`]
  })
}

/** Whether it may be committed, and whether it may be void. */
function endsOfItem(
  { planned: { payer, payee, speaks, items }, prepare, answers, itemIds, expires_ms }: BulkRecord,
  at: number,
  switched: readonly Switched[],
): ReadonlySet<boolean> {
  const named = answers.filter(({ names }) => names.includes(itemIds[at] ?? ''))
  const [first] = named
  const isFulfilled = speaks !== 'REJECT' && items[at] === 'FULFIL'
  if (!isFunded(payer) || !isRegistered(payee) || !isFulfilled || first === undefined) {
    return new Set([false])
  }
  const isInTime = (ms: number) => ms < expires_ms
  const wasInTime = isAccepted(first.sent) && first.sent.received_ms.every(isInTime)
  // A later message about it decides where none before it was in time.
  const deciding = wasInTime ? [first] : named
  const ends = new Set(deciding.flatMap(({ sent }) => sent.received_ms.map(isInTime)))
  const from_ms = Math.min(...prepare.received_ms)
  // Each item is decided by itself.
  return mayBeOff({ payer, payee, from_ms, to_ms: Infinity }, switched) ? ends.add(false) : ends
}
