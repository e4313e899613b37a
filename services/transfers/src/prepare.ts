/**
 * A payer FSP's request in three steps: claim the id, reserve in the ledger, move by its answer. A crash
 * may follow any of them; the next message about the transfer continues from the stored state.
 */
import { writableTime } from '@causeway/fspiop'
import type { OutgoingMessage } from '@causeway/bus'
import type { Relay } from '@causeway/events'
import {
  answerTo,
  claimedBy,
  errorOf,
  modifiedRequest,
  prepareOf,
  type PrepareEvent,
} from './contract.ts'
import { decidePrepare } from './domain/decide.ts'
import { consequenceOf, type LedgerAnswer } from './domain/ledger-answer.ts'
import type { Claimed, Open, Transfer } from './domain/transfer.ts'
import type { AccountHints } from './ledger.ts'
import {
  move,
  throwUnfinished,
  type LedgerReply,
  type LedgerCall,
  type MoveResult,
} from './move.ts'
import type { RefusedMessage } from './records/record-store.ts'
import type { Deps } from './deps.ts'

/** A claimed id that is to be reserved. */
export interface ToReserve extends LedgerCall {
  readonly transfer: Claimed & Open
  readonly hints: AccountHints
  /** undefined when the payee FSP's message found it unfinished. */
  readonly event?: PrepareEvent
}

export interface Claims {
  readonly toReserve: readonly ToReserve[]
  /** To those whose request changes nothing. */
  readonly answers: readonly OutgoingMessage[]
  /** Requests with another content than the one that has the id. */
  readonly refused: readonly RefusedMessage[]
}

/** All three steps. The events are of different transfers. */
export async function prepare(deps: Deps, events: readonly PrepareEvent[]): Promise<void> {
  if (events.length === 0) return
  const { toReserve, answers, refused } = await claim(deps, events)
  if (refused.length > 0) await deps.store.storeRefused(refused, deps.now())
  const reserved = await reserve(deps, toReserve)
  throwUnfinished(await move(deps, reserved, { answers, reply: replyToPayer }))
}

/** (a) Stores new ids with their requests; of the others, decides what the request means. */
export async function claim(deps: Deps, events: readonly PrepareEvent[]): Promise<Claims> {
  const asked = events.map((event) => ({ event, transfer: claimedBy(event) }))
  const claims = asked.map(({ event, transfer }) => ({
    transfer,
    sweepAt: writableTime(Date.parse(transfer.expiresAt) + deps.expiryGrace_ms),
    relay: event.relay,
  }))
  const claimed = await deps.store.claim(claims, deps.now())
  const known = asked.filter(({ transfer }) => !claimed.has(transfer.transferId))
  const stored = await deps.store.read(known.map(({ transfer }) => transfer.transferId))
  const toReserve: ToReserve[] = []
  const answers: OutgoingMessage[] = []
  const refused: RefusedMessage[] = []
  for (const { event, transfer } of asked) {
    const found = claimed.has(transfer.transferId) ? transfer : stored.get(transfer.transferId)
    if (found === undefined) throw new Error(`${transfer.transferId} is claimed, but not stored`)
    if (found === transfer) {
      toReserve.push(continuing(event, transfer))
      continue
    }
    const decision = decidePrepare(found, prepareOf(event))
    if (decision.type === 'refuse') {
      answers.push(modifiedRequest(event))
      refused.push(modified(event, found))
    } else if (decision.type === 'answer') answers.push(answerTo(event, decision))
    else if (decision.type === 'continue' && found.state === 'RECEIVED') {
      toReserve.push(continuing(event, found))
    }
  }
  return { toReserve, answers, refused }
}

function modified({ id, payload }: PrepareEvent, { transferId, state }: Transfer): RefusedMessage {
  const { payerFsp: fspId, receivedAt } = payload
  const reason = 'CONTENT_MODIFIED'
  return { eventId: id, transferId, kind: 'PREPARE', fspId, receivedAt, reason, state }
}

function continuing(event: PrepareEvent, transfer: Claimed & Open): ToReserve {
  const { payload, relay, traceparent } = event
  const { payerAccountId, payeeAccountId } = payload
  return { transfer, hints: { payerAccountId, payeeAccountId }, event, relay, traceparent }
}

/**
 * (b) Asks the ledger. Without a settlement model nothing can be reserved: the ledger records that the
 * id is void, so that no later attempt reserves it.
 */
export async function reserve(
  deps: Deps,
  toReserve: readonly ToReserve[],
): Promise<readonly LedgerReply<ToReserve>[]> {
  const [settled, unsettled] = partition(toReserve, ({ transfer }) => transfer.allocation)
  const [reserved, released] = await Promise.all([
    deps.ledger.reserve(settled.map(({ transfer, hints }) => ({ transfer, ...hints }))),
    deps.ledger.release(unsettled.map(({ transfer }) => withoutModel(transfer, deps.now()))),
  ])
  return [...answeredBy(settled, reserved), ...answeredBy(unsettled, released)]
}

function withoutModel(transfer: Claimed, now: Date): Parameters<Deps['ledger']['release']>[0][0] {
  return {
    transfer,
    reason: 'NO_SETTLEMENT_MODEL',
    evidence: {
      kind: 'REFUSAL',
      completedTimestamp: now.toISOString(),
      errorInformation: errorOf('NO_SETTLEMENT_MODEL'),
    },
  }
}

/** (c) is `move`. A request that finds the transfer moved already is answered by its state. */
export function replyToPayer({
  call: { event },
  transfer,
  announced,
}: MoveResult<ToReserve>): OutgoingMessage | undefined {
  if (event === undefined || announced !== undefined) return undefined
  const decision = decidePrepare(transfer, prepareOf(event))
  return decision.type === 'answer' ? answerTo(event, decision) : undefined
}

/**
 * Continues transfers whose reservation is unfinished when the payee FSP's message arrives: reserves and
 * moves them; the announcement carries the stored request.
 */
export async function finishPreparation(
  deps: Deps,
  transfers: readonly (Claimed & Open)[],
): Promise<void> {
  if (transfers.length === 0) return
  const requests: ReadonlyMap<string, Relay> = await deps.store.requests(
    transfers.map(({ transferId }) => transferId),
  )
  const toReserve = transfers.map((transfer) => ({
    transfer,
    hints: {},
    relay: requests.get(transfer.transferId),
  }))
  throwUnfinished(await move(deps, await reserve(deps, toReserve), { reply: replyToPayer }))
}

/** The ledger answers in the order in which it was asked. */
export function answeredBy<A extends LedgerCall>(
  asked: readonly A[],
  answers: readonly LedgerAnswer[],
): readonly LedgerReply<A>[] {
  return asked.map((item, at) => {
    const answer = answers[at]
    if (answer === undefined) throw new Error(`no answer for ${item.transfer.transferId}`)
    return { call: item, answer, consequence: consequenceOf(answer) }
  })
}

function partition<T>(items: readonly T[], has: (item: T) => unknown): readonly [T[], T[]] {
  const yes: T[] = []
  const no: T[] = []
  for (const item of items) (has(item) === undefined ? no : yes).push(item)
  return [yes, no]
}
