/**
 * A payee FSP's answer, in two steps that may each be the last before a crash: post or release in the
 * ledger, move by its answer. Time is never judged here: the ledger holds the moment of receipt against
 * the expiry.
 */
import type { OutgoingMessage } from '@causeway/bus'
import type { CallbackDelivery } from '@causeway/records'
import {
  answerTo,
  errorOf,
  payeeMessageOf,
  type FulfilEvent,
  type RejectEvent,
} from './contract.ts'
import {
  decideFulfil,
  decideReject,
  type Fulfil,
  type PayeeDecision,
  type Reject,
} from './domain/decide.ts'
import type { TransferAnswer } from './domain/answer.ts'
import type { OutcomeEvidence } from './domain/evidence.ts'
import { isOpen, type Claimed, type Open, type Transfer } from './domain/transfer.ts'
import { refusalIn, type RequestDelivery as Judged } from './domain/undelivered.ts'
import {
  move,
  throwUnfinished,
  type LedgerReply,
  type LedgerCall,
  type MoveResult,
} from './move.ts'
import { answeredBy, finishPreparation } from './prepare.ts'
import type { RefusedMessage } from './records/record-store.ts'
import type { Deps } from './deps.ts'

export type PayeeEvent = FulfilEvent | RejectEvent

/** A reservation that the payee FSP's message is to end. */
export interface ToEnd extends LedgerCall {
  readonly transfer: Claimed & Open
  readonly message: Fulfil | Reject
  readonly event: PayeeEvent
  readonly ends: Ends
}

type Ends = Extract<PayeeDecision, { readonly type: 'post' | 'release' }>

export interface FulfilDecisions {
  readonly toEnd: readonly ToEnd[]
  /** To those whose message changes nothing. */
  readonly answers: readonly OutgoingMessage[]
  /** Messages that were refused for themselves. */
  readonly refused: readonly RefusedMessage[]
}

/** All steps. The events are of different transfers. */
export async function fulfil(deps: Deps, events: readonly PayeeEvent[]): Promise<void> {
  if (events.length === 0) return
  const { toEnd, answers, refused } = await decide(deps, events)
  const ended = await post(deps, toEnd)
  const late = ended.flatMap(lateOnes)
  if (refused.length + late.length > 0) {
    await deps.store.storeRefused([...refused, ...late], deps.now())
  }
  throwUnfinished(await move(deps, ended, { answers, reply: replyToPayee(deps) }))
}

/** Decides on the stored transfers; a reservation that is not finished is finished first. */
export async function decide(deps: Deps, events: readonly PayeeEvent[]): Promise<FulfilDecisions> {
  const stored = new Map(await deps.store.lastSeen(events.map(({ payload }) => payload.transferId)))
  const messages = events.map((event) => ({ event, message: payeeMessageOf(event) }))
  const unfinished = messages.flatMap(({ message }) => {
    const transfer = stored.get(message.transferId)
    const waits = transfer !== undefined && isOpen(transfer) && transfer.state === 'RECEIVED'
    return waits && decideMessage(deps, transfer, message).type === 'continue' ? [transfer] : []
  })
  if (unfinished.length > 0) {
    await finishPreparation(deps, unfinished)
    const finished = await deps.store.read(unfinished.map(({ transferId }) => transferId))
    for (const [transferId, transfer] of finished) stored.set(transferId, transfer)
  }
  const toEnd: ToEnd[] = []
  const answers: OutgoingMessage[] = []
  const refused: RefusedMessage[] = []
  for (const { event, message } of messages) {
    const transfer = stored.get(message.transferId)
    const decision = decideMessage(deps, transfer, message)
    if (decision.type === 'answer') {
      answers.push(answerTo(event, decision))
      refused.push(...refusalsOf(message, transfer, decision.error))
    }
    if (decision.type === 'alarm') {
      rejectedAfterCommit(deps, message)
      refused.push(...refusalsOf(message, transfer, 'NOT_RESERVED'))
    }
    if (decision.type === 'continue') throwUnfinished([{ transferId: message.transferId }])
    if (decision.type !== 'post' && decision.type !== 'release') continue
    if (transfer === undefined || !isOpen(transfer)) continue
    const { relay, traceparent } = event
    toEnd.push({ transfer, message, event, ends: decision, relay, traceparent })
  }
  return { toEnd, answers, refused }
}

/** The message that found the expiry is too late itself. */
function lateOnes({ call, answer }: LedgerReply<ToEnd>): readonly RefusedMessage[] {
  const isLate = answer.outcome === 'VOIDED' && answer.reason === 'TIMEOUT'
  return isLate ? refusalsOf(call.message, call.transfer, 'TOO_LATE') : []
}

/** Nothing where the sender only gets the same answer again. */
function refusalsOf(
  { eventId, transferId, kind, requesterFspId: fspId, receivedAt }: Fulfil | Reject,
  transfer: Transfer | undefined,
  reason: TransferAnswer['error'],
): readonly RefusedMessage[] {
  if (typeof reason !== 'string') return []
  return [{ eventId, transferId, kind, fspId, receivedAt, reason, state: transfer?.state }]
}

