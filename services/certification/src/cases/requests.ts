/** Payments that the payee requests, on both sides, and the state of a transaction. */
import { randomUUID } from 'node:crypto'
import type { Case } from '../case.ts'
import { actingPayee, answerPayment } from '../counterparts/payee.ts'
import { customerOf, inFuture, newQuote, route } from '../counterparts/payer.ts'
import { describe, type Kit, type Matches } from '../kit.ts'
import type { ReceivedRequest } from '../peer.ts'
import { at, ensure, expectError, is, isAnswer, servedOrNotRun } from '../read.ts'

function transactionRequest(kit: Kit, payee: string) {
  const { settings } = kit
  const { type, id } = customerOf(kit)
  return {
    transactionRequestId: randomUUID(),
    payee: {
      partyIdInfo: {
        partyIdType: 'MSISDN',
        partyIdentifier: payee,
        fspId: settings.counterparty,
      },
      name: 'Certification Payee',
    },
    payer: { partyIdType: type, partyIdentifier: id, fspId: settings.fsp },
    amount: { currency: settings.currency, amount: '10' },
    transactionType: { scenario: 'PAYMENT', initiator: 'PAYEE', initiatorType: 'BUSINESS' },
    expiration: inFuture(settings.answer_ms + settings.silence_ms),
  }
}

async function request(kit: Kit, body: ReturnType<typeof transactionRequest>) {
  const path = '/transactionRequests'
  servedOrNotRun(await kit.send({ method: 'POST', path, ...route(kit), body }), path)
  return kit.expect(
    'PUT /transactionRequests/{ID} or its error',
    isAnswer(`${path}/${body.transactionRequestId}`),
  )
}

export const requests: readonly Case[] = [
  {
    id: 'request-received',
    title: 'A payment request is answered with its state or an error',
    role: 'payer',
    section: 'FSPIOP 6.4.4.1',
    async run(kit) {
      const answer = await request(kit, transactionRequest(kit, actingPayee().id))
      if (answer.path.endsWith('/error')) {
        expectError(answer, ['1', '2', '3', '4'])
        return
      }
      const state = String(at(answer.json, 'transactionRequestState'))
      ensure(
        ['RECEIVED', 'PENDING', 'ACCEPTED', 'REJECTED'].includes(state),
        'transactionRequestState',
        describe(answer),
      )
    },
  },
  {
    id: 'request-quoted',
    title: 'The quote for a payment request names it, and asks that the payee receive its amount',
    role: 'payer',
    section: 'FSPIOP 6.4.2, 6.5.3.2',
    async run(kit) {
      const payee = actingPayee()
      answerPayment(kit, payee, {})
      const body = transactionRequest(kit, payee.id)
      await request(kit, body)
      const quote = await kit.next(payee.isQuote, kit.settings.answer_ms)
      // The payer may refuse; then there is a final answer in place of a quote.
      if (quote === undefined) {
        await kit.expect('POST /quotes, or REJECTED, or an error', (message) =>
          isEnd(body.transactionRequestId, message),
        )
        return
      }
      ensure(
        at(quote.json, 'transactionRequestId') === body.transactionRequestId,
        `transactionRequestId ${body.transactionRequestId}`,
        describe(quote),
      )
      ensure(
        at(quote.json, 'amountType') === 'RECEIVE' && at(quote.json, 'amount', 'amount') === '10',
        'RECEIVE of 10',
        describe(quote),
      )
    },
  },
  {
    id: 'request-get-unknown',
    title: 'GET of an unknown payment request is answered with 3206',
    role: 'payer',
    section: 'FSPIOP 6.4.5, 7.6',
    async run(kit) {
      const path = `/transactionRequests/${randomUUID()}`
      const answer = await kit.send({ method: 'GET', path, ...route(kit) })
      servedOrNotRun(answer, '/transactionRequests')
      expectError(await kit.expect(`PUT ${path}/error`, isAnswer(path)), ['3206', '3200'])
    },
  },
  {
    id: 'transaction-get-unknown',
    title: 'GET of an unknown transaction is answered with 3207',
    role: 'payee',
    section: 'FSPIOP 6.8.5, 7.6',
    async run(kit) {
      const path = `/transactions/${randomUUID()}`
      servedOrNotRun(await kit.send({ method: 'GET', path, ...route(kit) }), '/transactions')
      expectError(await kit.expect(`PUT ${path}/error`, isAnswer(path)), ['3207', '3200'])
    },
  },
  {
    id: 'request-made',
    title:
      'A payment request of the FSP names payer, payee and amount, and the quote for it is answered',
    role: 'payee',
    section: 'FSPIOP 6.4.3.2',
    async run(kit) {
      const { settings } = kit
      const payer = actingPayee().id
      const isRequest: Matches = (message) =>
        is('POST', '/transactionRequests')(message) &&
        at(message.json, 'payer', 'partyIdentifier') === payer
      const triggered = kit.trigger({
        action: 'requestPayment',
        payer: {
          partyIdType: 'MSISDN',
          partyIdentifier: payer,
          fspId: settings.counterparty,
        },
        amount: { currency: settings.currency, amount: '10' },
        validFor_ms: settings.answer_ms + settings.silence_ms,
      })
      const made = await triggered.begun('POST /transactionRequests', isRequest)
      ensure(
        at(made.json, 'payee', 'partyIdInfo', 'fspId') === settings.fsp &&
          at(made.json, 'amount', 'amount') === '10',
        `a payee at ${settings.fsp} and the amount 10`,
        describe(made),
      )
      const { transactionRequestId } = made.json as { readonly transactionRequestId: string }
      const quote = newQuote(kit, { transactionRequestId, amountType: 'RECEIVE' })
      await kit.sendExpecting(202, { method: 'POST', path: '/quotes', ...route(kit), body: quote })
      const path = `/quotes/${quote.quoteId}`
      await kit.expect(`PUT ${path} with terms`, is('PUT', path))
    },
  },
]

function isEnd(id: string, { method, path, json }: ReceivedRequest): boolean {
  const own = `/transactionRequests/${id}`
  if (method !== 'PUT') return false
  return (
    path === `${own}/error` || (path === own && at(json, 'transactionRequestState') === 'REJECTED')
  )
}
