/** The state of a third-party transaction after each message of its DFSP. Pure. */

/** A relayed message about a transaction, an authorization or a verification. */
export interface TransactionMessage {
  readonly eventId: string
  readonly about: 'TRANSACTION' | 'AUTHORIZATION' | 'VERIFICATION'
  readonly subjectId: string
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly source: string
  readonly destination: string
  readonly receivedAt: Date
  /** The state, response or result in the message. */
  readonly outcome: string | undefined
  readonly error: { readonly errorCode: string; readonly errorDescription: string } | undefined
  readonly transactionRequestId: string | undefined
  readonly transactionId: string | undefined
  readonly transactionState: string | undefined
  readonly consentId: string | undefined
  readonly challengeHash: string | undefined
}

export interface ThirdPartyTransaction {
  readonly id: string
  readonly pisp: string
  readonly dfsp: string
  readonly requestedAt: Date
  readonly state: string
  readonly transactionState: string | undefined
  readonly transactionId: string | undefined
  readonly error: TransactionMessage['error']
  /** undefined: it may still change. */
  readonly endedAt: Date | undefined
}

/** The transaction of the first POST with its id. */
export function begun(step: TransactionMessage): ThirdPartyTransaction {
  return {
    id: step.subjectId,
    pisp: step.source,
    dfsp: step.destination,
    requestedAt: step.receivedAt,
    state: 'REQUESTED',
    transactionState: undefined,
    transactionId: undefined,
    error: undefined,
    endedAt: undefined,
  }
}

/**
 * PATCH and PUT …/error end it, whatever the DFSP sends later; PUT reports progress. Messages of
 * other FSPs change nothing.
 */
export function follow(
  transaction: ThirdPartyTransaction,
  step: TransactionMessage,
): ThirdPartyTransaction {
  const { dfsp, pisp, endedAt } = transaction
  if (step.method === 'POST' || step.source !== dfsp || step.destination !== pisp) {
    return transaction
  }
  const named = { ...transaction, transactionId: transaction.transactionId ?? step.transactionId }
  if (endedAt !== undefined) return named
  const { error, outcome, receivedAt, transactionState } = step
  if (error !== undefined) return { ...named, state: 'FAILED', error, endedAt: receivedAt }
  return {
    ...named,
    state: outcome ?? transaction.state,
    transactionState: transactionState ?? transaction.transactionState,
    endedAt: step.method === 'PATCH' ? receivedAt : undefined,
  }
}
