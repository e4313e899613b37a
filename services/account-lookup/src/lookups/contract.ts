/** From what is asked over the API to what is said about it: events, notifications, error codes. */
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
import type { OutgoingMessage } from '@causeway/runtime'
import { readParty, type PartyName } from '../domain/party.ts'
import type { Findings, QueryReason, Standing, Telling } from './domain/answer.ts'
import type { OwnerQuery } from './owners.ts'

export type PartyQuery = DomainEvent<'PartyQueryReceived'>
export type ParticipantQuery = DomainEvent<'ParticipantQueryReceived'>
export type QueryEvent = PartyQuery | ParticipantQuery

interface Refusal {
  readonly code: ErrorCode
  readonly detail: string
}

/** FSPIOP 7.6. */
const refusals = {
  PARTY_UNKNOWN: { code: '3204', detail: 'it belongs to no FSP' },
  ORACLE_MISSING: { code: '3204', detail: 'there is no oracle for its type' },
  TYPE_NOT_ASKED: { code: '3204', detail: 'nobody can be asked about a party of this type' },
  ORACLE_AWAY: { code: '1001', detail: 'the oracle does not answer' },
  ORACLE_TRIPPED: { code: '2003', detail: 'the oracle has not answered for a while' },
  FSP_INACTIVE: { code: '3201', detail: 'the FSP is no active participant' },
  NO_ADDRESS: { code: '3201', detail: 'the FSP has no address for it' },
} as const satisfies Record<QueryReason, Refusal>

/** GET /parties that needs no lookup: it names its FSP, or asks what nobody can be asked. */
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

export function standingOf(participant: Participant | undefined, event: PartyQuery): Standing {
  if (participant?.isActive !== true) return 'INACTIVE'
  return addressOf(participant, event) === undefined ? 'NO_ADDRESS' : 'REACHABLE'
}

export interface Forwarding {
  readonly participant: Participant
  /** How many FSPs are asked, this one among them. */
  readonly fsps: number
  /** No attempt to hand it over begins at or after it. */
  readonly deadline: Date
}

/** GET /parties on its way to an owner, with the headers that came and no body. */
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
    // Questions keep no order: none about a well-known party waits for another.
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
  const payload = { ...askedOf(event.payload), errorInformation: informationOf(reason) }
  return answer(event, 'PartyQueryResponse', payload)
}

/** None of the FSPs could be asked; the words are those of the last one. */
export function partyUnasked({
  payload,
  traceparent,
}: DomainEvent<'PartyQueryUndelivered'>): OutgoingMessage {
  const { questionId, errorInformation: words } = payload
  const told = { ...askedOf(payload), errorInformation: words }
  const id = derivedId(questionId, 'PartyQueryResponse')
  return newEvent('account-lookup', 'PartyQueryResponse', told, { id, traceparent })
}

export function participantTold(event: ParticipantQuery, telling: Telling): OutgoingMessage {
  const result =
    telling.type === 'TELL'
      ? { ownerFspId: telling.fspId }
      : { errorInformation: informationOf(telling.reason) }
  return answer(event, 'ParticipantQueryResponse', { ...askedOf(event.payload), result })
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

/** The party and the asker, to whom all answers are addressed. */
function askedOf(asked: QueryEvent['payload'] | Payload<'PartyQueryUndelivered'>) {
  const { partyKey, partyIdType, partyIdentifier, partySubIdOrType } = asked
  const { requesterFspId, version } = asked
  const subId = partySubIdOrType === undefined ? {} : { partySubIdOrType }
  return { partyKey, partyIdType, partyIdentifier, ...subId, requesterFspId, version }
}

/**
 * Where the FSP wants GET /parties. A registered template says nothing of queries, so what was asked
 * in one is appended.
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
