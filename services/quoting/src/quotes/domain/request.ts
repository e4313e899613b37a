/**
 * Decides whether a request may go to the payee FSP. The first fault applies: in the message, its
 * sender, its destination, then by the rules of the scheme.
 */
import { judgeRequest, type Usages } from '../../rules/domain/judge-request.ts'
import type { Rule, Violation } from '../../rules/domain/rule.ts'
import type { RequestReason } from './quote.ts'

/** The part of POST /quotes that the decision needs. */
export interface QuoteRequest {
  readonly quoteId: string
  /** The sender: the payer FSP. */
  readonly payerFsp: string
  /** The payer's FSP according to the message body. */
  readonly payerNamedFsp: string | undefined
  /** Ten-thousandths. */
  readonly amount: bigint
  readonly currency: string
  readonly scenario: string
  /** The time at which the answer is due. */
  readonly expires_ms: number
}

/** The destination of a request. */
export type Destination =
  /**
   * The FSP that the sender names, or the FSPs of the payee; the first usable one gets the request.
   */
  | { readonly type: 'KNOWN'; readonly fspIds: readonly string[] }
  | { readonly type: 'PARTY_UNKNOWN' }
  /** The lookup did not answer in time. */
  | { readonly type: 'LOOKUP_AWAY' }

export type ParticipantStatus = 'USABLE' | 'UNKNOWN' | 'INACTIVE' | 'NO_ACCOUNT'

/** The other input of the decision. */
export interface Circumstances {
  readonly destination: Destination
  /** The status of an FSP in the currency of the request. */
  readonly statusOf: (fspId: string) => ParticipantStatus
  readonly rules: readonly Rule[]
  readonly usages: Usages
  readonly now_ms: number
}

export type Judgement =
  | { readonly type: 'ask'; readonly payeeFsp: string }
  | {
      readonly type: 'refuse'
      readonly reason: RequestReason
      readonly payeeFsp: string | undefined
    }
  | { readonly type: 'forbid'; readonly violation: Violation; readonly payeeFsp: string }

const ofPayer = {
  UNKNOWN: 'PAYER_UNKNOWN',
  INACTIVE: 'PAYER_INACTIVE',
  NO_ACCOUNT: 'PAYER_NO_ACCOUNT',
} as const satisfies Record<Exclude<ParticipantStatus, 'USABLE'>, RequestReason>

const ofPayee = {
  UNKNOWN: 'PAYEE_UNKNOWN',
  INACTIVE: 'PAYEE_INACTIVE',
  NO_ACCOUNT: 'PAYEE_NO_ACCOUNT',
} as const satisfies Record<Exclude<ParticipantStatus, 'USABLE'>, RequestReason>

/** Faults in the message itself, which need no lookup. */
export function refusalOfMessage(
  request: Pick<QuoteRequest, 'payerFsp' | 'payerNamedFsp' | 'expires_ms'>,
  now_ms: number,
): RequestReason | undefined {
  const { payerFsp, payerNamedFsp = payerFsp, expires_ms } = request
  if (payerNamedFsp !== payerFsp) return 'PAYER_NAMED_OTHERWISE'
  return expires_ms <= now_ms ? 'EXPIRED' : undefined
}

/**
 * An FSP may request a quote from itself; whether a transfer is allowed is decided with the
 * transfer.
 */
export function judge(request: QuoteRequest, circumstances: Circumstances): Judgement {
  const { destination, statusOf, rules, usages, now_ms } = circumstances
  const { payerFsp } = request
  const fault = refusalOfMessage(request, now_ms)
  if (fault !== undefined) return refuse(fault)
  const ofSender = statusOf(payerFsp)
  if (ofSender !== 'USABLE') return refuse(ofPayer[ofSender])
  if (destination.type !== 'KNOWN') return refuse(destination.type)
  const { fspIds } = destination
  const payeeFsp = fspIds.find((fspId) => statusOf(fspId) === 'USABLE') ?? fspIds[0]
  if (payeeFsp === undefined) return refuse('PARTY_UNKNOWN')
  const ofReceiver = statusOf(payeeFsp)
  if (ofReceiver !== 'USABLE') return refuse(ofPayee[ofReceiver], payeeFsp)
  const violation = judgeRequest(rules, { ...request, payeeFsp }, usages)
  return violation === undefined
    ? { type: 'ask', payeeFsp }
    : { type: 'forbid', violation, payeeFsp }
}

function refuse(reason: RequestReason, payeeFsp?: string): Judgement {
  return { type: 'refuse', reason, payeeFsp }
}

interface CurrencyAccount {
  readonly ledgerAccountType: string
  readonly currency: string
  readonly isActive: boolean
}

/** Whether a participant can pay and be paid in a currency. */
export function participantStatus(
  participant:
    | { readonly isActive: boolean; readonly accounts: readonly CurrencyAccount[] }
    | undefined,
  currency: string,
): ParticipantStatus {
  if (participant === undefined) return 'UNKNOWN'
  if (!participant.isActive) return 'INACTIVE'
  const usable = participant.accounts.some(
    (account) =>
      account.isActive && account.ledgerAccountType === 'POSITION' && account.currency === currency,
  )
  return usable ? 'USABLE' : 'NO_ACCOUNT'
}
