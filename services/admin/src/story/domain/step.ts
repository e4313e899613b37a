/**
 * The steps of one payment. Each has a time, and each decision the figures that it was based on.
 */
export interface Money {
  /** Ten-thousandths. */
  readonly amount: bigint
  readonly currency: string
}

export interface ErrorTold {
  readonly errorCode: string
  readonly errorDescription: string
}

/** A message of an FSP. */
export interface MessageStep {
  readonly type: 'MESSAGE'
  readonly at: string
  readonly from: string
  readonly message: string
  /** Why it had no effect; null when it was accepted. */
  readonly refused: string | null
  readonly error: ErrorTold | null
  readonly says: string
}

export type Deciding = 'quoting' | 'ledger' | 'transfers'

/** A decision of a service of the hub. */
export interface DecisionStep {
  readonly type: 'DECISION'
  readonly at: string
  readonly by: Deciding
  readonly outcome: string
  readonly reason: string | null
  readonly facts: Facts
  readonly says: string
}

/** The basis of a decision; amounts in ten-thousandths. */
export type Facts = Readonly<Record<string, bigint | number | string | null>>

/** A line in the ledger's journal. */
export interface JournalStep {
  readonly type: 'JOURNAL'
  readonly at: string
  readonly step: string
  readonly money: Money
  readonly debit: JournalAccount
  readonly credit: JournalAccount
  readonly says: string
}

export interface JournalAccount {
  readonly id: number
  readonly participant: string
  readonly type: string
}

/** A notification of an FSP, or an attempt. */
export interface DeliveryStep {
  readonly type: 'DELIVERY'
  readonly at: string
  readonly notificationId: string
  readonly to: string
  readonly role: string
  /** The event that it reports. */
  readonly cause: string
  readonly message: string
  readonly state: 'DELIVERED' | 'PARKED' | 'FAILED'
  readonly attemptsCount: number
  /** The first and the last attempt, where there were many. */
  readonly attempts: readonly DeliveryAttempt[]
  readonly nextAttemptAt: string | null
  readonly lastError: string | null
  readonly says: string
}

export interface DeliveryAttempt {
  readonly beganAt: string
  readonly duration_ms: number
  /** null: no answer. */
  readonly httpStatus: number | null
  readonly error: string | null
}

export type StoryStep = MessageStep | DecisionStep | JournalStep | DeliveryStep

/** The order of steps with equal times. */
const ranks = { MESSAGE: 0, DECISION: 1, JOURNAL: 2, DELIVERY: 3 } as const

export function inOrder(steps: readonly StoryStep[]): readonly StoryStep[] {
  return steps.toSorted(
    (a, b) => Date.parse(a.at) - Date.parse(b.at) || ranks[a.type] - ranks[b.type],
  )
}
