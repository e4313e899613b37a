/** Maps queries and their outcomes to events, notifications and error codes. */
import type { OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent, type DomainEvent, type Payload } from '@causeway/events'
import {
  callbackAddress,
  errorInformation,
  isThirdPartyIdType,
  templateVariables,
  type ErrorCode,
  type Operation,
} from '@causeway/fspiop'
import type { Participant } from '@causeway/participants'
import { readParty, type PartyName } from '../domain/party.ts'
import type { Findings, QueryReason, Reachability, OwnerDecision } from './domain/answer.ts'
import type { OwnerQuery } from './owners.ts'

export type PartyQuery = DomainEvent<'PartyQueryReceived'>
export type ParticipantQuery = DomainEvent<'ParticipantQueryReceived'>
export type QueryEvent = PartyQuery | ParticipantQuery

interface QueryError {
  readonly code: ErrorCode
  readonly detail: string
}

/** FSPIOP 7.6. */
const refusals = {
  PARTY_UNKNOWN: { code: '3204', detail: 'it belongs to no FSP' },
  ORACLE_MISSING: { code: '3204', detail: 'there is no oracle for its type' },
  TYPE_NOT_ASKED: { code: '3204', detail: 'parties of this type cannot be queried' },
  ORACLE_AWAY: { code: '1001', detail: 'the oracle does not answer' },
  ORACLE_TRIPPED: { code: '2003', detail: 'the oracle has not answered for a while' },
  FSP_INACTIVE: { code: '3201', detail: 'the FSP is not an active participant' },
  NO_ADDRESS: { code: '3201', detail: 'the FSP has no address for it' },
} as const satisfies Record<QueryReason, QueryError>

/**
 * The findings for a GET /parties that needs no lookup: it names its FSP, or its type cannot be
 * queried.
 */
export function findingsWithoutLookup(event: QueryEvent): Findings | undefined {
  if (event.name !== 'PartyQueryReceived') return undefined
  const reading = readParty(event.payload)
  if (reading.type !== 'PARTY') return { type: 'PARTY_UNKNOWN' }
  if (isThirdPartyIdType(reading.party.type)) return { type: 'TYPE_NOT_ASKED' }
  const { destinationFspId } = event.payload
  return destinationFspId === undefined ? undefined : { type: 'FOUND', fspIds: [destinationFspId] }
}

export function queryOf({ payload }: QueryEvent): OwnerQuery {
  return { reading: readParty(payload), currency: payload.currency ?? '' }
}

export function reachabilityOf(
  participant: Participant | undefined,
  event: PartyQuery,
): Reachability {
  if (participant?.isActive !== true) return 'INACTIVE'
  return addressOf(participant, event) === undefined ? 'NO_ADDRESS' : 'REACHABLE'
}

export interface Forwarding {
  readonly participant: Participant
  /** The number of FSPs that are asked, including this one. */
  readonly fsps: number
  /** No delivery attempt begins at or after this time. */
  readonly deadline: Date
}

/** GET /parties forwarded to an owner, with the received headers and no body. */
export function forwarded(
  event: PartyQuery,
  { participant, fsps, deadline }: Forwarding,
): OutgoingMessage {
  const { payload, relay, traceparent } = event
  const { name: fspId } = participant
  const url = addressOf(participant, event)
  if (url === undefined) throw new Error(`${fspId} has no address for GET /parties`)
  const notificationId = derivedId(event.id, 'NotifyRequested', fspId)
  const notification: Payload<'NotifyRequested'> = {
    notificationId,
    // Queries are unordered: none about a well-known party waits for another.
    entityId: notificationId,
    cause: { msgName: event.name, entityId: payload.partyKey },
    legRole: 'PAYEE',
    destinationFspId: fspId,
    transport: { type: 'HTTP', method: 'GET', url, path: payload.path },
    headers: { 'fspiop-destination': fspId },
    deadline: deadline.toISOString(),
    reportRequired: false,
    onFailure: {
      ...failureOf(payload),
      ...(fsps === 1 ? {} : { several: { questionId: event.id, fsps } }),
    },
  }
  return newEvent('account-lookup', 'NotifyRequested', notification, {
    id: notificationId,
    relay: { body: Buffer.alloc(0), ...(relay?.headers ? { headers: relay.headers } : {}) },
    traceparent,
  })
}

