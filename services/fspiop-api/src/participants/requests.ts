/**
 * Queries and associations of parties, which account-lookup processes and the hub answers. An answer
 * that an FSP sends to another is relayed. FSPIOP 6.2.
 */
import { newEvent, type Payload } from '@causeway/events'
import {
  errorBody,
  payloadHash,
  postParticipant,
  postParticipants,
  putParticipant,
  putParticipantsBatch,
  readParticipantsQuery,
  type Operation,
} from '@causeway/fspiop'
import type { z } from 'zod'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { extensionListOf } from '../contract.ts'
import { callbackOf, partyOf } from '../answers/party-path.ts'
import { bodyOf, idOf, malformed, queryOf, traceOf } from '../bodies/reading.ts'
import { body_bytes_max } from '../bodies/receive.ts'
import { answering, passOn, type RelayRules } from '../relayed/relay.ts'
import type { FspiopApiSettings } from '../settings.ts'

export function participantRoutes(
  { COMPATIBILITY }: Pick<FspiopApiSettings, 'COMPATIBILITY'>,
  rules: RelayRules,
): ServedRoutes {
  return { ...requests(COMPATIBILITY), ...answers(rules) }
}

function requests(compatibility: FspiopApiSettings['COMPATIBILITY']): ServedRoutes {
  const begins = { needsActiveSource: true, priority: 'LOOKUP' } as const
  const isMojaloop = compatibility === 'mojaloop'
  const ofSubId = { ...begins, ...(isMojaloop ? { ignoresUnknownSource: true as const } : {}) }
  return {
    'POST /participants': {
      ...begins,
      read: associateMany,
      ...(isMojaloop ? { status: 200 } : {}),
    },
    'GET /participants/{Type}/{ID}': { ...begins, read: query },
    'GET /participants/{Type}/{ID}/{SubId}': { ...begins, read: query },
    'POST /participants/{Type}/{ID}': { ...begins, read: associate },
    'POST /participants/{Type}/{ID}/{SubId}': { ...ofSubId, read: associate },
    'DELETE /participants/{Type}/{ID}': { ...begins, read: disassociate },
    'DELETE /participants/{Type}/{ID}/{SubId}': { ...ofSubId, read: disassociate },
  }
}

function answers(rules: RelayRules): ServedRoutes {
  const route = (operation: Operation, schema: z.ZodType) => ({
    [operation]: {
      ...answering,
      read: (message: Incoming) => answer(message, operation, { schema, rules }),
    } as const,
  })
  return {
    'PUT /participants/{ID}': {
      ...answering,
      // A list of parties, as long as the one of the request.
      body_bytes_max,
      read: (message) =>
        answer(message, 'PUT /participants/{ID}', { schema: putParticipantsBatch, rules }),
    },
    ...route('PUT /participants/{ID}/error', errorBody),
    ...route('PUT /participants/{Type}/{ID}', putParticipant),
    ...route('PUT /participants/{Type}/{ID}/error', errorBody),
    ...route('PUT /participants/{Type}/{ID}/{SubId}', putParticipant),
    ...route('PUT /participants/{Type}/{ID}/{SubId}/error', errorBody),
  }
}

/** An error that cannot be relayed is not reported. */
function answer(
  message: Incoming,
  operation: Operation,
  { schema, rules }: { readonly schema: z.ZodType; readonly rules: RelayRules },
): ReadResult {
  const reading = bodyOf(schema, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { entityId, failure } = subjectOf(message)
  return passOn(message, rules, {
    resource: 'participants',
    operation,
    entityId,
    role: 'REQUESTER',
    failure: operation.endsWith('/error') ? undefined : failure,
  })
}

/** The subject of an answer, and the error callback for its sender when it cannot be delivered. */
function subjectOf(message: Incoming) {
  if (message.parameters.Type !== undefined) {
    const party = partyOf(message.parameters)
    return { entityId: party.partyKey, failure: callbackOf('participants', true, party) }
  }
  const id = idOf(message)
  return {
    entityId: id,
    failure: {
      operation: 'PUT /participants/{ID}/error',
      path: `/participants/${id}/error`,
      variables: { requestId: id, id, ID: id },
    },
  } as const
}

function query(message: Incoming): ReadResult {
  return withCurrency(message, (currency) => {
    const payload: Payload<'ParticipantQueryReceived'> = { ...asked(message), ...currency }
    return newEvent('fspiop-api', 'ParticipantQueryReceived', payload, traceOf(message))
  })
}

function disassociate(message: Incoming): ReadResult {
  return withCurrency(message, (currency) => {
    const payload: Payload<'ParticipantDisassociateRequestReceived'> = {
      ...asked(message),
      ...currency,
    }
    const name = 'ParticipantDisassociateRequestReceived'
    return newEvent('fspiop-api', name, payload, traceOf(message))
  })
}

function associate(message: Incoming): ReadResult {
  const reading = bodyOf(postParticipant, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { fspId, currency, extensionList } = reading.value
  const payload: Payload<'ParticipantAssociationRequestReceived'> = {
    ...asked(message),
    fspId,
    ...(currency === undefined ? {} : { currency }),
    ...extensionListOf(extensionList),
  }
  const name = 'ParticipantAssociationRequestReceived'
  return { type: 'PUBLISH', event: newEvent('fspiop-api', name, payload, traceOf(message)) }
}

function associateMany(message: Incoming): ReadResult {
  const reading = bodyOf(postParticipants, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { requestId, partyList, currency } = reading.value
  const payload: Payload<'ParticipantBatchAssociationRequestReceived'> = {
    requestId,
    requesterFspId: message.source,
    version: message.version,
    ...(currency === undefined ? {} : { currency }),
    partyList: partyList.map(({ partyIdType, partyIdentifier, partySubIdOrType, fspId }) => ({
      partyIdType,
      partyIdentifier,
      ...(partySubIdOrType === undefined ? {} : { partySubIdOrType }),
      ...(fspId === undefined ? {} : { fspId }),
    })),
    payloadHash: payloadHash(reading.json),
  }
  const name = 'ParticipantBatchAssociationRequestReceived'
  return { type: 'PUBLISH', event: newEvent('fspiop-api', name, payload, traceOf(message)) }
}

function asked(message: Incoming) {
  const { source: requesterFspId, version } = message
  return { ...partyOf(message.parameters), requesterFspId, version }
}

function withCurrency(
  message: Incoming,
  eventOf: (currency: { readonly currency?: string }) => ReturnType<typeof newEvent>,
): ReadResult {
  const reading = readParticipantsQuery(queryOf(message), message.compatibility)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { currency } = reading.value
  return { type: 'PUBLISH', event: eventOf(currency === undefined ? {} : { currency }) }
}
