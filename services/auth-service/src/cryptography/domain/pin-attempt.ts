/**
 * Whether a PIN block may be tried. Who may translate PINs could learn digits of one by sending its block
 * with one account number after the other, and seeing which are refused. So a block that was translated
 * belongs to its account number, one that was not is tried a few times, and refused blocks lock their key.
 */
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'

/** Hashes that need the block itself. */
export interface PinAttempt {
  readonly blockHash: Buffer
  readonly accountHash: Buffer
}

export interface KnownBlock {
  /** null: it was not translated. */
  readonly accountHash: Buffer | null
  readonly refused: number
}

/** Refused blocks that still count. */
export interface Refusals {
  readonly ofKey: number
  readonly ofCaller: number
}

/** Of one block: a wrong account number is corrected once or twice. */
export const tries_max = 3

/** @param attempt undefined for a format without an account number */
export function pinAttemptFault(
  refusals: Refusals,
  known: KnownBlock | undefined,
  attempt: PinAttempt | undefined,
  refusals_max: number,
): RefusedCommand | undefined {
  if (Math.max(refusals.ofKey, refusals.ofCaller) >= refusals_max) {
    return refuse('KEY_LOCKED', 'too many PIN blocks were refused: wait, or have it unlocked')
  }
  if (known === undefined || attempt === undefined) return undefined
  if (known.accountHash !== null && !known.accountHash.equals(attempt.accountHash)) {
    return refuse('PIN_BLOCK_INVALID', 'the block was translated for another account number')
  }
  return known.accountHash === null && known.refused >= tries_max
    ? refuse('PIN_BLOCK_INVALID', 'the block was refused too often')
    : undefined
}

/** Whether this refusal is the one that locks. */
export function locks({ ofKey, ofCaller }: Refusals, refusals_max: number): boolean {
  return Math.max(ofKey, ofCaller) + 1 === refusals_max
}
