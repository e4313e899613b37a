/** Maps requests that make or remove associations to commands, and outcomes to events. */
import type { OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent, type DomainEvent, type Payload } from '@causeway/events'
import { errorInformation, type ErrorCode } from '@causeway/fspiop'
import { readParty, type PartyName } from '../domain/party.ts'
import type { OracleFailure } from '../oracles/failure.ts'
import type { Choose } from '../oracles/oracles.ts'
import type { ExternalOracle } from '../oracles/external.ts'
import type { AssociationCommand, RegisterReason } from './domain/register.ts'
import type { RequestIdStatus } from './domain/request-id.ts'
import { anyCurrency } from '../domain/match.ts'

export type AssociationEvent = DomainEvent<'ParticipantAssociationRequestReceived'> & {
  /** Associations of other FSPs with the party are removed; in the hub's own store only. */
  readonly replaces?: boolean | undefined
}
export type RemovalEvent = DomainEvent<'ParticipantDisassociateRequestReceived'>
export type BatchEvent = DomainEvent<'ParticipantBatchAssociationRequestReceived'>
export type CommandEvent = AssociationEvent | RemovalEvent | BatchEvent

/**
 * The hub's auth service sends an event where an FSP sends a message. A consent that the granting
 * DFSP registers there belongs to no other FSP.
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
  /** An FSP may only associate parties with itself. */
  | 'FSP_MISMATCH'
  | 'FSP_INACTIVE'
  | 'ORACLE_MISSING'
  /** The requestId belongs to other content, or to another FSP. */
  | 'ID_USED'
  /** The detail is the oracle's description. */
  | 'ORACLE_REFUSED'

export type AssociationOutcome =
  | { readonly type: 'DONE' }
  | { readonly type: 'REFUSED'; readonly reason: Reason; readonly detail?: string | undefined }

/** One change that a request asks for, and where it is made. */
export type Task =
  | { readonly type: 'BUILT_IN'; readonly command: AssociationCommand }
  | {
      readonly type: 'EXTERNAL'
      readonly command: AssociationCommand
      readonly oracle: ExternalOracle
    }
  | { readonly type: 'REFUSED'; readonly outcome: AssociationOutcome }

/** A request with its tasks: a batch has one per party, in its order. */
export interface PlannedRequest {
  readonly event: CommandEvent
  readonly tasks: readonly Task[]
  /** A request with this id was processed before: its answer is repeated, and it has no tasks. */
  readonly isRepeat?: true
}

export interface PlanContext {
  /** By event id: the status of each POST /participants. */
  readonly requestIdStatuses: ReadonlyMap<string, RequestIdStatus>
  readonly isActive: (fspId: string) => boolean
  readonly choose: Choose
}

