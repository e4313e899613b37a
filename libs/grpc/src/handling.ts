/**
 * The result of a handled call: its response, or the status that reports the failure to the caller.
 */
import { type Logger, isOutage, Outage } from '@causeway/process'
import { status } from '@grpc/grpc-js'
import type { HandledCall, UnaryHandler } from './definition.ts'

/** By the names of their methods. */
export function handlersOf(handlers: object): readonly (readonly [string, UnaryHandler])[] {
  return Object.entries(handlers) as readonly (readonly [string, UnaryHandler])[]
}

const detail_length_max = 500

/** UNAVAILABLE for an outage, which the caller repeats; INTERNAL for a bug, which it does not. */
export function failure(
  error: unknown,
  path: string,
  log: Logger,
): { readonly code: status; readonly details: string } {
  const message = error instanceof Error ? error.message : String(error)
  const details = message.slice(0, detail_length_max)
  if (isOutage(error)) {
    log.warn({ err: error, path }, 'an outage interrupted a gRPC call')
    return { code: status.UNAVAILABLE, details }
  }
  log.error({ err: error, path }, 'a gRPC call failed')
  return { code: status.INTERNAL, details }
}

/** For a caller without a deadline. */
const left_ms_max = 600_000

/**
 * Few handlers use the signal or the traces, so they are created on demand.
 * @param deadline_ms when the caller stops waiting, in ms since 1970; Infinity: never
 */
export function handledCall(
  callers: readonly string[] | undefined,
  onGone: (abort: () => void) => void,
  deadline_ms: number,
  tracesOf: () => readonly string[],
): HandledCall {
  let signal: AbortSignal | undefined
  return {
    callers,
    get traces() {
      return tracesOf()
    },
    left_ms: () => Math.min(Math.max(deadline_ms - Date.now(), 0), left_ms_max),
    get signal() {
      return (signal ??= goneSignal(onGone))
    },
  }
}

function goneSignal(onGone: (abort: () => void) => void): AbortSignal {
  const gone = new AbortController()
  onGone(() => gone.abort(new Outage('the caller is gone')))
  return gone.signal
}
