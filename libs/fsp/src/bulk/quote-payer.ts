/** The payer's side of a bulk quote: one request for many payments, each with a result of its own. */
import {
  errorBody,
  errorInformation,
  type IndividualQuoteResult,
  type PutBulkQuotes,
  putBulkQuotes,
  writeDateTime,
} from '@causeway/fspiop'
import { moneyOf } from '../amount.ts'
import { openPendingRequests } from '../pending-requests.ts'
import { informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import {
  bodyOf,
  type InboundHandlers,
  type HandlerResult,
  idOf,
  type Received,
} from '../inbound.ts'
import { extensionListOf, extensionsIn, type Outgoing, writeMessage } from '../message.ts'
import { writeParty, writePartyIdInfo } from '../parties/party.ts'
import type { FieldEncryption } from '../field-encryption.ts'
import { faultOfAnswer } from '../quotes/terms.ts'
import type { BulkQuoteOrder, BulkQuoteResult, BulkQuoteOutcome, ItemQuote } from './order.ts'

export interface BulkQuotePayerOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly fieldEncryption: FieldEncryption
  readonly resendAfter_ms: number
}

export interface BulkQuotePayer {
  quote(order: BulkQuoteOrder): Promise<BulkQuoteResult>
  readonly handlers: Pick<InboundHandlers, 'PUT /bulkQuotes/{ID}' | 'PUT /bulkQuotes/{ID}/error'>
  close(): void
}

export function openBulkQuotePayer(options: BulkQuotePayerOptions): BulkQuotePayer {
  const { name, hubName, link, resendAfter_ms } = options
  const pending = openPendingRequests<BulkQuoteOrder, BulkQuoteOutcome>(link, resendAfter_ms)

  /** The order that a message belongs to. */
  function askedBy({ source }: Received, id: string): BulkQuoteOrder | HandlerResult {
    const order = pending.contextOf(id)
    if (order === undefined) return 'NOT_MINE'
    return source === hubName || source === order.payeeFsp
      ? order
      : { rejected: `${source} is not a party to the bulk quote` }
  }

  return {
    quote(order) {
      const { bulkQuoteId, payeeFsp, expiration } = order
      const route = { from: name, to: payeeFsp }
      return pending.send({
        key: bulkQuoteId,
        request: requestMessage(options, order),
        until_ms: expiration.getTime(),
        reminder: () => writeMessage('GET', `/bulkQuotes/${bulkQuoteId}`, route),
        deadline_ms: expiration.getTime(),
        context: order,
      })
    },
    handlers: {
      'PUT /bulkQuotes/{ID}'(message) {
        const id = idOf(message)
        const order = askedBy(message, id)
        if (typeof order === 'string' || 'rejected' in order) return order
        const reading = bodyOf(putBulkQuotes, message)
        if (!reading.ok) return { rejected: reading.detail }
        pending.answer(id, { state: 'ANSWERED', items: itemsOf(order, reading.value) })
        return 'HANDLED'
      },
      'PUT /bulkQuotes/{ID}/error'(message) {
        const id = idOf(message)
        const order = askedBy(message, id)
        if (typeof order === 'string' || 'rejected' in order) return order
        const reading = bodyOf(errorBody, message)
        if (!reading.ok) return { rejected: reading.detail }
        const error = informationIn(reading.value)
        // The answer to a GET that was received before the request itself.
        if (error.errorCode === '3209') pending.noteError(id, error)
        else pending.answer(id, { state: 'FAILED', error })
        return 'HANDLED'
      },
    },
    close: () => pending.close(),
  }
}

/** Payees are identified only: with names there would be too many fields to encrypt one by one. */
function requestMessage(
  { name, fieldEncryption }: BulkQuotePayerOptions,
  { bulkQuoteId, payeeFsp, payer, transactionType, items, expiration }: BulkQuoteOrder,
): Outgoing {
  const { body, encryption } = fieldEncryption.encrypt(payeeFsp, {
    bulkQuoteId,
    payer: writeParty(payer, name),
    expiration: writeDateTime(expiration),
    individualQuotes: items.map((item) => ({
      quoteId: item.quoteId,
      transactionId: item.transactionId,
      payee: { partyIdInfo: writePartyIdInfo({ ...item.payee, fspId: payeeFsp }) },
      amountType: item.amountType,
      amount: moneyOf(item.amount),
      transactionType,
      ...(item.note === undefined ? {} : { note: item.note }),
      ...extensionListOf(item.extensions),
    })),
  })
  return writeMessage('POST', '/bulkQuotes', { from: name, to: payeeFsp }, body, encryption)
}

/** Each requested item with its result; an item without a result is FAILED. */
function itemsOf(order: BulkQuoteOrder, body: PutBulkQuotes): ReadonlyMap<string, ItemQuote> {
  const results = new Map((body.individualQuoteResults ?? []).map((item) => [item.quoteId, item]))
  return new Map(
    order.items.map((item) => [
      item.quoteId,
      quoteIn(item, results.get(item.quoteId), body.expiration),
    ]),
  )
}

function quoteIn(
  asked: BulkQuoteOrder['items'][number],
  result: IndividualQuoteResult | undefined,
  expiration: string,
): ItemQuote {
  if (result?.errorInformation !== undefined) {
    return { state: 'FAILED', error: informationIn({ errorInformation: result.errorInformation }) }
  }
  const { transferAmount, ilpPacket, condition } = result ?? {}
  if (transferAmount === undefined || ilpPacket === undefined || condition === undefined) {
    return { state: 'FAILED', error: errorInformation('5000', 'the item has no result') }
  }
  const { payeeReceiveAmount, payeeFspFee, payeeFspCommission, extensionList } = result ?? {}
  const answer = {
    transferAmount,
    ...(payeeReceiveAmount && { payeeReceiveAmount }),
    ...(payeeFspFee && { payeeFspFee }),
    ...(payeeFspCommission && { payeeFspCommission }),
    expiration,
    ilpPacket,
    condition,
    ...(extensionList && { extensionList }),
  }
  const error = faultOfAnswer(asked, answer, new Date())
  if (error !== undefined) return { state: 'FAILED', error }
  return {
    state: 'AGREED',
    quote: {
      transferAmount: moneyOf(transferAmount),
      payeeReceiveAmount: payeeReceiveAmount && moneyOf(payeeReceiveAmount),
      payeeFspFee: payeeFspFee && moneyOf(payeeFspFee),
      payeeFspCommission: payeeFspCommission && moneyOf(payeeFspCommission),
      expiration: new Date(expiration),
      ilpPacket,
      condition,
      extensions: extensionsIn(extensionList),
      body: answer,
    },
  }
}
