/**
 * Decides which items of a request are sent to the payee FSP. A bulk is for one payee FSP; each item is
 * judged like a quote of its own, in the order of the request. A refused item does not affect others; one
 * that is sent counts as a payment for those after it.
 */
import type { RequestReason } from '../../quotes/domain/quote.ts'
import {
  judge,
  refusalOfMessage,
  type Circumstances,
  type Destination,
  type QuoteRequest,
} from '../../quotes/domain/request.ts'
import { addPayment } from '../../rules/domain/judge-request.ts'
import type { Violation } from '../../rules/domain/rule.ts'

export interface BulkQuoteItem {
  readonly quoteId: string
  /** The FSP of the payee according to the item itself. */
  readonly payeeFspId: string | undefined
  /** Ten-thousandths. */
  readonly amount: bigint
  readonly currency: string
  readonly scenario: string
}

/** The part of POST /bulkQuotes that the decision needs. */
export interface BulkRequest extends Pick<
  QuoteRequest,
  'payerFsp' | 'payerNamedFsp' | 'expires_ms'
> {
  readonly items: readonly BulkQuoteItem[]
}

export interface BulkCircumstances extends Pick<Circumstances, 'rules' | 'usages' | 'now_ms'> {
  /** The status of an FSP in a currency. */
  readonly statusOfFsp: (fspId: string, currency: string) => ReturnType<Circumstances['statusOf']>
  /** The lookup result of each item if nothing names the payee FSP; undefined: the FSP is named. */
  readonly owners: readonly Destination[] | undefined
  /** According to the header. */
  readonly destinationFspId: string | undefined
}

export type ItemRefusal =
  | { readonly type: 'refuse'; readonly reason: RequestReason | ItemReason }
  | { readonly type: 'forbid'; readonly violation: Violation }

/** OTHER_PAYEE_FSP: the bulk is for another FSP; ID_TWICE: an item before it has the same id. */
export type ItemReason = 'OTHER_PAYEE_FSP' | 'ID_TWICE'

export type BulkJudgement =
  /** The refused items by their positions; all others are sent to the payee FSP. */
  | { readonly type: 'ask'; readonly payeeFsp: string; readonly refused: RefusedItems }
  /** Every item is refused for this reason. */
  | {
      readonly type: 'refuse'
      readonly reason: RequestReason
      readonly payeeFsp: string | undefined
    }
  | {
      readonly type: 'refuse items'
      readonly payeeFsp: string | undefined
      readonly refused: RefusedItems
    }

export type RefusedItems = ReadonlyMap<number, ItemRefusal>

/** The destination in the message itself: in its header, or in the first item that names one. */
export function namedPayeeFsp(
  { items }: Pick<BulkRequest, 'items'>,
  destinationFspId: string | undefined,
): string | undefined {
  return destinationFspId ?? items.find(({ payeeFspId }) => payeeFspId !== undefined)?.payeeFspId
}

export function judgeBulk(request: BulkRequest, circumstances: BulkCircumstances): BulkJudgement {
  const fault = refusalOfMessage(request, circumstances.now_ms)
  if (fault !== undefined) return { type: 'refuse', reason: fault, payeeFsp: undefined }
  const payeeFsp = payeeFspOf(request, circumstances)
  const { payerFsp } = request
  const { owners, rules } = circumstances
  const usages = new Map(circumstances.usages)
  const seen = new Set<string>()
  const refused = new Map<number, ItemRefusal>()
  for (const [at, item] of request.items.entries()) {
    const refusal = seen.has(item.quoteId)
      ? ({ type: 'refuse', reason: 'ID_TWICE' } as const)
      : refusalOf(request, item, { ...circumstances, usages, payeeFsp, owner: owners?.[at] })
    seen.add(item.quoteId)
    if (refusal === undefined) addPayment(usages, rules, { payerFsp, ...item })
    else refused.set(at, refusal)
  }
  if (payeeFsp !== undefined && refused.size < request.items.length) {
    return { type: 'ask', payeeFsp, refused }
  }
  const reason = commonReason(refused)
  return reason === undefined
    ? { type: 'refuse items', payeeFsp, refused }
    : { type: 'refuse', reason, payeeFsp }
}

/** The named FSP; otherwise the first FSP of the payees that can be paid. */
function payeeFspOf(
  request: BulkRequest,
  { owners = [], destinationFspId, statusOfFsp }: BulkCircumstances,
): string | undefined {
  const named = namedPayeeFsp(request, destinationFspId)
  if (named !== undefined) return named
  const holders = owners.flatMap((owner, at) =>
    owner.type === 'KNOWN' ? owner.fspIds.map((fspId) => ({ fspId, at })) : [],
  )
  const usable = holders.find(
    ({ fspId, at }) => statusOfFsp(fspId, request.items[at]?.currency ?? '') === 'USABLE',
  )
  return (usable ?? holders[0])?.fspId
}

interface ItemCircumstances extends BulkCircumstances {
  readonly payeeFsp: string | undefined
  readonly owner: Destination | undefined
}

function refusalOf(
  request: BulkRequest,
  item: BulkQuoteItem,
  { payeeFsp, owner, statusOfFsp, ...circumstances }: ItemCircumstances,
): ItemRefusal | undefined {
  if (payeeFsp === undefined || (owner !== undefined && owner.type !== 'KNOWN')) {
    const reason = owner === undefined || owner.type === 'KNOWN' ? 'PARTY_UNKNOWN' : owner.type
    return { type: 'refuse', reason }
  }
  const isOther =
    owner === undefined
      ? (item.payeeFspId ?? payeeFsp) !== payeeFsp
      : !owner.fspIds.includes(payeeFsp)
  if (isOther) return { type: 'refuse', reason: 'OTHER_PAYEE_FSP' }
  const judgement = judge(
    { ...request, ...item },
    {
      ...circumstances,
      destination: { type: 'KNOWN', fspIds: [payeeFsp] },
      statusOf: (fspId) => statusOfFsp(fspId, item.currency),
    },
  )
  return judgement.type === 'ask' ? undefined : judgement
}

/** The common reason of all items, if a whole quote can be refused for it. */
function commonReason(refused: RefusedItems): RequestReason | undefined {
  const reasons = new Set(
    [...refused.values()].map((refusal) => (refusal.type === 'refuse' ? refusal.reason : 'RULE')),
  )
  const [reason] = reasons
  return reasons.size > 1 || reason === undefined || isOfItem(reason) ? undefined : reason
}

function isOfItem(reason: RequestReason | ItemReason | 'RULE'): reason is ItemReason | 'RULE' {
  return reason === 'RULE' || reason === 'OTHER_PAYEE_FSP' || reason === 'ID_TWICE'
}
