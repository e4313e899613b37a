/**
 * Begins payments by the clock, whether or not earlier ones have finished (open loop).
 * A file of its own: tests drive payments without a process.
 */
import { quantiles, type Quantiles } from '../quantiles.ts'
import type { RunPayments } from './messages.ts'
import type { PaymentFlow } from './payment-flow.ts'

export interface Driven {
  readonly flow: PaymentFlow
  readonly onWindow: (edge: 'OPENED' | 'CLOSED', at_ms: number) => void
}

/** A payment that has not ended after this time has failed. */
const timeout_ms = 35_000
const tick_ms = 2

/** Resolves when each payment has ended, with how late they were begun. */
export function drive({ range, rate, measured }: RunPayments, parts: Driven): Promise<Quantiles> {
  const { flow, onWindow } = parts
  const lateness: number[] = []
  const start_ms = performance.now() + tick_ms
  const scheduledOf = (n: number) => start_ms + ((n - range.from) * 1_000) / rate
  let next = range.from
  let oldest = range.from

  function beginDue(at_ms: number): void {
    for (; next < range.to && scheduledOf(next) <= at_ms; next += 1) {
      if (next === measured?.from) onWindow('OPENED', scheduledOf(next))
      if (next === measured?.to) onWindow('CLOSED', scheduledOf(next))
      lateness.push(at_ms - scheduledOf(next))
      flow.begin(next, scheduledOf(next))
    }
  }

  function failOld(at_ms: number): void {
    for (; oldest < next; oldest += 1) {
      if (flow.hasEnded(oldest)) continue
      if (at_ms - scheduledOf(oldest) < timeout_ms) return
      flow.fail(oldest, `not finished within ${timeout_ms} ms`)
    }
  }

  return new Promise((resolve) => {
    const clock = setInterval(() => {
      const at_ms = performance.now()
      beginDue(at_ms)
      failOld(at_ms)
      if (oldest < range.to || flow.underWay > 0) return
      clearInterval(clock)
      resolve(quantiles(lateness))
    }, tick_ms)
  })
}
