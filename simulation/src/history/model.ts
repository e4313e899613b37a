/**
 * What a transfer may become, by the rules alone: written without the code of the hub. Where it is not
 * known outside when a message was stored (a try was cut off), more than one end is right.
 */
import type { PlannedTransfer } from './plan.ts'
import type { End, Sent, TransferRecord } from './record.ts'

const funded: ReadonlySet<string> = new Set(['mango', 'river'])
const registered: ReadonlySet<string> = new Set(['mango', 'river', 'poor'])

/** @param isUndisturbed whether nothing delayed the hub */
export function endsOf(record: TransferRecord, isUndisturbed: boolean): ReadonlySet<End> {
  const { planned, sent, asked, expires_ms, prepares_ms } = record
  const refusal = refusalOf(planned)
  // Only a request that the ledger has reserved reaches the payee FSP.
  if (asked.size === 0) {
    const mayHaveExpired = !isUndisturbed || prepares_ms.some((ms) => ms >= expires_ms)
    return new Set([
      ...(refusal === undefined ? [] : [refusal]),
      ...(mayHaveExpired ? expired : []),
    ])
  }
  if (refusal !== undefined) return new Set()
  // The first message of the payee FSP decides, whatever comes after it.
  const [first] = sent
  if (first === undefined) return new Set(expired)
  return new Set(first.tries_ms.flatMap((ms) => endsBy(first, ms < expires_ms)))
}

/** Whether the payee FSP was surely in time. */
export function wasInTime({ sent: [first], expires_ms }: TransferRecord): boolean {
  return first?.isAccepted === true && first.tries_ms.every((ms) => ms < expires_ms)
}

const expired = ['EXPIRED'] as const

/** Undefined: nothing is wrong with the request. */
function refusalOf({ payer, payee }: PlannedTransfer): End | undefined {
  if (!registered.has(payee)) return 'UNKNOWN_PAYEE'
  return funded.has(payer) ? undefined : 'NO_COVER'
}

/** What voids a transfer may also be what comes after its expiration and before the sweep. */
function endsBy({ kind }: Sent, isInTime: boolean): readonly End[] {
  if (kind === 'FULFIL') return isInTime ? ['COMMITTED'] : expired
  const end = kind === 'REJECT' ? 'REJECTED' : 'WRONG_FULFILMENT'
  return isInTime ? [end] : [end, ...expired]
}
