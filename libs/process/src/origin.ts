/**
 * Who is behind the work in progress: the operator or program whose request a process handles, with its
 * roles and its network address. Calls between services carry it, and audit entries name it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Origin {
  /** As in the commands that the request becomes. */
  readonly actor: string
  /** Whether the actor is a person, by way of the service `application`, or a program. */
  readonly kind: 'PERSON' | 'PROGRAM'
  readonly application: string
  readonly roles: readonly string[]
  /** Of the log-in; empty: none. */
  readonly session: string
  /** Empty: unknown. */
  readonly address: string
}

const current = new AsyncLocalStorage<Origin>()

/** Runs `work`, and all that it begins, with this origin. */
export function withOrigin<Result>(origin: Origin | undefined, work: () => Result): Result {
  return origin === undefined ? work() : current.run(origin, work)
}

export function currentOrigin(): Origin | undefined {
  return current.getStore()
}

/** The same work with the present origin, for a queue that runs it later. */
export function keepOrigin<Arguments extends readonly unknown[], Result>(
  work: (...values: Arguments) => Result,
): (...values: Arguments) => Result {
  const origin = currentOrigin()
  return origin === undefined ? work : (...values) => current.run(origin, work, ...values)
}
