/**
 * The part of a bulk quote message that its event contains: of each item the members needed for
 * decisions. Pure, so that it can run in another thread.
 */
import type { Payload } from '@causeway/events'
import {
  payloadHash,
  postBulkQuotes,
  putBulkQuotes,
  type Clear,
  type IndividualQuote,
  type IndividualQuoteResult,
  type Money,
  utcDateTime,
} from '@causeway/fspiop'
import type { Digested, Digestible } from '../digests.ts'
import { destinationOf } from '../contract.ts'
import { bodyOf } from '../bodies/reading.ts'

type BulkQuoteRequest = Payload<'BulkQuoteRequestReceived'>
type Response = Payload<'BulkQuoteResponseReceived'>

export function digestRequest(message: Digestible): Digested<BulkQuoteRequest> {
  const reading = bodyOf(postBulkQuotes, message)
  if (!reading.ok) return reading
  const { source: requesterFspId, version } = message
  const { bulkQuoteId, payer, expiration, individualQuotes } = reading.value
  const payerFspId = payer?.partyIdInfo?.fspId
  return {
    ok: true,
    payload: {
      bulkQuoteId,
      requesterFspId,
      ...destinationOf(message),
      ...(payerFspId === undefined ? {} : { payerFspId }),
      ...(expiration === undefined ? {} : { expiration: utcDateTime(expiration) }),
      individualQuotes: (individualQuotes ?? []).map(itemOf),
      payloadHash: payloadHash(reading.json),
      version,
    },
  }
}

function itemOf(item: Clear<IndividualQuote>): BulkQuoteRequest['individualQuotes'][number] {
  const { quoteId, transactionId, payee, amountType, amount, transactionType } = item
  const info = payee?.partyIdInfo
  return {
    quoteId,
    transactionId,
    ...textOf('payeeFspId', info?.fspId),
    ...textOf('partyIdType', info?.partyIdType),
    ...textOf('partyIdentifier', info?.partyIdentifier),
    ...textOf('partySubIdOrType', info?.partySubIdOrType),
    amountType,
    amount: moneyOf(amount),
    ...textOf('scenario', transactionType?.scenario),
  }
}

export function digestResponse(message: Digestible): Digested<Omit<Response, 'bulkQuoteId'>> {
  const reading = bodyOf(putBulkQuotes, message)
  if (!reading.ok) return reading
  const { individualQuoteResults, expiration } = reading.value
  return {
    ok: true,
    payload: {
      requesterFspId: message.source,
      ...destinationOf(message),
      individualQuoteResults: (individualQuoteResults ?? []).map(resultOf),
      expiration: utcDateTime(expiration),
      payloadHash: payloadHash(reading.json),
      version: message.version,
    },
  }
}

function resultOf(item: Clear<IndividualQuoteResult>): Response['individualQuoteResults'][number] {
  const { quoteId, transferAmount, payeeFspFee, payeeFspCommission, errorInformation } = item
  return {
    quoteId,
    ...optionalMoney('transferAmount', transferAmount),
    ...optionalMoney('payeeFspFee', payeeFspFee),
    ...optionalMoney('payeeFspCommission', payeeFspCommission),
    ...(errorInformation === undefined
      ? {}
      : {
          errorInformation: {
            errorCode: errorInformation.errorCode,
            errorDescription: errorInformation.errorDescription,
          },
        }),
  }
}

function textOf<Name extends string>(
  name: Name,
  text: string | undefined,
): Partial<Record<Name, string>> {
  return text === undefined ? {} : ({ [name]: text } as Record<Name, string>)
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
