/**
 * A payer FSP's request for many quotes: every item is judged, then the bulk is claimed and announced in
 * one transaction. The hub answers refused items; the others are sent to the payee FSP.
 */
import type { OutgoingMessage } from '@causeway/bus'
import type { Participant } from '@causeway/participants'
import { type Destination, participantStatus } from '../quotes/domain/request.ts'
import { decideRepeat } from '../quotes/domain/decide.ts'
import { requestErrorOf } from '../quotes/errors.ts'
import { windowsOf } from '../rules/domain/judge-request.ts'
import type { Work } from '../work.ts'
import { answerOfErrors, requestOfItems, type MadeBody } from '../quotes/bodies.ts'
import {
  claimedBy,
  idUsed,
  itemsRefused,
  partiesOf,
  repeatOf,
  replayStored,
  requestAccepted,
  requestOf,
  requestRefused,
  tellError,
  type BulkRequestEvent,
} from './contract.ts'
import {
  judgeBulk,
  namedPayeeFsp,
  type BulkJudgement,
  type BulkRequest,
  type RefusedItems,
} from './domain/judge-items.ts'
import { itemErrorOf } from './errors.ts'
import type { BulkClaim, StoredBulk } from './store.ts'

export interface BulkJudgingParts extends Pick<
  Work,
  'participants' | 'findOwners' | 'pending_max_ms'
> {
  readonly rules: Pick<Work['rules'], 'rules'>
  readonly velocity: Pick<Work['velocity'], 'usages'>
}

export interface JudgedBulk {
  readonly event: BulkRequestEvent
  readonly request: BulkRequest
  readonly judgement: BulkJudgement
}

export async function requestBulk(work: Work, event: BulkRequestEvent): Promise<void> {
  const now = work.now()
  const judged = await judgeRequest(work, event, now)
  const says = publishedOf(judged)
  const claim = claimOf(judged, says)
  const isNew = await work.bulks.claim(claim, now, (stored) =>
    stored === undefined ? [says] : repeated(event, stored),
  )
  if (isNew) work.becameBulk(claim.bulk.state)
}

export async function judgeRequest(
  parts: BulkJudgingParts,
  event: BulkRequestEvent,
  now: Date,
): Promise<JudgedBulk> {
  const request = requestOf(event, parts.pending_max_ms)
  const { destinationFspId } = event.payload
  const owners =
    namedPayeeFsp(request, destinationFspId) === undefined
      ? await ownersOf(parts, event)
      : undefined
  const known = await participantsOf(parts, request, destinationFspId, owners)
  const rules = parts.rules.rules()
  const payers = request.items.map(({ currency }) => ({ payerFsp: request.payerFsp, currency }))
  const usages = await parts.velocity.usages(windowsOf(rules, payers), now)
  const judgement = judgeBulk(request, {
    owners,
    destinationFspId,
    statusOfFsp: (fspId, currency) => participantStatus(known.get(fspId), currency),
    rules,
    usages,
    now_ms: now.getTime(),
  })
  return { event, request, judgement }
}

/** The FSPs of each payee, in the order of the items. */
async function ownersOf(
  { findOwners }: BulkJudgingParts,
  event: BulkRequestEvent,
): Promise<readonly Destination[]> {
  const { individualQuotes } = event.payload
  const parties = partiesOf(event).flatMap((party, at) => {
    const currency = individualQuotes[at]?.amount.currency ?? ''
    return party === undefined ? [] : [{ ...party, currency }]
  })
  const found = (await findOwners(parties))[Symbol.iterator]()
  return partiesOf(event).map((party) => {
    const owner = party === undefined ? undefined : found.next().value
    return owner ?? { type: 'PARTY_UNKNOWN' }
  })
}

