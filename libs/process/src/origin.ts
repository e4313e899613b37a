/**
 * Who is behind the work in progress: the operator or program whose request a process handles, with its
 * roles and its network address. Calls between services carry it, and audit entries name it.
 */
import { workContext } from './work-context.ts'

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

/** The name to record for an actor: all without a name count as one person. */
export function recordedActor(actor: string): string {
  return actor === '' ? 'unknown' : actor
}

const origins = workContext<Origin>()

/** Runs `work`, and all that it begins, with this origin. */
export function withOrigin<Result>(
  origin: Origin | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  return origin === undefined ? work() : origins.run(origin, work)
}

export function currentOrigin(): Origin | undefined {
  return origins.current()
}

/** The same work with the present origin, for a queue that runs it later. */
export function keepOrigin<Arguments extends readonly unknown[], Result>(
  work: (...values: Arguments) => Promise<Result>,
): (...values: Arguments) => Promise<Result> {
  const origin = currentOrigin()
  return origin === undefined ? work : (...values) => origins.run(origin, () => work(...values))
}
