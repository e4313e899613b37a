/** The part of a cover that reservations may not use: an amount, or a percentage of the cover. */
import { refuse } from '@causeway/services'
import type { ReservationMode } from '@causeway/protos'
import {
  coverOf,
  excludedOf,
  feesOwed,
  shareOf,
  stillToPay,
  valueOf,
  type Account,
} from '../../domain/account.ts'
import { type RefusedChange } from '../../domain/refusal.ts'

export interface CoverReservation {
  readonly requestId: string
  readonly participant: string
  readonly currency: string
  readonly mode: ReservationMode
  /** Ten-thousandths: of the currency, or of a percent. */
  readonly value: bigint
  readonly createdBy: string
}

/** The accounts that determine what a participant can send and withdraw. */
export interface Liquidity {
  /** The account that covers its positions: of type SETTLEMENT unless its model names another one. */
  readonly settlement: Account
  readonly position: Account | null
  /** Its INTERCHANGE_FEE account. */
  readonly fees: Account | null
  /** False: two persons have switched the check of cover off; the cap alone bounds what is sent. */
  readonly isChecked: boolean
}

/**
 * The amount to exclude. A percentage is converted to an amount now; a setting decides whether it
 * stays fixed or follows the deposit. What is owed and reserved must stay covered.
 */
export function resolve(
  { settlement, position, fees }: Liquidity,
  { mode, value }: Pick<CoverReservation, 'mode' | 'value'>,
): bigint | RefusedChange {
  const liquidity = -valueOf(settlement)
  const positive = liquidity > 0n ? liquidity : 0n
  const resolved = mode === 'AMOUNT' ? value : shareOf(settlement, value)
  const held = position === null ? 0n : valueOf(position)
  const owed = held + feesOwed(fees ?? undefined) + stillToPay(settlement)
  if (resolved > positive || (resolved > 0n && owed > liquidity - resolved)) {
    return refuse('COVER_SHORT', 'the cover is less than the excluded and the owed amount together')
  }
  return resolved
}

/** What can still be sent; null before the first limit. */
export function availableOf(liquidity: Liquidity): bigint | null {
  const { settlement, position, fees, isChecked } = liquidity
  if (position === null || position.cap === null) return null
  const cover = coverOf(settlement) - feesOwed(fees ?? undefined)
  return (isChecked && cover < position.cap ? cover : position.cap) - valueOf(position)
}

/** What can be withdrawn while what is owed stays covered. */
export function withdrawableOf({ settlement, position, fees }: Liquidity): bigint {
  const owed = position === null ? 0n : valueOf(position)
  const cover = -valueOf(settlement) - excludedOf(settlement) - feesOwed(fees ?? undefined)
  const free = cover - (owed > 0n ? owed : 0n)
  return free > 0n ? free : 0n
}
