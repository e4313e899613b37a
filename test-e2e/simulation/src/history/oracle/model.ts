/**
 * What a transfer may become, by the rules alone: written without the code of the hub. Where it is not
 * known outside which try of a message was stored, more than one end is right.
 */
import type { PlannedTransfer } from '../plan/plan.ts'
import { isAccepted, type End, type PayeeMessage, type TransferRecord } from '../record.ts'

const funded: ReadonlySet<string> = new Set(['mango', 'river'])
const registered: ReadonlySet<string> = new Set(['mango', 'river', 'poor'])
const expired = ['EXPIRED'] as const

interface Circumstances {
  /** Nothing has delayed the hub. */
  readonly isUndisturbed: boolean
  /** One of the FSPs may have been switched off. */
  readonly mayBeOff: boolean
  /** The cap of the payer FSP has refused it. */
  readonly isCapped: boolean
}

export function endsOf(
  record: TransferRecord,
  { isUndisturbed, mayBeOff, isCapped }: Circumstances,
): ReadonlySet<End> {
  const { planned, sent, asked, isRefused, expires_ms, prepare } = record
  const refusal = refusalOf(planned)
  const notTaken = isRefused ? (['NOT_TAKEN'] as const) : []
  if (asked === 0) {
    // It was not reserved, or the payee FSP could not be reached in time.
    const mayHaveExpired = !isUndisturbed || prepare.received_ms.some((ms) => ms >= expires_ms)
    return new Set([
      ...(refusal === undefined ? [] : [refusal]),
      ...(mayBeOff ? (['INVALID'] as const) : []),
      ...(isCapped ? (['CAP_REACHED'] as const) : []),
      ...notTaken,
      ...(mayHaveExpired ? expired : []),
    ])
  }
  if (refusal !== undefined) return new Set()
  // The first message of the payee FSP that is accepted decides, whatever comes after it.
  const [first] = sent
  if (first === undefined) return new Set([...expired, ...notTaken])
  // An FSP that takes a request and refuses its repetition contradicts itself.
  const ends = first.received_ms.flatMap((ms) => endsBy(first, ms < expires_ms))
  return new Set([...ends, ...notTaken])
}

/** Whether the payee FSP was surely in time with what commits. */
export function wasInTime({ sent: [first], expires_ms }: TransferRecord): boolean {
  if (first === undefined || !isAccepted(first)) return false
  return first.received_ms.every((ms) => ms < expires_ms)
}

export function isFunded(fsp: string): boolean {
  return funded.has(fsp)
}

export function isRegistered(fsp: string): boolean {
  return registered.has(fsp)
}

/** Undefined: nothing is wrong with the request. */
function refusalOf({ payer, payee }: PlannedTransfer): End | undefined {
  if (!isRegistered(payee)) return 'UNKNOWN_PAYEE'
  return isFunded(payer) ? undefined : 'NO_COVER'
}

/** What voids a transfer may also be what comes after its expiration and before the sweep. */
function endsBy({ kind }: PayeeMessage, isInTime: boolean): readonly End[] {
  if (kind === 'FULFIL') return isInTime ? ['COMMITTED'] : expired
  const end = kind === 'REJECT' ? 'REJECTED' : 'INVALID'
  return isInTime ? [end] : [end, ...expired]
}
