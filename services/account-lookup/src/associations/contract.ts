/** From requests to make or remove associations to commands, and from outcomes to what is said. */
import { derivedId, newEvent, type DomainEvent, type Payload } from '@causeway/events'
import { errorInformation, type ErrorCode } from '@causeway/fspiop'
import type { OutgoingMessage } from '@causeway/runtime'
import { readParty, type PartyName } from '../domain/party.ts'
import type { OracleFailure } from '../oracles/failure.ts'
import type { Choose } from '../oracles/oracles.ts'
import type { ExternalOracle } from '../oracles/external.ts'
import type { Command, RegisterReason } from './domain/register.ts'
import type { Standing } from '../batches/domain/standing.ts'

export type AssociationEvent = DomainEvent<'ParticipantAssociationRequestReceived'> & {
  /** Whoever else has the party loses it; in the hub's own store alone. */
  readonly replaces?: boolean | undefined
}
export type RemovalEvent = DomainEvent<'ParticipantDisassociateRequestReceived'>
export type BatchEvent = DomainEvent<'ParticipantBatchAssociationRequestReceived'>
export type CommandEvent = AssociationEvent | RemovalEvent | BatchEvent

/**
 * The auth service of the hub asks as any FSP does, by an event in the place of a message. A consent that
 * the DFSP which granted it registers there belongs to nobody else.
 */
export function claimedAssociation(
  event: DomainEvent<'ConsentOwnershipClaimed'>,
): AssociationEvent {
  const { payload } = event
  return {
    ...event,
    name: 'ParticipantAssociationRequestReceived',
    payload: { ...payload, fspId: payload.requesterFspId },
    replaces: payload.isGranter === true,
  }
}

export type Reason =
  | RegisterReason
  | OracleFailure
  | 'TYPE_UNKNOWN'
  | 'IDENTIFIER_ILLEGAL'
  /** An FSP speaks for itself alone. */
  | 'FSP_MISMATCH'
  | 'FSP_INACTIVE'
  | 'ORACLE_MISSING'
  /** The requestId belongs to other content, or to another FSP. */
  | 'ID_USED'
  /** In the oracle's own words. */
  | 'ORACLE_REFUSED'

export type Outcome =
  | { readonly type: 'DONE' }
  | { readonly type: 'REFUSED'; readonly reason: Reason; readonly detail?: string | undefined }

/** One thing that a request asks for, and where it is to be done. */
export type Task =
  | { readonly place: 'HOME'; readonly command: Command }
  | { readonly place: 'ABROAD'; readonly command: Command; readonly oracle: ExternalOracle }
  | { readonly place: 'NOWHERE'; readonly outcome: Outcome }

/** A request with its tasks; one that is for many parties has one for each, in its order. */
export interface Work {
  readonly event: CommandEvent
  readonly tasks: readonly Task[]
  /** It was worked on under the same id before: its answer is repeated, and it has no tasks. */
  readonly isRepeat?: true
}

export interface Knowledge {
  /** By event id, what each POST /participants is to its requestId. */
  readonly standings: ReadonlyMap<string, Standing>
  readonly isActive: (fspId: string) => boolean
  readonly choose: Choose
}

