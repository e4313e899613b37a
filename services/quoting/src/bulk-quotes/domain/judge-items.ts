/**
 * Which items of a request may go to the payee FSP. A bulk is for one payee FSP; each item is judged like
 * a quote of its own, in the order of the request, and one that may not go on takes none of the others
 * with it.
 */
import type { RequestReason } from '../../quotes/domain/quote.ts'
import {
  judge,
  refusalOfMessage,
  type Circumstances,
  type Destination,
  type Request,
} from '../../quotes/domain/request.ts'
import type { Violation } from '../../rules/domain/rule.ts'

export interface Item {
  readonly quoteId: string
  /** The FSP that the item itself says its payee is with. */
  readonly payeeFspId: string | undefined
  /** Ten-thousandths. */
  readonly amount: bigint
  readonly currency: string
  readonly scenario: string
}

/** A POST /bulkQuotes as far as it is judged. */
export interface BulkRequest extends Pick<Request, 'payerFsp' | 'payerNamedFsp' | 'expires_ms'> {
  readonly items: readonly Item[]
}

export interface BulkCircumstances extends Pick<Circumstances, 'rules' | 'usages' | 'now_ms'> {
  /** Of an FSP in a currency. */
  readonly standing: (fspId: string, currency: string) => ReturnType<Circumstances['statusOf']>
  /** Of each item where nothing names the payee FSP; undefined: the FSP is named. */
  readonly owners: readonly Destination[] | undefined
  /** By the header. */
  readonly destinationFspId: string | undefined
}

export type ItemRefusal =
  | { readonly type: 'refuse'; readonly reason: RequestReason | ItemReason }
  | { readonly type: 'forbid'; readonly violation: Violation }

/** OTHER_PAYEE_FSP: the bulk is for another FSP; ID_TWICE: an item before it has the same id. */
export type ItemReason = 'OTHER_PAYEE_FSP' | 'ID_TWICE'

export type BulkJudgement =
  /** The payee FSP is asked for all items but these, by their positions. */
  | { readonly type: 'ask'; readonly payeeFsp: string; readonly refused: Refused }
  /** The same is against each item. */
  | {
      readonly type: 'refuse'
      readonly reason: RequestReason
      readonly payeeFsp: string | undefined
    }
  | {
      readonly type: 'refuse items'
      readonly payeeFsp: string | undefined
      readonly refused: Refused
    }

export type Refused = ReadonlyMap<number, ItemRefusal>

/** The FSP that the message itself says it is for: in its header, or in the first item that names one. */
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
  const seen = new Set<string>()
  const refused = new Map<number, ItemRefusal>()
  for (const [at, item] of request.items.entries()) {
    const refusal = seen.has(item.quoteId)
      ? ({ type: 'refuse', reason: 'ID_TWICE' } as const)
      : refusalOf(request, item, { ...circumstances, payeeFsp, owner: circumstances.owners?.[at] })
    seen.add(item.quoteId)
    if (refusal !== undefined) refused.set(at, refusal)
  }
  if (payeeFsp !== undefined && refused.size < request.items.length) {
    return { type: 'ask', payeeFsp, refused }
  }
  const reason = commonReason(refused)
  return reason === undefined
    ? { type: 'refuse items', payeeFsp, refused }
    : { type: 'refuse', reason, payeeFsp }
}

/** Who is named; else, of those who hold the payees, the first that can be paid. */
function payeeFspOf(
  request: BulkRequest,
  { owners = [], destinationFspId, standing }: BulkCircumstances,
): string | undefined {
  const named = namedPayeeFsp(request, destinationFspId)
  if (named !== undefined) return named
  const holders = owners.flatMap((owner, at) =>
    owner.type === 'KNOWN' ? owner.fspIds.map((fspId) => ({ fspId, at })) : [],
  )
  const usable = holders.find(
    ({ fspId, at }) => standing(fspId, request.items[at]?.currency ?? '') === 'USABLE',
  )
  return (usable ?? holders[0])?.fspId
}

interface ItemCircumstances extends BulkCircumstances {
  readonly payeeFsp: string | undefined
  readonly owner: Destination | undefined
}

function refusalOf(
  request: BulkRequest,
  item: Item,
  { payeeFsp, owner, standing, ...circumstances }: ItemCircumstances,
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
      statusOf: (fspId) => standing(fspId, item.currency),
    },
  )
  return judgement.type === 'ask' ? undefined : judgement
}

/** The reason for which a quote as a whole could be refused too, when it is that of every item. */
function commonReason(refused: Refused): RequestReason | undefined {
  const reasons = new Set(
    [...refused.values()].map((refusal) => (refusal.type === 'refuse' ? refusal.reason : 'RULE')),
  )
  const [reason] = reasons
  return reasons.size > 1 || reason === undefined || isOfItem(reason) ? undefined : reason
}

function isOfItem(reason: RequestReason | ItemReason | 'RULE'): reason is ItemReason | 'RULE' {
  return reason === 'RULE' || reason === 'OTHER_PAYEE_FSP' || reason === 'ID_TWICE'
}
