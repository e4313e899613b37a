/**
 * A payee FSP's answer to a bulk. It is stored first, and a final answer excludes any other content; then
 * the items that it names are posted or released, slice by slice. Time is not judged here: the ledger
 * compares the time of receipt with the expiry.
 */
import type { OutcomeEvidence } from '../domain/evidence.ts'
import { isOpen, type Claimed, type Open } from '../domain/transfer.ts'
import type { LedgerAnswer } from '../domain/ledger-answer.ts'
import { errorOf } from '../contract.ts'
import type { PostItem, ReleaseItem } from '../ledger.ts'
import { move, throwUnfinished, type Unfinished } from '../move.ts'
import { answeredBy } from '../prepare.ts'
import {
  answerMessageOf,
  bulkAnswerTo,
  type BulkFulfilEvent,
  type BulkRejectEvent,
} from './contract.ts'
import type { Bulk } from './domain/bulk.ts'
import {
  decideBulkAnswer,
  decidedIds,
  decideItem,
  refusesAll,
  type BulkAnswer,
  type BulkFulfil,
  type BulkReject,
  type ItemDecision,
} from './domain/decide.ts'
import { share_bytes, withinBytes } from './domain/extensions.ts'
import { readShown } from './query.ts'
import { slicesOf } from './split.ts'
import type { BulkDeps } from '../deps.ts'

export type BulkAnswerEvent = BulkFulfilEvent | BulkRejectEvent
type FulfilOrReject = BulkFulfil | BulkReject

/** All steps. */
export async function answer(deps: BulkDeps, event: BulkAnswerEvent): Promise<void> {
  const message = answerMessageOf(event)
  const taken = await takeAnswer(deps, event, message)
  if (taken !== undefined) await endItems(deps, event, message, taken)
}

/** A bulk, and those of its items that a message decides on and that are open. */
interface BulkWithOpenItems {
  readonly bulk: Bulk
  readonly open: readonly string[]
}

/** (a) Stores the message; the items that it ends, or undefined when it changes nothing. */
async function takeAnswer(
  deps: BulkDeps,
  event: BulkAnswerEvent,
  message: FulfilOrReject,
): Promise<BulkWithOpenItems | undefined> {
  for (;;) {
    const bulk = await deps.bulks.read(message.bulkTransferId)
    const decision = decideBulkAnswer(bulk, message)
    if (decision.type === 'silence') return undefined
    if (decision.type === 'answer') {
      await tellSender(deps, event, bulk, decision)
      return undefined
    }
    if (bulk === undefined) throw new Error(`${message.bulkTransferId} is taken, but not stored`)
    const decided = decidedIds(bulk, message)
    const open =
      decided.length === 0 ? [] : await deps.bulks.openItems(bulk.bulkTransferId, decided)
    // Nothing new is reported: repeated in any number, it costs two short reads.
    if (open.length === 0 && !decision.isLast && bulk.state === 'PROCESSING') return undefined
    const { bulkTransferId, eventId, kind, receivedAt } = message
    await deps.giveWay()
    const isTaken = await deps.bulks.take({
      bulkTransferId,
      eventId,
      kind,
      receivedAt,
      relay: event.relay,
      lastWord: decision.isLast ? lastWordOf(message) : undefined,
    })
    if (isTaken) return { bulk, open }
    // Another message, or the end of the bulk, was first: it is decided by what is stored now.
  }
}

function lastWordOf(message: FulfilOrReject) {
  const { eventId, payloadHash: hash, version } = message
  const error = message.kind === 'REJECT' ? message.errorInformation : undefined
  return { eventId, hash, version, refuses: refusesAll(message), error }
}

async function tellSender(
  deps: BulkDeps,
  event: BulkAnswerEvent,
  bulk: Bulk | undefined,
  decision: BulkAnswer,
): Promise<void> {
  const { error } = decision
  if (error !== undefined) {
    const { bulkTransferId: transferId, requesterFspId: fspId, receivedAt } = event.payload
    const kind = event.name === 'BulkTransferRejectRequested' ? 'REJECT' : 'FULFIL'
    const state = bulk?.state
    const refusal = {
      eventId: event.id,
      transferId,
      kind,
      fspId,
      receivedAt,
      reason: error,
      state,
    } as const
    await deps.store.storeRefused([refusal], deps.now())
  }
  const shown = error !== undefined || bulk === undefined ? undefined : await readShown(deps, bulk)
  await deps.bulks.announce([bulkAnswerTo(deps, event, decision, shown)])
}

