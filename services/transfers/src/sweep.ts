/**
 * No transfer is left hanging: what is due is voided in the ledger, and whatever the ledger answers is
 * stored and announced. Any number of sweepers may run.
 */
import {
  consequenceOf,
  healingOf,
  type Consequence,
  type LedgerAnswer,
} from './domain/ledger-answer.ts'
import { isOpen, type Terms, type Transfer } from './domain/transfer.ts'
import { move, type Answered, type Asked } from './move.ts'
import type { Work } from './work.ts'

export interface SweepBounds {
  readonly batch_max: number
}

/** So long nobody else sweeps what was taken. */
export const claimed_ms = 5_000
/** So long past its expiry a transfer that is still open is compared with the ledger. */
const healed_after_ms = 60_000

/** Takes what is due, batch by batch, until nothing is. */
export async function sweep(work: Work, { batch_max }: SweepBounds): Promise<void> {
  for (;;) {
    const due = await work.store.takeDue(work.now(), claimed_ms, batch_max)
    if (due.length > 0) await expire(work, due, consequenceOf)
    if (due.length < batch_max) return
  }
}

/**
 * The comparison of every minute, for what is long past its expiry. Transfers follows the ledger where
 * the two contradict each other, and a reservation that no open transfer stands for is voided.
 */
export async function heal(work: Work, { batch_max }: SweepBounds): Promise<void> {
  const now = work.now().getTime()
  const open = await work.store.openSince(
    new Date(now - healed_after_ms),
    new Date(now + claimed_ms),
    batch_max,
  )
  if (open.length > 0) await expire(work, open, healingOf)
  await releaseDangling(work, batch_max)
}

/** Reservations that no open transfer stands for: voided, unless transfers says that they were paid. */
async function releaseDangling(work: Work, batch_max: number): Promise<void> {
  const reserved = await work.ledger.overdueReservations(healed_after_ms, batch_max)
  const stored = await work.store.read(reserved.map(({ transferId }) => transferId))
  const dangling = reserved.filter(({ transferId }) => {
    const transfer = stored.get(transferId)
    if (transfer !== undefined && isOpen(transfer)) return false
    const state = transfer?.state ?? 'unknown'
    work.alarm('RESERVATION_UNKNOWN', transferId, `RESERVED in the ledger, ${state} here`)
    return state !== 'COMMITTED'
  })
  await work.ledger.release(dangling.map(timeoutOf))
}

/** Asks the ledger to void for time, and follows whatever it answers. */
async function expire(
  work: Work,
  transfers: readonly Transfer[],
  consequence: (answer: LedgerAnswer) => Consequence,
): Promise<void> {
  const answers = await work.ledger.release(transfers.map(timeoutOf))
  const answered = transfers.flatMap((transfer, at): Answered<Asked>[] => {
    const answer = answers[at]
    if (answer === undefined) throw new Error(`no answer for ${transfer.transferId}`)
    return [{ asked: { transfer }, answer, consequence: consequence(answer) }]
  })
  await move(work, answered)
}

function timeoutOf({ transferId, expiresAt }: Pick<Terms, 'transferId' | 'expiresAt'>) {
  return { transfer: { transferId, expiresAt }, reason: 'TIMEOUT', evidence: undefined } as const
}
