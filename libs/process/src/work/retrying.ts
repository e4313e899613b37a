/** Repeats calls that fail by an outage, or by any error, until they get an answer. */
import { setMaxListeners } from 'node:events'
import type { Logger } from '../log.ts'
import { outageIn } from '../outage.ts'

export interface RetryOptions {
  readonly log: Logger
  /** Name of the call, for the log: 'reserve in the ledger'. */
  readonly what: string
  /** Ends the repetition: the last outage is thrown. */
  readonly signal?: AbortSignal
  /** The longest pause between two tries (2,000). */
  readonly delay_ms_max?: number
  /**
   * Any other error is repeated too, with an alarm, and only an abort ends the repetition. For work that
   * nothing begins again before the process is restarted, such as a registration at its start.
   */
  readonly everyFailure?: boolean
}

const firstDelay_ms = 50
/** A service that is still starting, or restarting, is no warning. */
const quiet_ms = 30_000
/** A lasting refusal is an alarm about once a minute. */
const logged_every = 30

/**
 * Repeats a call that failed by an outage, with pauses from 50 ms that double up to the bound, each
 * shortened by up to a half at random so that many callers do not retry at once. An outage that an
 * operator has to end raises an alarm; another one is logged as a warning once it has lasted 30 s. Any
 * other error, or TOO_LARGE, is thrown at once, unless every failure is repeated. The call must be
 * idempotent: an outage leaves open whether it had its effect.
 */
export async function retrying<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { log, what, signal, delay_ms_max = 2_000, everyFailure = false } = options
  const began_ms = performance.now()
  let delay_ms = Math.min(firstDelay_ms, delay_ms_max)
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      const kind = outageIn(error)?.kind ?? 'TOO_LARGE'
      if (isAborted(signal) || (kind === 'TOO_LARGE' && !everyFailure)) throw error
      const how = kind === 'TOO_LARGE' ? 'failed' : kind === 'REFUSED' ? 'refused' : 'no answer'
      const isAlarm = how !== 'no answer' && tries % logged_every === 1
      const isQuiet = how === 'no answer' && performance.now() - began_ms < quiet_ms
      if (isAlarm) log.error({ err: error, tries }, `ALARM ${what}: ${how}, tried again`)
      else log[isQuiet ? 'info' : 'warn']({ err: error, tries }, `${what}: ${how}, tried again`)
      await pause(delay_ms * (1 - Math.random() / 2), signal)
      if (isAborted(signal)) throw error
      delay_ms = Math.min(delay_ms * 2, delay_ms_max)
    }
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

/** Many calls may wait at once for the end of one outage, and Node.js warns of more than ten listeners. */
function pause(delay_ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal !== undefined) setMaxListeners(0, signal)
  return new Promise((resolve) => {
    const timer = setTimeout(done, delay_ms)
    signal?.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
}