/** From the cache; participants that would lead to a refusal are fetched again first. */
function participantsOf(
  { participants }: BulkJudgingParts,
  request: BulkRequest,
  destinationFspId: string | undefined,
  owners: readonly Destination[] | undefined,
): Promise<ReadonlyMap<string, Participant>> {
  const named = namedPayeeFsp(request, destinationFspId)
  const holders = (owners ?? []).flatMap((owner) => (owner.type === 'KNOWN' ? owner.fspIds : []))
  const fspIds = new Set([request.payerFsp, ...(named === undefined ? [] : [named]), ...holders])
  const currencies = new Set(request.items.map(({ currency }) => currency))
  return participants.get([...fspIds], (participant) =>
    [...currencies].every((currency) => participantStatus(participant, currency) === 'USABLE'),
  )
}

/** The event about a new request, for the payee FSP or the payer FSP. */
export function publishedOf({ event, request, judgement }: JudgedBulk): OutgoingMessage {
  switch (judgement.type) {
    case 'ask':
      return requestAccepted(event, judgement.payeeFsp, madeOf(event, judgement.refused))
    case 'refuse':
      return requestRefused(event, judgement.reason)
    case 'refuse items': {
      const { refused } = judgement
      const items = request.items.map(({ quoteId }, at) => ({
        quoteId,
        error: errorAt(refused, at),
      }))
      return itemsRefused(event, answerOfErrors(items, claimedBy(event, request).expiresAt))
    }
  }
}

/** undefined: no item is refused, so the message is relayed unchanged. */
function madeOf({ payload, relay }: BulkRequestEvent, refused: RefusedItems): MadeBody | undefined {
  if (refused.size === 0) return undefined
  if (relay === undefined) throw new Error(`${payload.bulkQuoteId} has no message to relay`)
  const positions = payload.individualQuotes.flatMap((_item, at) => (refused.has(at) ? [] : [at]))
  return requestOfItems(relay, positions)
}

function errorAt(refused: RefusedItems, at: number) {
  const refusal = refused.get(at)
  return refusal === undefined ? undefined : itemErrorOf(refusal)
}

function claimOf({ event, request, judgement }: JudgedBulk, says: OutgoingMessage): BulkClaim {
  const refused: RefusedItems = judgement.type === 'refuse' ? new Map() : judgement.refused
  const { individualQuotes } = event.payload
  const body = says.headers['relay-body']
  return {
    bulk: { ...claimedBy(event, request), ...stateOf(judgement) },
    items: request.items.map(({ quoteId, amount, currency }, at) => ({
      quoteId,
      transactionId: individualQuotes[at]?.transactionId ?? '',
      amountType: individualQuotes[at]?.amountType ?? 'SEND',
      amount,
      currency,
      error: errorAt(refused, at),
    })),
    relay: event.relay,
    answer: judgement.type === 'refuse items' && Buffer.isBuffer(body) ? body : undefined,
  }
}

function stateOf(judgement: BulkJudgement) {
  const { payeeFsp } = judgement
  switch (judgement.type) {
    case 'ask':
      return { state: 'PENDING', payeeFsp: judgement.payeeFsp } as const
    case 'refuse': {
      const { reason } = judgement
      const error = requestErrorOf(reason)
      return { state: 'REJECTED', payeeFsp, reason, error, outcome: undefined } as const
    }
    case 'refuse items': {
      const error = errorAt(judgement.refused, 0)
      if (error === undefined) throw new Error('an item is not refused')
      return { state: 'REJECTED', payeeFsp, reason: 'ITEMS', error, outcome: undefined } as const
    }
  }
}

/** The answer to a request with a known id. */
function repeated(event: BulkRequestEvent, stored: StoredBulk): readonly OutgoingMessage[] {
  const decision = decideRepeat(stored.bulk, repeatOf(event))
  switch (decision.type) {
    case 'none':
      return []
    case 'refuse':
      return [idUsed(event)]
    case 'error':
      return [
        stored.answer === undefined
          ? tellError(event, decision)
          : replayStored(event, 'PAYER', stored.answer),
      ]
    case 'replay':
      return [replayStored(event, decision.legRole, stored.answer)]
  }
}
