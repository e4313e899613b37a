/**
 * Party lookups: account-lookup finds the FSP of the party; the answers are relayed. FSPIOP 6.3.
 */
import { newEvent, type Payload } from '@causeway/events'
import { errorBody, putParties, readPartiesQuery, type Operation } from '@causeway/fspiop'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { against, bodyOf, malformed, queryOf, relayOf, traceOf } from '../bodies/reading.ts'
import { answering, passOn, type RelayRules } from '../relayed/relay.ts'
import { destinationOf } from '../contract.ts'
import { callbackOf, partyOf } from '../answers/party-path.ts'

export function partyRoutes(rules: RelayRules): ServedRoutes {
  const asks = {
    needsActiveSource: true,
    priority: 'LOOKUP',
    read: (message: Incoming) => query(message, rules),
  } as const
  const answers = (operation: Operation) =>
    ({ ...answering, read: (message: Incoming) => answer(message, operation, rules) }) as const
  const refuses = (operation: Operation) =>
    ({ ...answering, read: (message: Incoming) => refuse(message, operation, rules) }) as const
  return {
    'GET /parties/{Type}/{ID}': asks,
    'GET /parties/{Type}/{ID}/{SubId}': asks,
    'PUT /parties/{Type}/{ID}': answers('PUT /parties/{Type}/{ID}'),
    'PUT /parties/{Type}/{ID}/{SubId}': answers('PUT /parties/{Type}/{ID}/{SubId}'),
    'PUT /parties/{Type}/{ID}/error': refuses('PUT /parties/{Type}/{ID}/error'),
    'PUT /parties/{Type}/{ID}/{SubId}/error': refuses('PUT /parties/{Type}/{ID}/{SubId}/error'),
  }
}

/** The API defines no query here, so it is ignored; existing clients select an FSP by its currency. */
function query(message: Incoming, { isLenient }: RelayRules): ReadResult {
  const party = partyOf(message.parameters)
  const { source: requesterFspId, version, target } = message
  const { currency } = isLenient ? readPartiesQuery(queryOf(message)) : {}
  const payload: Payload<'PartyQueryReceived'> = {
    ...party,
    requesterFspId,
    version,
    ...(currency === undefined ? {} : { currency }),
    ...destinationOf(message),
    path: target,
  }
  const options = { relay: relayOf('GET', message), ...traceOf(message) }
  return { type: 'PUBLISH', event: newEvent('fspiop-api', 'PartyQueryReceived', payload, options) }
}

function answer(message: Incoming, operation: Operation, rules: RelayRules): ReadResult {
  const reading = bodyOf(putParties, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const owner = reading.value.party?.partyIdInfo?.fspId
  if (owner !== undefined && owner !== message.source && !rules.isLenient) {
    return against('REQUESTER_NOT_OWNER')
  }
  const party = partyOf(message.parameters)
  return passOn(message, rules, {
    resource: 'parties',
    operation,
    entityId: party.partyKey,
    role: 'REQUESTER',
    failure: callbackOf('parties', true, party),
  })
}

function refuse(message: Incoming, operation: Operation, rules: RelayRules): ReadResult {
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  return passOn(message, rules, {
    resource: 'parties',
    operation,
    entityId: partyOf(message.parameters).partyKey,
    role: 'REQUESTER',
    failure: undefined,
  })
}
