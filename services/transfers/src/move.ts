/**
 * Transfers follows the ledger: each answer moves its transfer by the table of consequences, and what
 * is announced of a move is stored with it. Rows that moved meanwhile stay as they are.
 */
import { FromNewerRelease, type OutgoingMessage } from '@causeway/bus'
import type { Relay } from '@causeway/events'
import { endedBulk, endedItems, type EndedItem } from './bulks/contract.ts'
import { announcementOf, errorOf, type Moved } from './contract.ts'
import type { Fulfil, Reject } from './domain/decide.ts'
import { canMove, isEndedBy, transferAfter, type MovingAnswer } from './domain/follow.ts'
import type { Consequence, LedgerAnswer } from './domain/ledger-answer.ts'
import {
  isOpen,
  type Claimed,
  type Final,
  type Open,
  type OpenState,
  type Transfer,
} from './domain/transfer.ts'
import type { Change, KeptMessage, Movement } from './store.ts'
import type { Work } from './work.ts'

/** A call of the ledger about one transfer. */
export interface Asked {
  /** As it was last read. */
  readonly transfer: Transfer
  /** The payee FSP's message, where one made transfers ask. */
  readonly message?: Fulfil | Reject | undefined
  /** The received bytes: of the payee FSP's message, else of the payer FSP's request. */
  readonly relay?: Relay | undefined
  readonly traceparent?: string | undefined
}

export interface Answered<A extends Asked> {
  readonly asked: A
  readonly answer: LedgerAnswer
  readonly consequence: Consequence
}

/** What became of a transfer: `announced` is there if this very step moved it. */
export interface Outcome<A extends Asked> {
  readonly asked: A
  readonly transfer: Transfer
  readonly announced: Moved['announces'] | undefined
}

export interface MoveOptions<A extends Asked> {
  /** Announced in the same transaction in any case. */
  readonly answers?: readonly OutgoingMessage[]
  /** The reply to the FSP whose message caused the call, next to the announcement. May be called twice. */
  readonly tell?: (outcome: Outcome<A>) => OutgoingMessage | undefined
}

/** What is left unfinished: the ledger gave no answer that decides. */
export async function move<A extends Asked>(
  work: Work,
  answered: readonly Answered<A>[],
  { answers = [], tell }: MoveOptions<A> = {},
): Promise<readonly Unfinished[]> {
  const now = work.now()
  const planned = answered.flatMap((item) => plannedMove(work, item, now) ?? [])
  const changes = planned.map(({ change }) => change)
  if (changes.length === 0 && answers.length === 0) return finish(work, answered, new Map(), now)
  const movement = await work.store.move(changes, now, (found) => [
    ...planned.flatMap((plan) => sayingsOf(plan, found, now, tell)),
    ...sayingsOfBulks(planned, found, now),
    ...answers,
  ])
  for (const { asked, answer, consequence } of planned) {
    const from = movement.moved.get(asked.transfer.transferId)
    const becomes = from === undefined ? undefined : consequence[from]
    if (from !== undefined && becomes?.type === 'moves' && becomes.heals === true) {
      raise(work, asked.transfer.transferId, from, answer)
    }
  }
  return finish(work, answered, statesAfter(planned, movement), now)
}

interface Planned<A extends Asked> extends Answered<A> {
  readonly answer: MovingAnswer
  readonly change: Change
}

function plannedMove<A extends Asked>(
  { compatibility }: Work,
  { asked, answer, consequence }: Answered<A>,
  now: Date,
): Planned<A> | undefined {
  if (!canMove(answer) || consequence.RECEIVED.type !== 'moves') return undefined
  const { message, relay } = asked
  const transfer = transferAfter(claimedOf(asked.transfer), answer, {
    now: now.toISOString(),
    errorOf: (reason) => errorOf(reason, compatibility),
  })
  const change: Change = {
    transfer,
    fromReserved: consequence.RESERVED.type === 'moves',
    windowId: answer.outcome === 'POSTED' ? answer.windowId : undefined,
    message: relay === undefined ? undefined : keptMessage(transfer, message, relay),
  }
  return { asked, answer, consequence, change }
}

function keptMessage(
  transfer: Open | Final,
  message: Fulfil | Reject | undefined,
  relay: Relay,
): KeptMessage | undefined {
  if (message === undefined || !isEndedBy(transfer, message)) return undefined
  const { kind, eventId, receivedAt } = message
  return { kind, eventId, receivedAt, relay }
}

