/**
 * Whether a request may go to the payee FSP. The first reason against it counts: the message itself,
 * then its sender, then whom it is for, then the rules of the scheme.
 */
import { judgeRequest, type Usages } from '../../rules/domain/judge-request.ts'
import type { Rule, Violation } from '../../rules/domain/rule.ts'
import type { RequestReason } from './quote.ts'

/** A POST /quotes as far as it is judged. */
export interface Request {
  readonly quoteId: string
  /** Who sent it: the payer FSP. */
  readonly payerFsp: string
  /** The FSP that the message itself says the payer is with. */
  readonly payerNamedFsp: string | undefined
  /** Ten-thousandths. */
  readonly amount: bigint
  readonly currency: string
  readonly scenario: string
  /** Until when it wants an answer. */
  readonly expires_ms: number
}

/** Whom a request is for. */
export type Destination =
  /** By the sender, or by whoever holds the payee; the first of several that can be used is asked. */
  | { readonly type: 'KNOWN'; readonly fspIds: readonly string[] }
  | { readonly type: 'PARTY_UNKNOWN' }
  /** Nobody could say in time. */
  | { readonly type: 'LOOKUP_AWAY' }

export type Standing = 'USABLE' | 'UNKNOWN' | 'INACTIVE' | 'NO_ACCOUNT'

/** What else a judgement rests on. */
export interface Circumstances {
  readonly destination: Destination
  /** Of an FSP in the currency of the request. */
  readonly standing: (fspId: string) => Standing
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
} as const satisfies Record<Exclude<Standing, 'USABLE'>, RequestReason>

const ofPayee = {
  UNKNOWN: 'PAYEE_UNKNOWN',
  INACTIVE: 'PAYEE_INACTIVE',
  NO_ACCOUNT: 'PAYEE_NO_ACCOUNT',
} as const satisfies Record<Exclude<Standing, 'USABLE'>, RequestReason>

/** What the message alone is refused for; nobody needs to be asked about it. */
export function refusalOfMessage(
  request: Pick<Request, 'payerFsp' | 'payerNamedFsp' | 'expires_ms'>,
  now_ms: number,
): RequestReason | undefined {
  const { payerFsp, payerNamedFsp = payerFsp, expires_ms } = request
  if (payerNamedFsp !== payerFsp) return 'PAYER_NAMED_OTHERWISE'
  return expires_ms <= now_ms ? 'EXPIRED' : undefined
}

/** An FSP may ask itself for a quote: whether a transfer may follow is judged with the transfer. */
export function judge(request: Request, circumstances: Circumstances): Judgement {
  const { destination, standing, rules, usages, now_ms } = circumstances
  const { payerFsp } = request
  const fault = refusalOfMessage(request, now_ms)
  if (fault !== undefined) return refuse(fault)
  const ofSender = standing(payerFsp)
  if (ofSender !== 'USABLE') return refuse(ofPayer[ofSender])
  if (destination.type !== 'KNOWN') return refuse(destination.type)
  const { fspIds } = destination
  const payeeFsp = fspIds.find((fspId) => standing(fspId) === 'USABLE') ?? fspIds[0]
  if (payeeFsp === undefined) return refuse('PARTY_UNKNOWN')
  const ofReceiver = standing(payeeFsp)
  if (ofReceiver !== 'USABLE') return refuse(ofPayee[ofReceiver], payeeFsp)
  const violation = judgeRequest(rules, { ...request, payeeFsp }, usages)
  return violation === undefined
    ? { type: 'ask', payeeFsp }
    : { type: 'forbid', violation, payeeFsp }
}

function refuse(reason: RequestReason, payeeFsp?: string): Judgement {
  return { type: 'refuse', reason, payeeFsp }
}

interface Account {
  readonly ledgerAccountType: string
  readonly currency: string
  readonly isActive: boolean
}

/** Whether a participant can pay and be paid in a currency. */
export function standingOf(
  participant: { readonly isActive: boolean; readonly accounts: readonly Account[] } | undefined,
  currency: string,
): Standing {
  if (participant === undefined) return 'UNKNOWN'
  if (!participant.isActive) return 'INACTIVE'
  const usable = participant.accounts.some(
    (account) =>
      account.isActive && account.ledgerAccountType === 'POSITION' && account.currency === currency,
  )
  return usable ? 'USABLE' : 'NO_ACCOUNT'
}
