/**
 * What happened to one payment, step by step. Each step says when, and each decision the figures that
 * it was taken on.
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

/** An FSP spoke. */
export interface MessageStep {
  readonly type: 'MESSAGE'
  readonly at: string
  readonly from: string
  readonly message: string
  /** Why it changed nothing; null when it was taken. */
  readonly refused: string | null
  readonly error: ErrorTold | null
  readonly says: string
}

export type Deciding = 'quoting' | 'ledger' | 'transfers'

/** A part of the hub decided. */
export interface DecisionStep {
  readonly type: 'DECISION'
  readonly at: string
  readonly by: Deciding
  readonly outcome: string
  readonly reason: string | null
  readonly facts: Facts
  readonly says: string
}

/** What a decision was taken on; amounts in ten-thousandths. */
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

/** The hub told an FSP, or tried to. */
export interface DeliveryStep {
  readonly type: 'DELIVERY'
  readonly at: string
  readonly notificationId: string
  readonly to: string
  readonly role: string
  /** The event that it tells of. */
  readonly cause: string
  readonly message: string
  readonly state: 'DELIVERED' | 'PARKED' | 'FAILED'
  readonly attemptsCount: number
  /** The first and the last of them where there were many. */
  readonly attempts: readonly Attempt[]
  readonly nextAttemptAt: string | null
  readonly lastError: string | null
  readonly says: string
}

export interface Attempt {
  readonly beganAt: string
  readonly duration_ms: number
  /** null: no answer. */
  readonly httpStatus: number | null
  readonly error: string | null
}

export type Step = MessageStep | DecisionStep | JournalStep | DeliveryStep

/** What comes first where two steps have the same time. */
const ranks = { MESSAGE: 0, DECISION: 1, JOURNAL: 2, DELIVERY: 3 } as const

export function inOrder(steps: readonly Step[]): readonly Step[] {
  return steps.toSorted(
    (a, b) => Date.parse(a.at) - Date.parse(b.at) || ranks[a.type] - ranks[b.type],
  )
}