/** FSPIOP 7.6: 3003 for an association that cannot be made, 3040 for one that cannot be removed. */
const codes = {
  TAKEN: { ASSOCIATE: '3003', REMOVE: '3040', detail: 'it belongs to another FSP' },
  NOT_OWNER: { ASSOCIATE: '3003', REMOVE: '3040', detail: 'it belongs to another FSP' },
  PARTY_UNKNOWN: { ASSOCIATE: '3204', REMOVE: '3204', detail: 'it belongs to no FSP' },
  TYPE_UNKNOWN: { ASSOCIATE: '3003', REMOVE: '3204', detail: 'not a legal PartyIdType' },
  IDENTIFIER_ILLEGAL: { ASSOCIATE: '3003', REMOVE: '3204', detail: 'not a legal identifier' },
  FSP_MISMATCH: { ASSOCIATE: '3003', REMOVE: '3040', detail: 'fspId is not FSPIOP-Source' },
  ID_USED: { ASSOCIATE: '3106', REMOVE: '3106', detail: 'the id was used before' },
  FSP_INACTIVE: {
    ASSOCIATE: '3003',
    REMOVE: '3040',
    detail: 'the FSP is not an active participant',
  },
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
  { readonly [Type in AssociationCommand['type']]: ErrorCode } & { readonly detail: string }
>

export function planRequest(event: CommandEvent, context: PlanContext): PlannedRequest {
  switch (event.name) {
    case 'ParticipantAssociationRequestReceived':
      return {
        event,
        tasks: [
          associationTask(event, event.payload, event.payload.fspId, context, event.replaces),
        ],
      }
    case 'ParticipantDisassociateRequestReceived':
      return { event, tasks: [removalTask(event, context)] }
    case 'ParticipantBatchAssociationRequestReceived':
      return planBatch(event, context)
  }
}

function planBatch(event: BatchEvent, context: PlanContext): PlannedRequest {
  const status = context.requestIdStatuses.get(event.id)
  if (status === 'REPEAT') return { event, tasks: [], isRepeat: true }
  if (status === 'ID_USED') return { event, tasks: [refusedTask('ID_USED')] }
  const { partyList, requesterFspId } = event.payload
  // An entry without an fspId means the sender.
  const tasks = partyList.map((entry) =>
    associationTask(event, entry, entry.fspId ?? requesterFspId, context),
  )
  return { event, tasks }
}

function associationTask(
  { payload: { requesterFspId, currency = anyCurrency } }: AssociationEvent | BatchEvent,
  name: PartyName,
  fspId: string,
  { isActive, choose }: PlanContext,
  replaces?: boolean,
): Task {
  if (!isActive(requesterFspId)) return refusedTask('FSP_INACTIVE')
  if (fspId !== requesterFspId) return refusedTask('FSP_MISMATCH')
  return taskFor(name, { type: 'ASSOCIATE', currency, fspId, replaces }, choose)
}

/** An inactive FSP may remove its associations. */
function removalTask({ payload }: RemovalEvent, { choose }: PlanContext): Task {
  const { requesterFspId: fspId, currency = anyCurrency } = payload
  return taskFor(payload, { type: 'REMOVE', currency, fspId }, choose)
}

function taskFor(
  name: PartyName,
  request: Omit<AssociationCommand, 'party'>,
  choose: Choose,
): Task {
  const reading = readParty(name)
  if (reading.type === 'TYPE_UNKNOWN') return refusedTask('TYPE_UNKNOWN')
  if (reading.type !== 'PARTY') return refusedTask('IDENTIFIER_ILLEGAL', reading.detail)
  const { party } = reading
  const command = { ...request, party }
  const chosen = choose(party.type, request.currency)
  switch (chosen.type) {
    case 'NONE':
      return refusedTask('ORACLE_MISSING')
    case 'BUILT_IN':
      return { type: 'BUILT_IN', command }
    case 'EXTERNAL':
      return { type: 'EXTERNAL', command, oracle: chosen.oracle }
  }
}

function refusedTask(reason: Reason, detail?: string): Task {
  return { type: 'REFUSED', outcome: { type: 'REFUSED', reason, detail } }
}

/** The one event that completes a request; `outcomes` are those of its tasks, in their order. */
export function resultEvent(
  event: CommandEvent,
  outcomes: readonly AssociationOutcome[],
): OutgoingMessage {
  if (event.name === 'ParticipantBatchAssociationRequestReceived')
    return batchResultEvent(event, outcomes)
  const [outcome] = outcomes
  if (outcome === undefined) throw new Error(`${event.id} has no outcome`)
  if (outcome.type === 'REFUSED') {
    const type = commandTypeOf(event)
    return newResultEvent(event, 'ParticipantAssociationRequestRefused', {
      ...requestFields(event),
      errorInformation: informationOf(outcome, type),
    })
  }
  const { currency } = event.payload
  const payload = { ...requestFields(event), ...(currency === undefined ? {} : { currency }) }
  if (event.name === 'ParticipantDisassociateRequestReceived') {
    return newResultEvent(event, 'ParticipantAssociationRemoved', payload)
  }
  const { fspId } = event.payload
  return newResultEvent(event, 'ParticipantAssociationCreated', { ...payload, fspId })
}

/** The whole request fails when every party is refused for the same request-level reason. */
function batchResultEvent(
  event: BatchEvent,
  outcomes: readonly AssociationOutcome[],
): OutgoingMessage {
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
  return newResultEvent(event, 'ParticipantBatchAssociationProcessed', {
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

type RefusedOutcome = Extract<AssociationOutcome, { type: 'REFUSED' }>

function wholeFailure(outcomes: readonly AssociationOutcome[]): RefusedOutcome | undefined {
  const [first] = outcomes
  if (first?.type !== 'REFUSED' || !wholeReasons.has(first.reason)) return undefined
  const isOne = outcomes.every((each) => each.type === 'REFUSED' && each.reason === first.reason)
  return isOne ? first : undefined
}

export function commandTypeOf({ name }: CommandEvent): AssociationCommand['type'] {
  return name === 'ParticipantDisassociateRequestReceived' ? 'REMOVE' : 'ASSOCIATE'
}

function informationOf({ reason, detail }: RefusedOutcome, type: AssociationCommand['type']) {
  const entry = codes[reason]
  const { errorCode, errorDescription } = errorInformation(entry[type], detail ?? entry.detail)
  return { errorCode, errorDescription }
}

function newResultEvent<Name extends ResultName>(
  { id, traceparent }: CommandEvent,
  name: Name,
  payload: Payload<Name>,
): OutgoingMessage {
  return newEvent('account-lookup', name, payload, { id: derivedId(id, name), traceparent })
}

type ResultName =
  | 'ParticipantAssociationCreated'
  | 'ParticipantAssociationRemoved'
  | 'ParticipantAssociationRequestRefused'
  | 'ParticipantBatchAssociationProcessed'

/** The party as the request names it, and the requester, to which the answer is addressed. */
function requestFields({ payload }: AssociationEvent | RemovalEvent) {
  const { partyKey, partyIdType, partyIdentifier, partySubIdOrType } = payload
  const { requesterFspId, version } = payload
  const subId = partySubIdOrType === undefined ? {} : { partySubIdOrType }
  return { partyKey, partyIdType, partyIdentifier, ...subId, requesterFspId, version }
}