interface ToEnd {
  readonly transfer: Claimed & Open
  readonly decision: ItemDecision
  readonly traceparent: string | undefined
}

/** (b) Asks the ledger to post what is fulfilled and to release what is not; items that are final stay. */
async function endItems(
  deps: BulkDeps,
  event: BulkAnswerEvent,
  message: FulfilOrReject,
  { bulk, open }: BulkWithOpenItems,
): Promise<void> {
  const { traceparent } = event
  const decisionOf = itemDecisions(message, share_bytes(bulk.counts.items))
  const unfinished: Unfinished[] = []
  // Read slice by slice, so that no long read stops single payments.
  for (const slice of slicesOf(open)) {
    await deps.giveWay()
    const stored = await deps.store.read(slice)
    const toEnd = slice.flatMap((transferId) => {
      const transfer = stored.get(transferId)
      if (transfer?.bulkTransferId !== bulk.bulkTransferId || !isOpen(transfer)) return []
      const decision = decisionOf(transfer)
      return decision === undefined ? [] : [{ transfer, decision, traceparent }]
    })
    const answers = await askLedger(deps, message, toEnd)
    unfinished.push(...(await move(deps, answeredBy(toEnd, answers))))
  }
  throwUnfinished(unfinished)
}

/**
 * The result of a transfer in the message; undefined: none. The first of several results counts. Extension
 * lists of more bytes than the share of an item are left out.
 */
function itemDecisions(
  message: FulfilOrReject,
  extensions_bytes_max: number,
): (transfer: Claimed & Open) => ItemDecision | undefined {
  if (message.kind === 'REJECT') {
    const { errorInformation } = withinBytes(message, extensions_bytes_max)
    return () => ({ type: 'release', reason: 'REJECTED', error: errorInformation })
  }
  const results = new Map(
    message.results.toReversed().map((result) => [result.transferId, result] as const),
  )
  const resultOf = (transferId: string) => {
    const result = results.get(transferId)
    return result === undefined ? undefined : withinBytes(result, extensions_bytes_max)
  }
  if (!refusesAll(message)) {
    return (transfer) => {
      const result = resultOf(transfer.transferId)
      return result === undefined ? undefined : decideItem(transfer, result)
    }
  }
  return ({ transferId }) => {
    const { errorInformation: error, extensionList } = resultOf(transferId) ?? {}
    return { type: 'release', reason: 'REJECTED', error, extensionList }
  }
}

/** One answer for each, in the same order. */
async function askLedger(
  deps: BulkDeps,
  message: FulfilOrReject,
  slice: readonly ToEnd[],
): Promise<readonly LedgerAnswer[]> {
  const now = deps.now().toISOString()
  const posts: PostItem[] = []
  const releases: ReleaseItem[] = []
  for (const { transfer, decision } of slice) {
    const ofMessage = evidenceOf(message, now)
    if (decision.type === 'post') {
      const { fulfilment, extensionList } = decision
      const evidence: OutcomeEvidence = {
        kind: 'FULFIL',
        ...ofMessage,
        fulfilment,
        notifyPayee: false,
        extensionList,
      }
      const { transferId } = transfer
      posts.push({ transferId, receivedAt: message.receivedAt, evidence })
    } else {
      const { reason } = decision
      releases.push({ transfer, reason, evidence: refusalOf(decision, ofMessage) })
    }
  }
  const [posted, released] = await Promise.all([
    deps.ledger.post(posts),
    deps.ledger.release(releases),
  ])
  let [post, release] = [0, 0]
  return slice.map(({ transfer, decision }) => {
    const found = decision.type === 'post' ? posted[post++] : released[release++]
    if (found === undefined) throw new Error(`no answer for ${transfer.transferId}`)
    return found
  })
}

interface OfMessage {
  readonly eventId: string
  readonly payloadHash: string
  readonly version: string
  readonly completedTimestamp: string
}

function evidenceOf(message: FulfilOrReject, now: string): OfMessage {
  const { eventId, payloadHash, version } = message
  const given = message.kind === 'FULFIL' ? message.completedTimestamp : undefined
  return { eventId, payloadHash, version, completedTimestamp: given ?? now }
}

function refusalOf(
  { reason, error, extensionList }: Extract<ItemDecision, { readonly type: 'release' }>,
  ofMessage: OfMessage,
): OutcomeEvidence {
  const errorInformation = error ?? errorOf(reason)
  return reason === 'REJECTED'
    ? { kind: 'REJECT', ...ofMessage, errorInformation, extensionList }
    : { kind: 'INVALID_FULFILMENT', ...ofMessage, notifyPayee: false, errorInformation }
}
