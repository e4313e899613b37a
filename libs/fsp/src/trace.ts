/**
 * What an FSP sends because of a message is in the trace of that message (W3C Trace Context). The FSP
 * records no span of its own, so it passes the headers on as they are.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { readTrace, type Headers, type Trace } from '@causeway/fspiop'

const handled = new AsyncLocalStorage<Trace>()

/** Runs the work; what is sent because of it, also later, is in the trace of these headers. */
export function continueTrace<Result>(headers: Headers, work: () => Result): Result {
  const trace = readTrace(headers)
  return trace === undefined ? work() : handled.run(trace, work)
}

/** Of the message that is being handled; undefined: it has none, or nothing is being handled. */
export function currentTrace(): Trace | undefined {
  return handled.getStore()
}