function decideMessage(
  { payeeRules }: Deps,
  transfer: Transfer | undefined,
  message: Fulfil | Reject,
): PayeeDecision {
  return message.kind === 'FULFIL'
    ? decideFulfil(transfer, message, payeeRules)
    : decideReject(transfer, message)
}

interface ToRelease extends ToEnd {
  readonly ends: Extract<Ends, { readonly type: 'release' }>
}

function releases(item: ToEnd): item is ToRelease {
  return item.ends.type === 'release'
}

/** Asks the ledger to post what is fulfilled and to release what is not. */
export async function post(
  deps: Deps,
  toEnd: readonly ToEnd[],
): Promise<readonly LedgerReply<ToEnd>[]> {
  const now = deps.now().toISOString()
  const good = toEnd.filter(({ ends }) => ends.type === 'post')
  const bad = toEnd.filter(releases)
  const [posted, released] = await Promise.all([
    deps.ledger.post(
      good.map(({ message }) => ({
        transferId: message.transferId,
        receivedAt: message.receivedAt,
        evidence: evidenceOf(message, now),
      })),
    ),
    deps.ledger.release(
      bad.map((item) => ({
        transfer: item.transfer,
        reason: item.ends.reason,
        evidence: refusedEvidenceOf(item, now),
      })),
    ),
  ])
  return [...answeredBy(good, posted), ...answeredBy(bad, released)]
}

/** The sender is answered when another message, or the clock, was first; also by its own move. */
export function replyToPayee(deps: Deps) {
  return ({ call, transfer }: MoveResult<ToEnd>): OutgoingMessage | undefined => {
    const { message, event } = call
    if (isOpen(transfer)) return undefined
    const decision = decideMessage(deps, transfer, message)
    if (decision.type === 'alarm') rejectedAfterCommit(deps, message)
    return decision.type === 'answer' ? answerTo(event, decision) : undefined
  }
}

function rejectedAfterCommit({ alarm }: Deps, { transferId, requesterFspId }: Reject | Fulfil) {
  alarm('REJECT_AFTER_COMMIT', transferId, `${requesterFspId} refuses what is committed`)
}

/** Of a fulfil that is to be posted. */
function evidenceOf(message: Fulfil | Reject, now: string): OutcomeEvidence {
  if (message.kind === 'REJECT' || message.fulfilment === undefined) {
    throw new Error(`${message.transferId} is to be posted without a fulfilment`)
  }
  const { eventId, payloadHash, version, fulfilment, notifyPayee, extensionList } = message
  const { completedTimestamp = now } = message
  return {
    kind: 'FULFIL',
    eventId,
    payloadHash,
    version,
    completedTimestamp,
    fulfilment,
    notifyPayee,
    ...(extensionList === undefined ? {} : { extensionList }),
  }
}

/** Of a message that voids the reservation. */
function refusedEvidenceOf({ transfer, message, ends }: ToRelease, now: string): OutcomeEvidence {
  const { eventId, payloadHash } = message
  // A payee FSP that has not answered is sent the version of the request that it received.
  const isOfPayee = message.requesterFspId === transfer.payeeFsp
  const version = isOfPayee ? message.version : transfer.payerVersion
  const ofMessage = { eventId, payloadHash, version, completedTimestamp: now }
  if (message.kind === 'REJECT') {
    return { kind: 'REJECT', ...ofMessage, errorInformation: message.errorInformation }
  }
  return {
    kind: 'INVALID_FULFILMENT',
    ...ofMessage,
    notifyPayee: message.notifyPayee,
    errorInformation: errorOf(ends.reason),
  }
}

/**
 * A reservation whose request the payee FSP has refused by its HTTP answer ends at once instead of at
 * its expiry. The ledger decides, as it does for a reject: a fulfil that was posted first is final.
 *
 * @param deliveries of POST /transfers
 */
export async function abortRefused(
  deps: Deps,
  deliveries: readonly (CallbackDelivery & Judged)[],
): Promise<void> {
  const refusals = new Map(
    deliveries.flatMap((delivery) => {
      const error = refusalIn(delivery)
      return error === undefined ? [] : [[delivery.entityId, { delivery, error }] as const]
    }),
  )
  if (refusals.size === 0) return
  const stored = await deps.store.read([...refusals.keys()])
  const completedTimestamp = deps.now().toISOString()
  const ending = [...refusals].flatMap(([transferId, { delivery, error }]) => {
    const transfer = stored.get(transferId)
    if (transfer === undefined || !isOpen(transfer) || transfer.state !== 'RESERVED') return []
    if (transfer.payeeFsp !== delivery.destinationFspId) return []
    return [{ transfer, error }]
  })
  const answers = await deps.ledger.release(
    ending.map(({ transfer, error }) => ({
      transfer,
      reason: 'REJECTED',
      evidence: { kind: 'REFUSAL', completedTimestamp, errorInformation: error },
    })),
  )
  throwUnfinished(await move(deps, answeredBy(ending, answers)))
}