/** FSPIOP 7.6: what could not be made is 3003, what could not be removed 3040. */
const codes = {
  TAKEN: { ASSOCIATE: '3003', REMOVE: '3040', detail: 'it belongs to another FSP' },
  NOT_OWNER: { ASSOCIATE: '3003', REMOVE: '3040', detail: 'it belongs to another FSP' },
  PARTY_UNKNOWN: { ASSOCIATE: '3204', REMOVE: '3204', detail: 'it belongs to no FSP' },
  TYPE_UNKNOWN: { ASSOCIATE: '3003', REMOVE: '3204', detail: 'not a legal PartyIdType' },
  IDENTIFIER_ILLEGAL: { ASSOCIATE: '3003', REMOVE: '3204', detail: 'not a legal identifier' },
  FSP_MISMATCH: { ASSOCIATE: '3003', REMOVE: '3040', detail: 'fspId is not FSPIOP-Source' },
  ID_USED: { ASSOCIATE: '3106', REMOVE: '3106', detail: 'the id was used before' },
  FSP_INACTIVE: { ASSOCIATE: '3003', REMOVE: '3040', detail: 'the FSP is no active participant' },
  ORACLE_MISSING: { ASSOCIATE: '3003', REMOVE: '3204', detail: 'there is no oracle for its type' },
  ORACLE_REFUSED: { ASSOCIATE: '3003', REMOVE: '3040', detail: 'the oracle refused it' },
  ORACLE_AWAY: { ASSOCIATE: '1001', REMOVE: '1001', detail: 'the oracle does not answer' },
  ORACLE_TRIPPED: {
    ASSOCIATE: '2003',
    REMOVE: '2003',
    detail: 'the oracle has not answered for a while',
  },
} as const satisfies Record<
  Reason,
  { readonly [Type in Command['type']]: ErrorCode } & { readonly detail: string }
>

export function workOf(event: CommandEvent, knowledge: Knowledge): Work {
  switch (event.name) {
    case 'ParticipantAssociationRequestReceived':
      return {
        event,
        tasks: [taskOf(event, event.payload, event.payload.fspId, knowledge, event.replaces)],
      }
    case 'ParticipantDisassociateRequestReceived':
      return { event, tasks: [removalOf(event, knowledge)] }
    case 'ParticipantBatchAssociationRequestReceived':
      return batchWorkOf(event, knowledge)
  }
}

function batchWorkOf(event: BatchEvent, knowledge: Knowledge): Work {
  const standing = knowledge.standings.get(event.id)
  if (standing === 'REPEAT') return { event, tasks: [], isRepeat: true }
  if (standing === 'ID_USED') return { event, tasks: [nowhere('ID_USED')] }
  const { partyList, requesterFspId } = event.payload
  // An entry that names no FSP can only mean the one that sends it.
  const tasks = partyList.map((entry) =>
    taskOf(event, entry, entry.fspId ?? requesterFspId, knowledge),
  )
  return { event, tasks }
}

function taskOf(
  { payload: { requesterFspId, currency = '' } }: AssociationEvent | BatchEvent,
  name: PartyName,
  fspId: string,
  { isActive, choose }: Knowledge,
  replaces?: boolean,
): Task {
  if (!isActive(requesterFspId)) return nowhere('FSP_INACTIVE')
  if (fspId !== requesterFspId) return nowhere('FSP_MISMATCH')
  return placed(name, { type: 'ASSOCIATE', currency, fspId, replaces }, choose)
}

/** To let go of a party an FSP need not be active. */
function removalOf({ payload }: RemovalEvent, { choose }: Knowledge): Task {
  const { requesterFspId: fspId, currency = '' } = payload
  return placed(payload, { type: 'REMOVE', currency, fspId }, choose)
}

function placed(name: PartyName, wish: Omit<Command, 'party'>, choose: Choose): Task {
  const reading = readParty(name)
  if (reading.type === 'TYPE_UNKNOWN') return nowhere('TYPE_UNKNOWN')
  if (reading.type !== 'PARTY') return nowhere('IDENTIFIER_ILLEGAL', reading.detail)
  const { party } = reading
  const command = { ...wish, party }
  const chosen = choose(party.type, wish.currency)
  switch (chosen.type) {
    case 'NONE':
      return nowhere('ORACLE_MISSING')
    case 'BUILT_IN':
      return { place: 'HOME', command }
    case 'EXTERNAL':
      return { place: 'ABROAD', command, oracle: chosen.oracle }
  }
}

function nowhere(reason: Reason, detail?: string): Task {
  return { place: 'NOWHERE', outcome: { type: 'REFUSED', reason, detail } }
}

