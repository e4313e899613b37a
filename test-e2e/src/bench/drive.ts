/** Begins payments by the clock, whether or not earlier ones have finished (open loop). */
import type { PaymentFlow } from './payment-flow.ts'
import { middleOf } from './disturbances.ts'
import type { Run } from './messages.ts'
import { quantiles, type Quantiles } from './quantiles.ts'

export interface Driven {
  readonly flow: PaymentFlow
  readonly now_ms: () => number
  readonly onWindow: (edge: 'OPENED' | 'CLOSED', at_ms: number) => void
  /** The second half of what is measured begins. */
  readonly onMiddle: () => void
  readonly onProgress: (ended: number) => void
}

/** A payment that has not ended after this time has failed. */
const timeout_ms = 35_000
const tick_ms = 2
const progress_ticks = 250

/** Resolves when each payment has ended, with how late they were begun. */
export function drive({ range, rate, measured }: Run, parts: Driven): Promise<Quantiles> {
  const { flow, now_ms, onWindow, onMiddle, onProgress } = parts
  const middle = measured && middleOf(measured)
  const lateness: number[] = []
  const start_ms = now_ms() + tick_ms
  const ended_before = flow.ended
  const scheduledOf = (n: number) => start_ms + ((n - range.from) * 1_000) / rate
  let next = range.from
  let oldest = range.from
  let ticks = 0

  function beginDue(at_ms: number): void {
    for (; next < range.to && scheduledOf(next) <= at_ms; next += 1) {
      if (next === measured?.from) onWindow('OPENED', scheduledOf(next))
      if (next === measured?.to) onWindow('CLOSED', scheduledOf(next))
      if (next === middle) onMiddle()
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
      const at_ms = now_ms()
      beginDue(at_ms)
      failOld(at_ms)
      ticks += 1
      if (ticks % progress_ticks === 0) onProgress(flow.ended - ended_before)
      if (oldest < range.to || flow.underWay > 0) return
      clearInterval(clock)
      resolve(quantiles(lateness))
    }, tick_ms)
  })
}
