/** The requests on /quotes, and the event of each. FSPIOP 6.5. */
import { newEvent, type Payload } from '@causeway/events'
import {
  errorBody,
  payloadHash,
  postQuotes,
  putQuotes,
  type Clear,
  type Money,
  utcDateTime,
} from '@causeway/fspiop'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { destinationOf, errorInformationOf, extensionListOf } from '../contract.ts'
import { against, bodyOf, idOf, malformed, relayOf, traceOf } from '../bodies/reading.ts'
import { answer_bytes_max, quoteAnswer_bytes_max } from '../bodies/receive.ts'

export interface QuoteRules {
  /** FSPIOP-Destination is required; otherwise the hub finds the payee's FSP. */
  readonly needsDestination: boolean
}

export function quoteRoutes(rules: QuoteRules): ServedRoutes {
  const begins = { needsActiveSource: true } as const
  const finishes = { needsActiveSource: false, priority: 'ANSWER' } as const
  return {
    'POST /quotes': { ...begins, priority: 'QUOTE', read: (message) => ask(message, rules) },
    'GET /quotes/{ID}': { ...begins, priority: 'LOOKUP', read: query },
    'PUT /quotes/{ID}': { ...finishes, body_bytes_max: quoteAnswer_bytes_max, read: answer },
    'PUT /quotes/{ID}/error': { ...finishes, body_bytes_max: answer_bytes_max, read: refuse },
  }
}

function ask(message: Incoming, { needsDestination }: QuoteRules): ReadResult {
  const { source: requesterFspId, destination, version } = message
  if (needsDestination && destination === undefined) {
    return against('DESTINATION_MISSING')
  }
  const reading = bodyOf(postQuotes, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { quoteId, transactionId, transactionRequestId, payee, payer, note } = reading.value
  const { amountType, amount, fees, transactionType, geoCode, expiration } = reading.value
  const payerFsp = payer?.partyIdInfo?.fspId
  if (payerFsp !== undefined && payerFsp !== requesterFspId) return against('REQUESTER_NOT_PAYER')
  const payload: Payload<'QuoteRequestReceived'> = {
    quoteId,
    requesterFspId,
    ...destinationOf(message),
    transactionId,
    ...(transactionRequestId === undefined ? {} : { transactionRequestId }),
    payee: { ...payee },
    payer: { ...payer },
    amountType,
    amount: moneyOf(amount),
    ...optionalMoney('fees', fees),
    transactionType: { ...transactionType },
    ...(geoCode === undefined ? {} : { geoCode: { ...geoCode } }),
    ...(note === undefined ? {} : { note }),
    ...(expiration === undefined ? {} : { expiration: utcDateTime(expiration) }),
    ...extensionListOf(reading.value.extensionList),
    payloadHash: payloadHash(reading.json),
    version,
  }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'QuoteRequestReceived', payload, {
      relay: relayOf('POST', message, payee?.partyIdInfo?.fspId),
      ...traceOf(message),
    }),
  }
}

function query(message: Incoming): ReadResult {
  const { source: requesterFspId, version } = message
  const payload: Payload<'QuoteQueryReceived'> = {
    quoteId: idOf(message),
    requesterFspId,
    ...destinationOf(message),
    version,
  }
  const options = { relay: relayOf('GET', message), ...traceOf(message) }
  return { type: 'PUBLISH', event: newEvent('fspiop-api', 'QuoteQueryReceived', payload, options) }
}

function answer(message: Incoming): ReadResult {
  const reading = bodyOf(putQuotes, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { transferAmount, payeeReceiveAmount, payeeFspFee, payeeFspCommission } = reading.value
  const { expiration, condition, geoCode, extensionList } = reading.value
  const payload: Payload<'QuoteResponseReceived'> = {
    quoteId: idOf(message),
    requesterFspId: message.source,
    ...destinationOf(message),
    transferAmount: moneyOf(transferAmount),
    ...optionalMoney('payeeReceiveAmount', payeeReceiveAmount),
    ...optionalMoney('payeeFspFee', payeeFspFee),
    ...optionalMoney('payeeFspCommission', payeeFspCommission),
    expiration: utcDateTime(expiration),
    condition,
    ...(geoCode === undefined ? {} : { geoCode: { ...geoCode } }),
    ...extensionListOf(extensionList),
    payloadHash: payloadHash(reading.json),
    version: message.version,
  }
  const options = { relay: relayOf('PUT', message), ...traceOf(message) }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'QuoteResponseReceived', payload, options),
  }
}

function refuse(message: Incoming): ReadResult {
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const payload: Payload<'QuoteRejectReceived'> = {
    quoteId: idOf(message),
    requesterFspId: message.source,
    ...destinationOf(message),
    errorInformation: errorInformationOf(reading.value.errorInformation),
    payloadHash: payloadHash(reading.json),
    version: message.version,
  }
  const options = { relay: relayOf('PUT', message), ...traceOf(message) }
  return { type: 'PUBLISH', event: newEvent('fspiop-api', 'QuoteRejectReceived', payload, options) }
}

function moneyOf({ currency, amount }: Pick<Money, 'currency' | 'amount'>) {
  return { currency, amount }
}

/** Omitted when part of it is encrypted, because the hub cannot compare it. */
function optionalMoney<Name extends string>(
  name: Name,
  money: Clear<Money> | undefined,
): Partial<Record<Name, { readonly currency: string; readonly amount: string }>> {
  return money === undefined
    ? {}
    : ({ [name]: moneyOf(money) } as Record<Name, ReturnType<typeof moneyOf>>)
}
