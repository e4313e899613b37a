/**
 * Transfers follow the ledger: each answer moves its transfer by the table of consequences. The events
 * of a move are stored in its transaction. Rows that another attempt has moved remain as they are.
 */
import { FromNewerRelease, type OutgoingMessage } from '@causeway/bus'
import type { Relay } from '@causeway/events'
import { endedBulk, endedItems, type EndedItem } from './bulks/contract.ts'
import { announcementOf, errorOf, mojaloopErrorOf, type Moved } from './contract.ts'
import type { Fulfil, Reject } from './domain/decide.ts'
import {
  canMove,
  isEndedBy,
  transferAfter,
  type Consequence,
  type LedgerAnswer,
  type MovingAnswer,
} from './domain/ledger-answer.ts'
import {
  isOpen,
  type Claimed,
  type Final,
  type Open,
  type OpenState,
  type Transfer,
} from './domain/transfer.ts'
import type { TransferMove, StoredMessage, Movement } from './store.ts'
import type { Deps } from './deps.ts'

/** A call to the ledger about one transfer. */
export interface LedgerCall {
  /** As last read. */
  readonly transfer: Transfer
  /** The payee FSP's message, if one caused the call. */
  readonly message?: Fulfil | Reject | undefined
  /** The received bytes: of the payee FSP's message, else of the payer FSP's request. */
  readonly relay?: Relay | undefined
  readonly traceparent?: string | undefined
}

export interface LedgerReply<A extends LedgerCall> {
  readonly call: A
  readonly answer: LedgerAnswer
  readonly consequence: Consequence
}

/** A transfer after the call; `announced` is set if this step moved it. */
export interface MoveResult<A extends LedgerCall> {
  readonly call: A
  readonly transfer: Transfer
  readonly announced: Moved['announces'] | undefined
}

export interface MoveOptions<A extends LedgerCall> {
  /** Announced in the same transaction, whether or not anything moves. */
  readonly answers?: readonly OutgoingMessage[]
  /** The reply to the FSP whose message caused the call, next to the announcement. May be called twice. */
  readonly reply?: (outcome: MoveResult<A>) => OutgoingMessage | undefined
}

/** Returns the transfers that remain unfinished because the ledger's answer decides nothing. */
export async function move<A extends LedgerCall>(
  deps: Deps,
  answered: readonly LedgerReply<A>[],
  { answers = [], reply }: MoveOptions<A> = {},
): Promise<readonly Unfinished[]> {
  const now = deps.now()
  const planned = answered.flatMap((item) => plannedMove(deps, item, now) ?? [])
  const changes = planned.map(({ change }) => change)
  if (changes.length === 0 && answers.length === 0) return finish(deps, answered, new Map(), now)
  const movement = await deps.store.move(changes, now, (found) => [
    ...planned.flatMap((plan) => eventsFor(plan, found, now, reply)),
    ...bulkEventsFor(deps, planned, found, now),
    ...answers,
  ])
  for (const { call, answer, consequence } of planned) {
    const from = movement.moved.get(call.transfer.transferId)
    const becomes = from === undefined ? undefined : consequence[from]
    if (from !== undefined && becomes?.type === 'moves' && becomes.heals === true) {
      raise(deps, call.transfer.transferId, from, answer)
    }
  }
  return finish(deps, answered, statesAfter(planned, movement), now)
}

interface Planned<A extends LedgerCall> extends LedgerReply<A> {
  readonly answer: MovingAnswer
  readonly change: TransferMove
}

function plannedMove<A extends LedgerCall>(
  { compatibility }: Deps,
  { call, answer, consequence }: LedgerReply<A>,
  now: Date,
): Planned<A> | undefined {
  if (!canMove(answer) || consequence.RECEIVED.type !== 'moves') return undefined
  const { message, relay } = call
  const claimed = claimedOf(call.transfer)
  const transfer = transferAfter(claimed, answer, {
    now: now.toISOString(),
    errorOf: (reason) =>
      compatibility === 'mojaloop' ? mojaloopErrorOf(reason, claimed) : errorOf(reason),
  })
  const change: TransferMove = {
    transfer,
    fromReserved: consequence.RESERVED.type === 'moves',
    windowId: answer.outcome === 'POSTED' ? answer.windowId : undefined,
    message: relay === undefined ? undefined : storedMessage(transfer, message, relay),
  }
  return { call, answer, consequence, change }
}

function storedMessage(
  transfer: Open | Final,
  message: Fulfil | Reject | undefined,
  relay: Relay,
): StoredMessage | undefined {
  if (message === undefined || !isEndedBy(transfer, message)) return undefined
  const { kind, eventId, receivedAt } = message
  return { kind, eventId, receivedAt, relay }
}

/** The announcement of a move, and the reply to the FSP that caused it. */
function eventsFor<A extends LedgerCall>(
  { call, answer, consequence, change }: Planned<A>,
  { moved, unmoved }: Movement,
  now: Date,
  reply: MoveOptions<A>['reply'],
): readonly OutgoingMessage[] {
  const { transfer } = change
  const from = moved.get(transfer.transferId)
  const becomes = from === undefined ? undefined : consequence[from]
  const announced = becomes?.type === 'moves' ? becomes.announces : undefined
  const found = announced === undefined ? unmoved.get(transfer.transferId) : transfer
  const events: OutgoingMessage[] = []
  if (announced !== undefined && transfer.bulkTransferId === undefined) {
    const { message, relay, traceparent } = call
    events.push(
      announcementOf({
        transfer,
        announces: announced,
        answer,
        message,
        relay,
        traceparent,
        now: now.toISOString(),
      }),
    )
  }
  const replied = found === undefined ? undefined : reply?.({ call, transfer: found, announced })
  if (replied !== undefined) events.push(replied)
  return events
}

