/**
 * What an FSP sends because of a message is in the trace of that message (W3C Trace Context), and its
 * answer has the version that the message asked for (FSPIOP 3.3.4). The FSP records no span of its own,
 * so it passes the headers on as they are.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { readTrace, type Headers, type Resource, type Trace, type Version } from '@causeway/fspiop'

interface Handled {
  readonly trace: Trace | undefined
  readonly resource: Resource
  /** Undefined: the message is itself an answer. */
  readonly version: Version | undefined
}

const handled = new AsyncLocalStorage<Handled>()

/** Runs the work; what is sent because of it, also later, belongs to the message with these headers. */
export function continueFrom<Result>(
  headers: Headers,
  asked: Pick<Handled, 'resource' | 'version'>,
  work: () => Result,
): Result {
  return handled.run({ ...asked, trace: readTrace(headers) }, work)
}

/** Of the message that is being handled; undefined: it has none, or nothing is being handled. */
export function currentTrace(): Trace | undefined {
  return handled.getStore()?.trace
}

/** The version that the message being handled asked for, where it is about this resource. */
export function askedVersion(resource: string): Version | undefined {
  const message = handled.getStore()
  return message?.resource === resource ? message.version : undefined
}