/** The announcement of a move, and the reply to the FSP that caused it. */
function sayingsOf<A extends Asked>(
  { asked, answer, consequence, change }: Planned<A>,
  { moved, unmoved }: Movement,
  now: Date,
  tell: MoveOptions<A>['tell'],
): readonly OutgoingMessage[] {
  const { transfer } = change
  const from = moved.get(transfer.transferId)
  const becomes = from === undefined ? undefined : consequence[from]
  const announced = becomes?.type === 'moves' ? becomes.announces : undefined
  const found = announced === undefined ? unmoved.get(transfer.transferId) : transfer
  const said: OutgoingMessage[] = []
  if (announced !== undefined && transfer.bulkTransferId === undefined) {
    const { message, relay, traceparent } = asked
    said.push(
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
  const told = found === undefined ? undefined : tell?.({ asked, transfer: found, announced })
  if (told !== undefined) said.push(told)
  return said
}

/** Items are announced by their bulks only: the items that this move ended, and the bulks that end with it. */
function sayingsOfBulks<A extends Asked>(
  planned: readonly Planned<A>[],
  { moved, ended }: Movement,
  now: Date,
): readonly OutgoingMessage[] {
  const items = new Map<string, [EndedItem, ...EndedItem[]]>()
  const traces = new Map<string, string | undefined>()
  for (const { asked, answer, change } of planned) {
    const { transfer } = change
    const { bulkTransferId, transferId } = transfer
    if (bulkTransferId === undefined || !moved.has(transferId)) continue
    traces.set(bulkTransferId, asked.traceparent)
    if (isOpen(transfer)) continue
    const ofBulk = items.get(bulkTransferId)
    if (ofBulk === undefined) items.set(bulkTransferId, [{ transfer, answer }])
    else ofBulk.push({ transfer, answer })
  }
  const traceOf = (bulkTransferId: string) => traces.get(bulkTransferId)
  return [
    ...[...items].map(([id, ofBulk]) => endedItems(ofBulk, now.toISOString(), traceOf(id))),
    ...ended.map((one) => endedBulk(one, traceOf(one.bulk.bulkTransferId))),
  ]
}

/** The states in which open rows were left; rows that are final have none. */
function statesAfter<A extends Asked>(
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

/** What is left when all that could move has moved: waits, repeats and alarms. */
async function finish<A extends Asked>(
  work: Work,
  answered: readonly Answered<A>[],
  states: ReadonlyMap<string, OpenState | 'DONE'>,
  now: Date,
): Promise<readonly Unfinished[]> {
  const again: { transferId: string; at: Date }[] = []
  const unfinished: Unfinished[] = []
  for (const { asked, answer, consequence } of answered) {
    const { transferId } = asked.transfer
    const state = states.get(transferId) ?? openStateOf(asked.transfer)
    if (state === 'DONE') continue
    const becomes = consequence[state]
    if (becomes.type === 'waits' && answer.outcome === 'TOO_EARLY') {
      again.push({ transferId, at: new Date(now.getTime() + answer.retry_ms) })
    } else if (becomes.type === 'unfinished') {
      unfinished.push({ transferId })
    } else if (becomes.type === 'alarm') {
      raise(work, transferId, state, answer)
      if (answer.outcome === 'FAULT') unfinished.push({ transferId })
      if (answer.outcome === 'NOT_UNDERSTOOD') {
        unfinished.push({ transferId, notUnderstood: answer.detail })
      }
    }
  }
  await work.store.sweepAgain(again)
  return unfinished
}

function raise({ alarm }: Work, transferId: string, state: OpenState, answer: LedgerAnswer): void {
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

/** Without what the state adds. */
function claimedOf(transfer: Transfer): Claimed {
  const { transferId, payerFsp, payeeFsp, amount, currency, expiresAt, condition } = transfer
  const { requestHash, allocation, payerVersion, prepareEventId, bulkTransferId } = transfer
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
    bulkTransferId,
  }
}

/** Work that the ledger left undecided. */
export interface Unfinished {
  readonly transferId: string
  /** What of its answer this release does not understand; it waits for one that does. */
  readonly notUnderstood?: string
}

/** The same failure for every transfer. */
class LedgerUndecided extends Error {
  override readonly name = 'LedgerUndecided'
  readonly code = 'LEDGER_UNDECIDED'
}

const named_max = 10

/** Thrown when all else of its batch is done. */
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
