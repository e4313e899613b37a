/**
 * An outage: a failure that is not caused by the work itself, so that the same work may succeed
 * when it is repeated. Everything else is a bug or a poison message, and repeating it changes
 * nothing.
 *
 * There is one class of them. The modules that talk to PostgreSQL, Kafka or another service decide
 * by the codes of that system whether a failure is one; all other code goes by the type alone.
 */

/**
 * AWAY: it does not answer, and may answer later. REFUSED: it answers and admits no caller (login,
 * certificate, right), or nothing can be done before an operator has repaired it: it is repeated as
 * well, with an alarm. TOO_LARGE: the same in smaller parts may succeed; alone it needs an
 * operator.
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

/** The outage that this is, or that lies behind the error that was made of it. */
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

/** Whether it is an outage that goes on until an operator has put something right. */
export function needsOperator(error: unknown): boolean {
  return (outageIn(error)?.kind ?? 'AWAY') !== 'AWAY'
}
