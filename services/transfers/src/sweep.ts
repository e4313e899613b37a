/**
 * No transfer is left hanging: what is due is voided in the ledger, and the ledger's answer is
 * stored and announced. Any number of sweepers may run. None of them is ahead of the messages: a payee
 * FSP that got 200 in time does not lose its transfer because its answer has not been processed yet.
 */
import { endedBulk } from './bulks/contract.ts'
import type { EndedBulk } from './bulks/store.ts'
import {
  consequenceOf,
  healingOf,
  type Consequence,
  type LedgerAnswer,
} from './domain/ledger-answer.ts'
import { isOpen, type Terms, type Transfer } from './domain/transfer.ts'
import { move, type LedgerReply, type LedgerCall } from './move.ts'
import type { Deps } from './deps.ts'

export interface SweepOptions {
  readonly batch_max: number
  readonly clock: SweepClock
}

/** The moment that counts as now where transfers expire: no later than the low watermark. */
export type SweepClock = () => Promise<Date>

/** No other process sweeps a claimed transfer for this long. */
export const claimed_ms = 5_000
/** So long past its expiry a transfer that is still open is compared with the ledger. */
const healed_after_ms = 60_000
/** How far the clock may lag before an alarm, and the pause until the alarm is repeated. */
const heldBack_ms_max = 60_000

/**
 * Every message announced before that moment has been processed by the whole group, so a transfer that
 * expired a grace before it has no answer of its payee FSP that was received in time.
 */
export function openSweepClock(
  { now, alarm }: Pick<Deps, 'now' | 'alarm'>,
  lowWatermark: () => Promise<Date>,
): SweepClock {
  let alarmed_ms = -Infinity
  return async () => {
    const now_ms = now().getTime()
    const until_ms = Math.min(now_ms, (await lowWatermark()).getTime())
    const heldBack_ms = now_ms - until_ms
    if (heldBack_ms > heldBack_ms_max && now_ms - alarmed_ms >= heldBack_ms_max) {
      alarmed_ms = now_ms
      const seconds = Math.floor(heldBack_ms / 1_000)
      alarm('TIMEOUTS_HELD_BACK', undefined, `a message of ${seconds} s ago is not processed`)
    }
    return new Date(until_ms)
  }
}

/** Takes what is due, batch by batch, until nothing is. */
export async function sweep(deps: Deps, { batch_max, clock }: SweepOptions): Promise<void> {
  const now = await clock()
  for (;;) {
    const due = await deps.store.takeDue(now, claimed_ms, batch_max)
    if (due.length > 0) await expire(deps, due, consequenceOf)
    if (due.length < batch_max) return
  }
}

/**
 * The comparison of every minute, for what is long past its expiry. Transfers follows the ledger where
 * the two contradict each other, and a reservation without an open transfer is voided.
 */
export async function heal(deps: Deps, { batch_max, clock }: SweepOptions): Promise<void> {
  const expiredBefore = new Date((await clock()).getTime() - healed_after_ms)
  const dueBefore = new Date(deps.now().getTime() + claimed_ms)
  const open = await deps.store.openSince(expiredBefore, dueBefore, batch_max)
  if (open.length > 0) await expire(deps, open, healingOf)
  await releaseDangling(deps, expiredBefore, batch_max)
  const buildEvents = (ended: EndedBulk) => [endedBulk(ended, undefined)]
  for (const id of await deps.bulks.endMiscounted(expiredBefore, deps.now(), buildEvents)) {
    deps.alarm('BULK_MISCOUNTED', id, 'its items are final, but were not counted so')
  }
}

/** Reservations without an open transfer: voided, unless transfers has them as paid. */
async function releaseDangling(deps: Deps, expiredBefore: Date, batch_max: number): Promise<void> {
  // The longest expired come first, so those that are too young here leave no older one out.
  const overdue = await deps.ledger.overdueReservations(healed_after_ms, batch_max)
  const reserved = overdue.filter(
    ({ expiresAt }) => Date.parse(expiresAt) <= expiredBefore.getTime(),
  )
  const stored = await deps.store.read(reserved.map(({ transferId }) => transferId))
  const dangling = reserved.filter(({ transferId }) => {
    const transfer = stored.get(transferId)
    if (transfer !== undefined && isOpen(transfer)) return false
    const state = transfer?.state ?? 'unknown'
    deps.alarm('RESERVATION_UNKNOWN', transferId, `RESERVED in the ledger, ${state} here`)
    return state !== 'COMMITTED'
  })
  await deps.ledger.release(dangling.map(timeoutOf))
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