/** The one event that a request ends with; `outcomes` are those of its tasks, in their order. */
export function said(event: CommandEvent, outcomes: readonly Outcome[]): OutgoingMessage {
  if (event.name === 'ParticipantBatchAssociationRequestReceived') return batchSaid(event, outcomes)
  const [outcome] = outcomes
  if (outcome === undefined) throw new Error(`${event.id} came to nothing`)
  if (outcome.type === 'REFUSED') {
    const type = commandTypeOf(event)
    return saying(event, 'ParticipantAssociationRequestRefused', {
      ...askedOf(event),
      errorInformation: informationOf(outcome, type),
    })
  }
  const { currency } = event.payload
  const payload = { ...askedOf(event), ...(currency === undefined ? {} : { currency }) }
  if (event.name === 'ParticipantDisassociateRequestReceived') {
    return saying(event, 'ParticipantAssociationRemoved', payload)
  }
  const { fspId } = event.payload
  return saying(event, 'ParticipantAssociationCreated', { ...payload, fspId })
}

/** The whole request fails when nothing of it could be worked on, for one reason that is not its own. */
function batchSaid(event: BatchEvent, outcomes: readonly Outcome[]): OutgoingMessage {
  const { requestId, requesterFspId, version, currency, partyList } = event.payload
  const failure = wholeFailure(outcomes)
  const result =
    failure === undefined
      ? {
          ...(currency === undefined ? {} : { currency }),
          partyList: partyList.map((partyId, at) => {
            const outcome = outcomes[at]
            return outcome?.type === 'REFUSED'
              ? { partyId, errorInformation: informationOf(outcome, 'ASSOCIATE') }
              : { partyId }
          }),
        }
      : { errorInformation: informationOf(failure, 'ASSOCIATE') }
  return saying(event, 'ParticipantBatchAssociationProcessed', {
    requestId,
    requesterFspId,
    version,
    result,
  })
}

const wholeReasons: ReadonlySet<Reason> = new Set([
  'FSP_INACTIVE',
  'ID_USED',
  'ORACLE_AWAY',
  'ORACLE_TRIPPED',
])

type Refusal = Extract<Outcome, { type: 'REFUSED' }>

function wholeFailure(outcomes: readonly Outcome[]): Refusal | undefined {
  const [first] = outcomes
  if (first?.type !== 'REFUSED' || !wholeReasons.has(first.reason)) return undefined
  const isOne = outcomes.every((each) => each.type === 'REFUSED' && each.reason === first.reason)
  return isOne ? first : undefined
}

export function commandTypeOf({ name }: CommandEvent): Command['type'] {
  return name === 'ParticipantDisassociateRequestReceived' ? 'REMOVE' : 'ASSOCIATE'
}

function informationOf({ reason, detail }: Refusal, type: Command['type']) {
  const entry = codes[reason]
  const { errorCode, errorDescription } = errorInformation(entry[type], detail ?? entry.detail)
  return { errorCode, errorDescription }
}

function saying<Name extends SaidName>(
  { id, traceparent }: CommandEvent,
  name: Name,
  payload: Payload<Name>,
): OutgoingMessage {
  return newEvent('account-lookup', name, payload, { id: derivedId(id, name), traceparent })
}

type SaidName =
  | 'ParticipantAssociationCreated'
  | 'ParticipantAssociationRemoved'
  | 'ParticipantAssociationRequestRefused'
  | 'ParticipantBatchAssociationProcessed'

/** The party as it was named, and the asker, to whom the answer is addressed. */
function askedOf({ payload }: AssociationEvent | RemovalEvent) {
  const { partyKey, partyIdType, partyIdentifier, partySubIdOrType } = payload
  const { requesterFspId, version } = payload
  const subId = partySubIdOrType === undefined ? {} : { partySubIdOrType }
  return { partyKey, partyIdType, partyIdentifier, ...subId, requesterFspId, version }
}
