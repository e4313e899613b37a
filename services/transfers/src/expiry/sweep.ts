/**
 * No transfer is left hanging: what is due is voided in the ledger, and the ledger's answer is
 * stored and announced. Any number of sweepers may run. None of them is ahead of the messages: a payee
 * FSP that got 200 in time does not lose its transfer because its answer has not been processed yet.
 * The items of bulks are swept by themselves: messages about bulks, and many items that expire at once,
 * delay the expiry of no other transfer. A transfer that cannot be ended raises an alarm, and keeps no
 * other from its end.
 */
import { halving } from '@causeway/process'
import { endedBulk } from '../bulks/contract.ts'
import type { EndedBulk } from '../bulks/store.ts'
import {
  consequenceOf,
  healingOf,
  type Consequence,
  type LedgerAnswer,
} from '../domain/ledger-answer.ts'
import { isOpen, type Terms, type Transfer } from '../domain/transfer.ts'
import { move, type LedgerReply, type LedgerCall } from '../move.ts'
import type { Swept } from '../store.ts'
import type { Deps } from '../deps.ts'

export interface SweepOptions {
  readonly batch_max: number
  readonly clock: SweepClock
}

/** The moment that counts as now where such transfers expire: no later than the low watermark. */
export type SweepClock = (which: Swept) => Promise<Date>

/** No other process sweeps a claimed transfer for this long. */
export const claimed_ms = 5_000
/** So long past its expiry a transfer that is still open is compared with the ledger. */
const healed_after_ms = 60_000
/** How far the clock may lag before an alarm, and the pause until the alarm is repeated. */
const heldBack_ms_max = 60_000

/**
 * Every message about such transfers that was announced before that moment has been processed by the whole
 * group, so a transfer that expired a grace before it has no answer of its payee FSP that was received in
 * time.
 */
export function openSweepClock(
  { now, alarm }: Pick<Deps, 'now' | 'alarm'>,
  lowWatermarks: Readonly<Record<Swept, () => Promise<Date>>>,
): SweepClock {
  const alarmed_ms = { singles: -Infinity, items: -Infinity }
  return async (which) => {
    const now_ms = now().getTime()
    const until_ms = Math.min(now_ms, (await lowWatermarks[which]()).getTime())
    const heldBack_ms = now_ms - until_ms
    if (heldBack_ms > heldBack_ms_max && now_ms - alarmed_ms[which] >= heldBack_ms_max) {
      alarmed_ms[which] = now_ms
      const seconds = Math.floor(heldBack_ms / 1_000)
      const what = which === 'items' ? 'a bulk transfer' : 'a transfer'
      const detail = `a message about ${what} of ${seconds} s ago is not processed`
      alarm('TIMEOUTS_HELD_BACK', undefined, detail)
    }
    return new Date(until_ms)
  }
}

/** Takes what is due, batch by batch, until nothing is. */
export async function sweep(
  deps: Deps,
  which: Swept,
  { batch_max, clock }: SweepOptions,
): Promise<void> {
  const now = await clock(which)
  for (;;) {
    const due = await deps.store.takeDue(which, now, claimed_ms, batch_max)
    await expireAll(deps, due, consequenceOf)
    if (due.length < batch_max) return
  }
}

/**
 * The comparison of every minute, for what is long past its expiry. Transfers follows the ledger where
 * the two contradict each other, a reservation without an open transfer is voided, and a bulk whose items
 * are final ends. A step that fails keeps none after it from being done.
 */
export async function heal(deps: Deps, { batch_max, clock }: SweepOptions): Promise<void> {
  const longExpired = async (which: Swept) =>
    new Date((await clock(which)).getTime() - healed_after_ms)
  const [singles, items] = await Promise.all([longExpired('singles'), longExpired('items')])
  const steps = [
    () => followLedger(deps, 'singles', singles, batch_max),
    () => followLedger(deps, 'items', items, batch_max),
    () => releaseDangling(deps, { singles, items }, batch_max),
    () => endMiscounted(deps, items),
  ]
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

async function followLedger(
  deps: Deps,
  which: Swept,
  expiredBefore: Date,
  batch_max: number,
): Promise<void> {
  const dueBefore = new Date(deps.now().getTime() + claimed_ms)
  const open = await deps.store.openSince(which, expiredBefore, dueBefore, batch_max)
  await expireAll(deps, open, healingOf)
}

/** Reservations without an open transfer: voided, unless transfers has them as paid. */
async function releaseDangling(
  deps: Deps,
  expiredBefore: Readonly<Record<Swept, Date>>,
  batch_max: number,
): Promise<void> {
  // The longest expired come first, so those that are too young here leave no older one out.
  const overdue = await deps.ledger.overdueReservations(healed_after_ms, batch_max)
  const stored = await deps.store.read(overdue.map(({ transferId }) => transferId))
  const dangling = overdue.filter(({ transferId, expiresAt }) => {
    const transfer = stored.get(transferId)
    if (transfer !== undefined && isOpen(transfer)) return false
    // What is not stored may have been either.
    const { singles, items } = expiredBefore
    const own = transfer?.bulkTransferId === undefined ? singles : items
    const before = transfer === undefined ? Math.min(+singles, +items) : +own
    if (Date.parse(expiresAt) > before) return false
    const state = transfer?.state ?? 'unknown'
    deps.alarm('RESERVATION_UNKNOWN', transferId, `RESERVED in the ledger, ${state} here`)
    return state !== 'COMMITTED'
  })
  await eachAlone(deps, dangling, (some) => deps.ledger.release(some.map(timeoutOf)))
}

async function endMiscounted(deps: Deps, expiredBefore: Date): Promise<void> {
  const buildEvents = (ended: EndedBulk) => [endedBulk(ended, undefined, deps.compatibility)]
  const miscounted = await deps.bulks.miscounted(expiredBefore)
  const bulks = miscounted.map((transferId) => ({ transferId }))
  await eachAlone(deps, bulks, async (some) => {
    for (const { transferId: id } of some) {
      const isEnded = await deps.bulks.endMiscounted(id, deps.now(), buildEvents)
      if (isEnded) deps.alarm('BULK_MISCOUNTED', id, 'its items are final, but were not counted so')
    }
  })
}

/** What cannot be ended raises an alarm, and the others are ended. */
function expireAll(
  deps: Deps,
  transfers: readonly Transfer[],
  consequence: (answer: LedgerAnswer) => Consequence,
): Promise<void> {
  return eachAlone(deps, transfers, (some) => expire(deps, some, consequence))
}

async function eachAlone<Item extends Pick<Terms, 'transferId'>>(
  { alarm }: Deps,
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<unknown>,
): Promise<void> {
  for (const { item, error } of await halving(items, work)) {
    alarm('NOT_ENDED', item.transferId, error instanceof Error ? error.message : String(error))
  }
}

/** Asks the ledger to void for time, and follows its answer. */
async function expire(
  deps: Deps,
  transfers: readonly Transfer[],
  consequence: (answer: LedgerAnswer) => Consequence,
): Promise<void> {
  const answers = await deps.ledger.release(transfers.map(timeoutOf))
  const answered = transfers.flatMap((transfer, at): LedgerReply<LedgerCall>[] => {
    const answer = answers[at]
    if (answer === undefined) throw new Error(`no answer for ${transfer.transferId}`)
    return [{ call: { transfer }, answer, consequence: consequence(answer) }]
  })
  await move(deps, answered)
}

function timeoutOf({ transferId, expiresAt }: Pick<Terms, 'transferId' | 'expiresAt'>) {
  return { transfer: { transferId, expiresAt }, reason: 'TIMEOUT', evidence: undefined } as const
}
