/** The payer's side of a quote: it is asked for, and an answer that does not add up is no agreement. */
import { errorBody, type PutQuotes, putQuotes } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { moneyOf } from '../amount.ts'
import { openQuestions } from '../asking.ts'
import { type Failed, informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import { bodyOf, type Hearers, type Hearing, idOf, type Received } from '../inbound.ts'
import { extensionListOf, extensionsIn, type Outgoing, writeMessage } from '../message.ts'
import { writeParty } from '../parties/party.ts'
import type { Secrecy } from '../secrecy.ts'
import type { Agreed, Quote, QuoteOrder, QuoteResult } from './quote.ts'
import { faultOfAnswer } from './terms.ts'

export interface QuotePayerOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly secrecy: Secrecy
  readonly silence_ms: number
}

export interface QuotePayer {
  quote(order: QuoteOrder): Promise<QuoteResult>
  readonly hearers: Pick<Hearers, 'PUT /quotes/{ID}' | 'PUT /quotes/{ID}/error'>
  close(): void
}

export function openQuotePayer(options: QuotePayerOptions): QuotePayer {
  const { name, hubName, link, silence_ms } = options
  const questions = openQuestions<QuoteOrder, Agreed | Failed>(link, silence_ms)

  /** Undefined: nobody here asked for it, or the message is from a stranger. */
  function askedBy({ source }: Received, id: string): QuoteOrder | Hearing {
    const order = questions.open(id)
    if (order === undefined) return 'NOT_MINE'
    return source === hubName || source === order.payeeFsp
      ? order
      : { disbelieved: `${source} has no part in the quote` }
  }

  return {
    async quote(order) {
      const { quoteId = randomUUID(), transactionId = randomUUID() } = order
      const route = { from: name, to: order.payeeFsp }
      const until_ms = order.expiration.getTime()
      const ended = await questions.ask({
        key: quoteId,
        request: requestMessage(options, { ...order, quoteId, transactionId }),
        until_ms,
        reminder: () => writeMessage('GET', `/quotes/${quoteId}`, route),
        deadline_ms: until_ms,
        context: order,
      })
      return { quoteId, transactionId, ...ended }
    },
    hearers: {
      'PUT /quotes/{ID}'(message) {
        const id = idOf(message)
        const order = askedBy(message, id)
        if (typeof order === 'string' || 'disbelieved' in order) return order
        const reading = bodyOf(putQuotes, message)
        if (!reading.ok) return { disbelieved: reading.detail }
        const error = faultOfAnswer(order, reading.value, new Date())
        questions.answer(
          id,
          error === undefined
            ? { state: 'AGREED', quote: readQuote(reading.value, reading.json as object) }
            : { state: 'FAILED', error },
        )
        return 'HEARD'
      },
      'PUT /quotes/{ID}/error'(message) {
        const id = idOf(message)
        const order = askedBy(message, id)
        if (typeof order === 'string' || 'disbelieved' in order) return order
        const reading = bodyOf(errorBody, message)
        if (!reading.ok) return { disbelieved: reading.detail }
        const error = informationIn(reading.value)
        // The answer to a question that came before the request itself.
        if (error.errorCode === '3205') questions.note(id, error)
        else questions.answer(id, { state: 'FAILED', error })
        return 'HEARD'
      },
    },
    close: () => questions.close(),
  }
}

function requestMessage(
  { name, secrecy }: QuotePayerOptions,
  order: QuoteOrder & { readonly quoteId: string; readonly transactionId: string },
): Outgoing {
  const { transactionRequestId, fees, note } = order
  const { body, encryption } = secrecy.hide(order.payeeFsp, {
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
    expiration: order.expiration.toISOString(),
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
