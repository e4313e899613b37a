/** Whose a party is, and making it one's own: all of it is account-lookup's. FSPIOP 6.2. */
import { newEvent, type Payload } from '@causeway/events'
import { postParticipant, postParticipants, readParticipantsQuery } from '@causeway/fspiop'
import type { Incoming, Reading, ServedRoutes } from '../chain.ts'
import { extensionListOf } from '../contract.ts'
import { partyOf } from '../parties/path.ts'
import { bodyOf, malformed, queryOf, traceOf } from '../reading.ts'
import type { Settings } from '../settings.ts'

/** PUTs are the hub's to send: an FSP that sends one is told that it is not served. */
export function participantRoutes({
  COMPATIBILITY,
}: Pick<Settings, 'COMPATIBILITY'>): ServedRoutes {
  const begins = { needsActiveSource: true, share: 'HALF' } as const
  return {
    'POST /participants': {
      ...begins,
      read: associateMany,
      ...(COMPATIBILITY === 'mojaloop' ? { status: 200 } : {}),
    },
    'GET /participants/{Type}/{ID}': { ...begins, read: query },
    'GET /participants/{Type}/{ID}/{SubId}': { ...begins, read: query },
    'POST /participants/{Type}/{ID}': { ...begins, read: associate },
    'POST /participants/{Type}/{ID}/{SubId}': { ...begins, read: associate },
    'DELETE /participants/{Type}/{ID}': { ...begins, read: disassociate },
    'DELETE /participants/{Type}/{ID}/{SubId}': { ...begins, read: disassociate },
  }
}

function query(message: Incoming): Reading {
  return withCurrency(message, (currency) => {
    const payload: Payload<'ParticipantQueryReceived'> = { ...asked(message), ...currency }
    return newEvent('fspiop-api', 'ParticipantQueryReceived', payload, traceOf(message))
  })
}

function disassociate(message: Incoming): Reading {
  return withCurrency(message, (currency) => {
    const payload: Payload<'ParticipantDisassociateRequestReceived'> = {
      ...asked(message),
      ...currency,
    }
    const name = 'ParticipantDisassociateRequestReceived'
    return newEvent('fspiop-api', name, payload, traceOf(message))
  })
}

function associate(message: Incoming): Reading {
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

function associateMany(message: Incoming): Reading {
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
): Reading {
  const reading = readParticipantsQuery(queryOf(message))
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { currency } = reading.value
  return { type: 'PUBLISH', event: eventOf(currency === undefined ? {} : { currency }) }
}
