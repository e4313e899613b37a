/**
 * Finds out how a payment ended whose transfer was UNRESOLVED: asks the hub until it reports a
 * final state. A third party must get the true outcome, never a guess.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Payer } from '../transfers/payer.ts'
import type { PaymentEnd, PaymentResult } from './payment.ts'

export interface Resolver {
  /** Undefined: closed before the outcome was known. */
  resolve(result: PaymentResult): Promise<PaymentResult | undefined>
  close(): void
}

/** The hub is asked again after each wait; one round of requests is as long as this. */
const round_ms = 600_000

export function resolveWith(transfers: Pick<Payer, 'resolve'>, resendAfter_ms: number): Resolver {
  const closing = new AbortController()
  const { signal } = closing

  async function ask(result: PaymentResult): Promise<PaymentEnd | undefined> {
    const { transferId, quote, payee } = result
    if (transferId === undefined || quote === undefined || payee === undefined) return undefined
    const order = {
      payeeFsp: payee.fspId,
      amount: quote.transferAmount,
      ilpPacket: quote.ilpPacket,
      condition: quote.condition,
      expiration: quote.expiration,
    }
    const ended = await transfers.resolve(transferId, order, Date.now() + round_ms)
    if (ended.state === 'COMMITTED') {
      const { state, fulfilment, completedTimestamp, extensions } = ended
      return { state, fulfilment, completedTimestamp, extensions }
    }
    // A refused request reveals nothing about the transfer.
    return ended.state === 'ABORTED'
      ? { state: ended.state, leg: 'transfer', error: ended.error }
      : undefined
  }

  return {
    async resolve(result) {
      while (!signal.aborted) {
        const end = await ask(result)
        if (end !== undefined) return { ...result, ...end }
        await pause(resendAfter_ms, undefined, { signal }).catch(() => undefined)
      }
      return undefined
    },
    close: () => closing.abort(),
  }
}