/** Items are announced through their bulks: the items that this move ended, and the bulks that end with them. */
function bulkEventsFor<A extends LedgerCall>(
  { compatibility }: Deps,
  planned: readonly Planned<A>[],
  { moved, ended }: Movement,
  now: Date,
): readonly OutgoingMessage[] {
  const items = new Map<string, [EndedItem, ...EndedItem[]]>()
  const traces = new Map<string, string | undefined>()
  for (const { call, answer, change } of planned) {
    const { transfer } = change
    const { bulkTransferId, transferId } = transfer
    if (bulkTransferId === undefined || !moved.has(transferId)) continue
    traces.set(bulkTransferId, call.traceparent)
    if (isOpen(transfer)) continue
    const ofBulk = items.get(bulkTransferId)
    if (ofBulk === undefined) items.set(bulkTransferId, [{ transfer, answer }])
    else ofBulk.push({ transfer, answer })
  }
  const traceOf = (bulkTransferId: string) => traces.get(bulkTransferId)
  return [
    ...[...items].map(([id, ofBulk]) => endedItems(ofBulk, now.toISOString(), traceOf(id))),
    ...ended.map((one) => endedBulk(one, traceOf(one.bulk.bulkTransferId), compatibility)),
  ]
}

/** The states of rows that remain open; DONE for the others. */
function statesAfter<A extends LedgerCall>(
  planned: readonly Planned<A>[],
  { moved, unmoved }: Movement,
): ReadonlyMap<string, OpenState | 'DONE'> {
  return new Map(
    planned.map(({ change: { transfer } }) => {
      const { transferId } = transfer
      const state = moved.has(transferId) ? undefined : unmoved.get(transferId)?.state
      return [transferId, state === 'RECEIVED' || state === 'RESERVED' ? state : 'DONE']
    }),
  )
}

/** Handles the answers that moved nothing: waits, retries and alarms. */
async function finish<A extends LedgerCall>(
  deps: Deps,
  answered: readonly LedgerReply<A>[],
  states: ReadonlyMap<string, OpenState | 'DONE'>,
  now: Date,
): Promise<readonly Unfinished[]> {
  const again: { transferId: string; at: Date }[] = []
  const unfinished: Unfinished[] = []
  for (const { call, answer, consequence } of answered) {
    const { transferId } = call.transfer
    const state = states.get(transferId) ?? openStateOf(call.transfer)
    if (state === 'DONE') continue
    const becomes = consequence[state]
    if (becomes.type === 'waits' && answer.outcome === 'TOO_EARLY') {
      again.push({ transferId, at: new Date(now.getTime() + answer.retry_ms) })
    } else if (becomes.type === 'unfinished') {
      unfinished.push({ transferId })
    } else if (becomes.type === 'alarm') {
      raise(deps, transferId, state, answer)
      if (answer.outcome === 'FAULT') unfinished.push({ transferId })
      if (answer.outcome === 'NOT_UNDERSTOOD') {
        unfinished.push({ transferId, notUnderstood: answer.detail })
      }
    }
  }
  await deps.store.sweepAgain(again)
  return unfinished
}

function raise({ alarm }: Deps, transferId: string, state: OpenState, answer: LedgerAnswer): void {
  if (answer.outcome === 'FAULT') {
    alarm('LEDGER_FAULT', transferId, answer.detail)
    return
  }
  if (answer.outcome === 'NOT_UNDERSTOOD') {
    alarm('LEDGER_NEWER', transferId, answer.detail)
    return
  }
  const reason = 'reason' in answer ? ` (${answer.reason})` : ''
  alarm('LEDGER_DISAGREES', transferId, `${state} here, ${answer.outcome}${reason} in the ledger`)
}

function openStateOf({ state }: Transfer): OpenState | 'DONE' {
  return state === 'RECEIVED' || state === 'RESERVED' ? state : 'DONE'
}

/** Without the members that later states add. */
function claimedOf(transfer: Transfer): Claimed {
  const { transferId, payerFsp, payeeFsp, amount, currency, expiresAt, condition } = transfer
  const { requestHash, allocation, payerVersion, prepareEventId } = transfer
  const { receivedAt, bulkTransferId } = transfer
  return {
    transferId,
    payerFsp,
    payeeFsp,
    amount,
    currency,
    expiresAt,
    condition,
    requestHash,
    allocation,
    payerVersion,
    prepareEventId,
    receivedAt,
    bulkTransferId,
  }
}

/** A transfer that the ledger left undecided. */
export interface Unfinished {
  readonly transferId: string
  /** The part of the answer that this release does not understand; the message waits for a newer one. */
  readonly notUnderstood?: string
}

/** The same failure for every transfer. */
class LedgerUndecided extends Error {
  override readonly name = 'LedgerUndecided'
  readonly code = 'LEDGER_UNDECIDED'
}

const named_max = 10

/** Throws after the rest of the batch is done. */
export function throwUnfinished(unfinished: readonly Unfinished[]): void {
  if (unfinished.length === 0) return
  const ids = unfinished.slice(0, named_max).map(({ transferId }) => transferId)
  const strange = unfinished.find(({ notUnderstood }) => notUnderstood !== undefined)
  if (strange?.notUnderstood !== undefined) {
    const { transferId, notUnderstood } = strange
    throw new FromNewerRelease(`the ledger answered for ${transferId}: ${notUnderstood}`)
  }
  throw new LedgerUndecided(`the ledger left undecided: ${ids.join(', ')}`)
}
