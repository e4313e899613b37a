/** Settlement windows that an operator closes again and again during payments. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Operator } from '../hub/operator.ts'
import { quantiles, type Quantiles } from './quantiles.ts'

export interface WindowsClosed {
  readonly count: number
  /** From the request to its answer. */
  readonly ms: Quantiles
}

export interface Closing {
  /** Rejects when a window could not be closed. */
  stop(): Promise<WindowsClosed>
}

/** A window without a payment stays open, which is not a failure. */
export function closeWindows(operator: Operator, every_s: number): Closing {
  const stopping = new AbortController()
  const { signal } = stopping
  const took_ms: number[] = []
  const closing = (async () => {
    while (await waited(every_s * 1_000, signal)) {
      const open = await operator.call('GET', '/v2/settlementWindows?state=OPEN')
      const [window] = open.json as readonly { readonly id: number }[]
      const path = `/v2/settlementWindows/${window?.id}`
      const began_ms = performance.now()
      const { status, json } = await operator.call('POST', path, {
        state: 'CLOSED',
        reason: 'bench',
      })
      if (status === 200) took_ms.push(performance.now() - began_ms)
      else if (!isEmpty(json)) throw new Error(`closing a window: ${JSON.stringify(json)}`)
    }
  })()
  // Awaited at the end; until then a rejection must not count as unhandled.
  closing.catch(() => undefined)
  return {
    async stop() {
      stopping.abort()
      await closing
      return { count: took_ms.length, ms: quantiles(took_ms) }
    },
  }
}

function isEmpty(json: unknown): boolean {
  return JSON.stringify(json).includes('is empty')
}

/** False when it was ended before. */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  await wait(ms, undefined, { signal }).catch(() => undefined)
  return !signal.aborted
}