export function partyRefused(event: PartyQuery, reason: QueryReason): OutgoingMessage {
  const payload = { ...requestFields(event.payload), errorInformation: informationOf(reason) }
  return answer(event, 'PartyQueryResponse', payload)
}

/** No FSP could be reached; the error is that of the last one. */
export function partyQueryFailed({
  payload,
  traceparent,
}: DomainEvent<'PartyQueryUndelivered'>): OutgoingMessage {
  const { questionId, errorInformation } = payload
  const response = { ...requestFields(payload), errorInformation }
  const id = derivedId(questionId, 'PartyQueryResponse')
  return newEvent('account-lookup', 'PartyQueryResponse', response, { id, traceparent })
}

export function participantResponse(
  event: ParticipantQuery,
  decision: OwnerDecision,
): OutgoingMessage {
  const result =
    decision.type === 'OWNER'
      ? { ownerFspId: decision.fspId }
      : { errorInformation: informationOf(decision.reason) }
  return answer(event, 'ParticipantQueryResponse', { ...requestFields(event.payload), result })
}

function answer<Name extends 'PartyQueryResponse' | 'ParticipantQueryResponse'>(
  { id, traceparent }: QueryEvent,
  name: Name,
  payload: Payload<Name>,
): OutgoingMessage {
  return newEvent('account-lookup', name, payload, { id: derivedId(id, name), traceparent })
}

function informationOf(reason: QueryReason) {
  const { code, detail } = refusals[reason]
  const { errorCode, errorDescription } = errorInformation(code, detail)
  return { errorCode, errorDescription }
}

/** The party, and the requester, to which all answers are addressed. */
function requestFields(asked: QueryEvent['payload'] | Payload<'PartyQueryUndelivered'>) {
  const { partyKey, partyIdType, partyIdentifier, partySubIdOrType } = asked
  const { requesterFspId, version } = asked
  const subId = partySubIdOrType === undefined ? {} : { partySubIdOrType }
  return { partyKey, partyIdType, partyIdentifier, ...subId, requesterFspId, version }
}

/**
 * The URL at which the FSP receives GET /parties. A registered template has no query, so the query
 * of the request is appended.
 */
function addressOf({ endpoints }: Participant, { payload }: PartyQuery): string | undefined {
  const url = callbackAddress(
    endpoints,
    operationOf('GET', payload),
    payload.path,
    variablesOf(payload),
  )
  const at = payload.path.indexOf('?')
  if (url === undefined || at === -1 || at === payload.path.length - 1) return url
  const query = payload.path.slice(at + 1)
  if (url.endsWith(`?${query}`)) return url
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
}

function failureOf(payload: PartyQuery['payload']) {
  return {
    requesterFspId: payload.requesterFspId,
    operation: operationOf('PUT', payload),
    path: `/parties/${payload.partyKey}/error`,
    variables: variablesOf(payload),
    version: payload.version,
  }
}

function operationOf(method: 'GET' | 'PUT', { partySubIdOrType }: PartyName): Operation {
  const path = '/parties/{Type}/{ID}'
  if (method === 'GET') {
    return partySubIdOrType === undefined ? `GET ${path}` : `GET ${path}/{SubId}`
  }
  return partySubIdOrType === undefined ? `PUT ${path}/error` : `PUT ${path}/{SubId}/error`
}

function variablesOf({ partyIdType: Type, partyIdentifier: ID, partySubIdOrType }: PartyName) {
  const subId = partySubIdOrType === undefined ? {} : { SubId: partySubIdOrType }
  return templateVariables('parties', { Type, ID, ...subId })
}
