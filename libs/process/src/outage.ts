/**
 * An outage: a failure that is not caused by the work itself, so that the same work may succeed
 * when it is repeated. Everything else is a bug or a poison message, and repeating it changes
 * nothing.
 *
 * There is one class of them. The modules that talk to PostgreSQL, Kafka or another service decide
 * by the codes of that system whether a failure is one; all other code goes by the type alone.
 */

/**
 * AWAY: the other side does not respond, and may respond later. REFUSED: it refuses the caller (login,
 * certificate, rights), or an operator has to repair something first: the work is repeated as well, with
 * an alarm. TOO_LARGE: the same work in smaller parts may succeed; a single item needs an operator.
 */
export type OutageKind = 'AWAY' | 'REFUSED' | 'TOO_LARGE'

/** Instances made by two copies of this module are the same to both. */
const brand = Symbol.for('causeway.outage')

export class Outage extends Error {
  override readonly name: string = 'Outage'
  readonly [brand] = true
  readonly kind: OutageKind

  constructor(message: string, options: ErrorOptions & { readonly kind?: OutageKind } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.kind = options.kind ?? 'AWAY'
  }
}

/** The error itself or the cause in it that is an outage. */
export function outageIn(error: unknown): Outage | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if (brand in error) return error as Outage
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown }
  for (const each of Array.isArray(errors) ? (errors as readonly unknown[]) : []) {
    const found = outageIn(each)
    if (found !== undefined) return found
  }
  return outageIn(cause)
}

/** Whether work that failed with this error may be repeated as it is. */
export function isOutage(error: unknown): boolean {
  return outageIn(error) !== undefined
}

/** Whether it is an outage that lasts until an operator has repaired something. */
export function needsOperator(error: unknown): boolean {
  return (outageIn(error)?.kind ?? 'AWAY') !== 'AWAY'
}

/**
 * Nothing is opened any more. To work under way it is an outage like any other, for another process
 * may do it; a part that keeps something open stops trying, for in this process no try will ever
 * succeed.
 */
export class ProcessStopping extends Outage {
  override readonly name = 'ProcessStopping'

  constructor() {
    super('the process is being stopped')
  }
}
