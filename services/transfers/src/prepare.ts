/**
 * A payer FSP's request, in three steps that may each be the last before a crash: claim the id, reserve
 * in the ledger, move by its answer. Whoever comes next goes on where this one stopped.
 */
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
import { writable, type Claimed, type Open, type Transfer } from './domain/transfer.ts'
import type { AccountHints } from './ledger.ts'
import { move, throwUnfinished, type Answered, type Asked, type Outcome } from './move.ts'
import type { Refusal } from './record-store.ts'
import type { Work } from './work.ts'

/** A claimed id that is to be reserved. */
export interface ToReserve extends Asked {
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
  readonly refused: readonly Refusal[]
}

/** All three steps. The events are of different transfers. */
export async function prepare(work: Work, events: readonly PrepareEvent[]): Promise<void> {
  if (events.length === 0) return
  const { toReserve, answers, refused } = await claim(work, events)
  if (refused.length > 0) await work.store.keepRefused(refused, work.now())
  const reserved = await reserve(work, toReserve)
  throwUnfinished(await move(work, reserved, { answers, tell: tellPayer }))
}

/** (a) Stores new ids with their requests; of the others, decides what the request means. */
export async function claim(work: Work, events: readonly PrepareEvent[]): Promise<Claims> {
  const asked = events.map((event) => ({ event, transfer: claimedBy(event) }))
  const claims = asked.map(({ event, transfer }) => ({
    transfer,
    receivedAt: event.payload.receivedAt,
    sweepAt: writable(Date.parse(transfer.expiresAt) + work.expiryGrace_ms),
    relay: event.relay,
  }))
  const claimed = await work.store.claim(claims, work.now())
  const known = asked.filter(({ transfer }) => !claimed.has(transfer.transferId))
  const stored = await work.store.read(known.map(({ transfer }) => transfer.transferId))
  const toReserve: ToReserve[] = []
  const answers: OutgoingMessage[] = []
  const refused: Refusal[] = []
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

function modified({ id, payload }: PrepareEvent, { transferId, state }: Transfer): Refusal {
  const { payerFsp: fspId, receivedAt } = payload
  const reason = 'CONTENT_MODIFIED'
  return { eventId: id, transferId, kind: 'PREPARE', fspId, receivedAt, reason, state }
}

function continuing(event: PrepareEvent, transfer: Claimed & Open): ToReserve {
  const { payload, relay, traceparent } = event
  const { payerAccountId = 0, payeeAccountId = 0 } = payload
  return { transfer, hints: { payerAccountId, payeeAccountId }, event, relay, traceparent }
}

/**
 * (b) Asks the ledger. Without a settlement model nothing can be reserved: the ledger records that the
 * id is void, so that no later attempt reserves it.
 */
export async function reserve(
  work: Work,
  toReserve: readonly ToReserve[],
): Promise<readonly Answered<ToReserve>[]> {
  const [settled, unsettled] = partition(toReserve, ({ transfer }) => transfer.allocation)
  const [reserved, released] = await Promise.all([
    work.ledger.reserve(settled.map(({ transfer, hints }) => ({ transfer, ...hints }))),
    work.ledger.release(unsettled.map(({ transfer }) => withoutModel(transfer, work.now()))),
  ])
  return [...answeredBy(settled, reserved), ...answeredBy(unsettled, released)]
}

function withoutModel(transfer: Claimed, now: Date): Parameters<Work['ledger']['release']>[0][0] {
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

/** (c) is `move`. Whoever finds the transfer moved already is answered by the state it found. */
export function tellPayer({
  asked: { event },
  transfer,
  announced,
}: Outcome<ToReserve>): OutgoingMessage | undefined {
  if (event === undefined || announced !== undefined) return undefined
  const decision = decidePrepare(transfer, prepareOf(event))
  return decision.type === 'answer' ? answerTo(event, decision) : undefined
}

/**
 * Goes on with transfers whose reservation is not finished, because the payee FSP's message found them
 * so: reserves and moves, announcing with the request as it was stored.
 */
export async function finishPreparation(
  work: Work,
  transfers: readonly (Claimed & Open)[],
): Promise<void> {
  if (transfers.length === 0) return
  const requests: ReadonlyMap<string, Relay> = await work.store.requests(
    transfers.map(({ transferId }) => transferId),
  )
  const toReserve = transfers.map((transfer) => ({
    transfer,
    hints: { payerAccountId: 0, payeeAccountId: 0 },
    relay: requests.get(transfer.transferId),
  }))
  throwUnfinished(await move(work, await reserve(work, toReserve), { tell: tellPayer }))
}

/** The ledger answers in the order in which it was asked. */
export function answeredBy<A extends Asked>(
  asked: readonly A[],
  answers: readonly LedgerAnswer[],
): readonly Answered<A>[] {
  return asked.map((item, at) => {
    const answer = answers[at]
    if (answer === undefined) throw new Error(`no answer for ${item.transfer.transferId}`)
    return { asked: item, answer, consequence: consequenceOf(answer) }
  })
}

function partition<T>(items: readonly T[], has: (item: T) => unknown): readonly [T[], T[]] {
  const yes: T[] = []
  const no: T[] = []
  for (const item of items) (has(item) === undefined ? no : yes).push(item)
  return [yes, no]
}
