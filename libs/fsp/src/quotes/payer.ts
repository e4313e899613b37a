/**
 * The payer's side of a quote: sends the request, and rejects an answer whose amounts do not add
 * up.
 */
import { errorBody, type PutQuotes, putQuotes, writeDateTime } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { moneyOf } from '../amount.ts'
import { openPendingRequests } from '../pending-requests.ts'
import { type Failed, informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import {
  bodyOf,
  type InboundHandlers,
  type HandlerResult,
  idOf,
  type Received,
} from '../inbound.ts'
import { extensionListOf, extensionsIn, type Outgoing, writeMessage } from '../message.ts'
import { writeParty } from '../parties/party.ts'
import type { FieldEncryption } from '../field-encryption.ts'
import type { Agreed, Quote, QuoteOrder, QuoteResult } from './quote.ts'
import { faultOfAnswer } from './terms.ts'

export interface QuotePayerOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly fieldEncryption: FieldEncryption
  readonly resendAfter_ms: number
}

export interface QuotePayer {
  quote(order: QuoteOrder): Promise<QuoteResult>
  readonly handlers: Pick<InboundHandlers, 'PUT /quotes/{ID}' | 'PUT /quotes/{ID}/error'>
  close(): void
}

export function openQuotePayer(options: QuotePayerOptions): QuotePayer {
  const { name, hubName, link, resendAfter_ms } = options
  const pending = openPendingRequests<QuoteOrder, Agreed | Failed>(link, resendAfter_ms)

  /** Undefined: this FSP sent no such request, or the message is from an unrelated FSP. */
  function askedBy({ source }: Received, id: string): QuoteOrder | HandlerResult {
    const order = pending.contextOf(id)
    if (order === undefined) return 'NOT_MINE'
    return source === hubName || source === order.payeeFsp
      ? order
      : { rejected: `${source} is not a party to the quote` }
  }

  return {
    async quote(order) {
      const { quoteId = randomUUID(), transactionId = randomUUID() } = order
      const route = { from: name, to: order.payeeFsp }
      const until_ms = order.expiration.getTime()
      const ended = await pending.send({
        key: quoteId,
        request: requestMessage(options, { ...order, quoteId, transactionId }),
        until_ms,
        reminder: () => writeMessage('GET', `/quotes/${quoteId}`, route),
        deadline_ms: until_ms,
        context: order,
      })
      return { quoteId, transactionId, ...ended }
    },
    handlers: {
      'PUT /quotes/{ID}'(message) {
        const id = idOf(message)
        const order = askedBy(message, id)
        if (typeof order === 'string' || 'rejected' in order) return order
        const reading = bodyOf(putQuotes, message)
        if (!reading.ok) return { rejected: reading.detail }
        const error = faultOfAnswer(order, reading.value, new Date())
        pending.answer(
          id,
          error === undefined
            ? { state: 'AGREED', quote: readQuote(reading.value, reading.json as object) }
            : { state: 'FAILED', error },
        )
        return 'HANDLED'
      },
      'PUT /quotes/{ID}/error'(message) {
        const id = idOf(message)
        const order = askedBy(message, id)
        if (typeof order === 'string' || 'rejected' in order) return order
        const reading = bodyOf(errorBody, message)
        if (!reading.ok) return { rejected: reading.detail }
        const error = informationIn(reading.value)
        // The answer to a GET that was received before the request itself.
        if (error.errorCode === '3205') pending.noteError(id, error)
        else pending.answer(id, { state: 'FAILED', error })
        return 'HANDLED'
      },
    },
    close: () => pending.close(),
  }
}

function requestMessage(
  { name, fieldEncryption }: QuotePayerOptions,
  order: QuoteOrder & { readonly quoteId: string; readonly transactionId: string },
): Outgoing {
  const { transactionRequestId, fees, note } = order
  const { body, encryption } = fieldEncryption.encrypt(order.payeeFsp, {
    quoteId: order.quoteId,
    transactionId: order.transactionId,
    ...(transactionRequestId === undefined ? {} : { transactionRequestId }),
    payee: writeParty(order.payee, order.payeeFsp),
    payer: writeParty(order.payer, name),
    amountType: order.amountType,
    amount: moneyOf(order.amount),
    ...(fees === undefined ? {} : { fees: moneyOf(fees) }),
    transactionType: order.transactionType,
    ...(note === undefined ? {} : { note }),
    expiration: writeDateTime(order.expiration),
    ...extensionListOf(order.extensions),
  })
  return writeMessage('POST', '/quotes', { from: name, to: order.payeeFsp }, body, encryption)
}

function readQuote(body: PutQuotes, written: object): Quote {
  const { payeeReceiveAmount, payeeFspFee, payeeFspCommission, ilpPacket, condition } = body
  return {
    transferAmount: moneyOf(body.transferAmount),
    payeeReceiveAmount: payeeReceiveAmount && moneyOf(payeeReceiveAmount),
    payeeFspFee: payeeFspFee && moneyOf(payeeFspFee),
    payeeFspCommission: payeeFspCommission && moneyOf(payeeFspCommission),
    expiration: new Date(body.expiration),
    ilpPacket,
    condition,
    extensions: extensionsIn(body.extensionList),
    body: written,
  }
}
