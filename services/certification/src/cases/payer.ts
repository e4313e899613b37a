/**
 * The FSP pays: the form of its requests, what it does in silence, and which answers it believes. Each
 * case needs the trigger `pay`.
 */
import { randomBytes } from 'node:crypto'
import { type Case, Unmet } from '../case.ts'
import { payKit, stateOf } from '../counterparts/payee.ts'
import { describe } from '../kit.ts'
import { type Draft, resourceOf } from '../message.ts'
import type { ReceivedRequest } from '../peer.ts'
import { at, ensure, is } from '../read.ts'

/** Has the FSP got so far that it holds the money back until it knows the outcome? */
const isOver = (state: string) => state === 'COMMITTED' || state === 'ABORTED'

const errorDraft = (usual: Draft, errorCode: string): Draft => ({
  ...usual,
  path: `${usual.path}/error`,
  body: { errorInformation: { errorCode, errorDescription: 'A code of the certification' } },
})

export const payer: readonly Case[] = [
  {
    id: 'payer-form',
    title: 'Each request has Accept, Content-Type with a version, Date and FSPIOP-Source',
    role: 'payer',
    section: 'FSPIOP 3.2.1',
    async run(kit) {
      const payment = await payKit(kit)
      const lookUp = await kit.expect('GET /parties', payment.isLookUp)
      const messages = [lookUp, await payment.quoteRequest(), await payment.transferRequest()]
      for (const message of messages) expectForm(message, kit.settings.fsp)
    },
  },
  {
    id: 'payer-terms-kept',
    title:
      'A transfer carries amount, packet and condition of the quote, and expires in the future',
    role: 'payer',
    section: 'FSPIOP 6.7.2.8, 6.7.3.2',
    async run(kit) {
      const payment = await payKit(kit)
      const transfer = await payment.transferRequest()
      const { transferAmount, ilpPacket, condition } = payment.quote?.answer ?? {}
      const { json } = transfer
      const kept =
        at(json, 'ilpPacket') === ilpPacket &&
        at(json, 'condition') === condition &&
        at(json, 'amount', 'amount') === transferAmount?.amount &&
        at(json, 'amount', 'currency') === transferAmount?.currency
      ensure(kept, `the terms ${JSON.stringify(payment.quote?.answer)}`, describe(transfer))
      const expiration = String(at(json, 'expiration'))
      ensure(Date.parse(expiration) > Date.now(), 'an expiration in the future', expiration)
    },
  },
  {
    id: 'payer-asks-after-silence',
    title: 'When no callback arrives, the FSP asks with GET /transfers/{ID}, and takes the answer',
    role: 'payer',
    section: 'FSPIOP 6.7.2.5, 6.7.3.1',
    async run(kit) {
      const payment = await payKit(kit, { onTransfer: () => [] })
      await payment.transferRequest()
      await kit.expect(
        'GET /transfers/{ID} when no callback arrived',
        payment.isTransferQuery,
        kit.settings.silence_ms,
      )
      const state = await payment.state()
      if (state !== undefined) ensure(state === 'COMMITTED', 'COMMITTED after the answer', state)
    },
  },
  {
    id: 'payer-unknown-members',
    title: 'Members that the API does not define are accepted, at any depth',
    role: 'payer',
    section: 'FSPIOP 3.3.2',
    async run(kit) {
      const payment = await payKit(kit, {
        onLookUp: (_payee, usual) => [withMembers(usual)],
        onQuote: (_payee, usual) => [withMembers(usual)],
        onTransfer: (_payee, usual) => [withMembers(usual)],
      })
      await payment.quoteRequest()
      await payment.transferRequest()
      const state = await payment.state()
      if (state !== undefined) ensure(state === 'COMMITTED', 'COMMITTED', state)
    },
  },
  {
    id: 'payer-unknown-error-code',
    title: 'An unknown error code ends the quote like the generic code of its class',
    role: 'payer',
    section: 'FSPIOP 3.3.2, 7.6',
    async run(kit) {
      const payment = await payKit(kit, { onQuote: () => [] })
      const request = await payment.quoteRequest()
      await kit.sendExpecting(
        200,
        errorDraft(
          {
            method: 'PUT',
            path: `/quotes/${String(at(request.json, 'quoteId'))}`,
            from: kit.settings.counterparty,
            to: kit.settings.fsp,
          },
          '5199',
        ),
      )
      await kit.expectNone('POST /transfers after the quote was refused', payment.isTransfer)
      const state = await payment.state()
      if (state !== undefined) ensure(state !== 'COMMITTED', 'a payment that failed', state)
    },
  },
  {
    id: 'payer-wrong-amount',
    title: 'A quote whose transfer amount does not follow from its terms is not paid',
    role: 'payer',
    section: 'FSPIOP 5.1',
    async run(kit) {
      const { currency } = kit.settings
      const payment = await payKit(kit, {
        onQuote: (_payee, usual) => [
          { ...usual, body: { ...usual.body, transferAmount: { currency, amount: '11' } } },
        ],
      })
      await payment.quoteRequest()
      await kit.expectNone('POST /transfers for another amount', payment.isTransfer)
    },
  },
  {
    id: 'payer-expired-quote',
    title: 'A quote that has expired is not paid',
    role: 'payer',
    section: 'FSPIOP 6.5.2.1',
    async run(kit) {
      const expiration = new Date(Date.now() - 1_000).toISOString()
      const payment = await payKit(kit, {
        onQuote: (_payee, usual) => [{ ...usual, body: { ...usual.body, expiration } }],
      })
      await payment.quoteRequest()
      await kit.expectNone('POST /transfers on an expired quote', payment.isTransfer)
    },
  },
  {
    id: 'payer-wrong-fulfilment',
    title: 'COMMITTED without the fulfilment of the condition is no proof: the payment stays open',
    role: 'payer',
    section: 'FSPIOP 4.4, 6.7.2.8',
    async run(kit) {
      const fulfilment = randomBytes(32).toString('base64url')
      const payment = await payKit(kit, {
        onTransfer: (_payee, usual) => [{ ...usual, body: { ...usual.body, fulfilment } }],
      })
      await payment.transferRequest()
      const asked = kit.next(payment.isTransferQuery, kit.settings.silence_ms)
      const reported = payment.triggered.outcome(kit.settings.silence_ms)
      const first = await Promise.race([asked, reported])
      // Either it asks, or it reports; what is reported before it asks must not be final.
      if (first !== undefined && 'method' in first) return
      const state = first?.state ?? (await stateOf(payment))
      ensure(!isOver(state), 'a payment that is open, or GET /transfers/{ID}', state)
    },
  },
  {
    id: 'payer-aborted',
    title: 'An error of the transfer ends the payment as aborted, also with an unknown code',
    role: 'payer',
    section: 'FSPIOP 3.3.2, 6.7.5.1',
    async run(kit) {
      const payment = await payKit(kit, {
        onTransfer: (_payee, usual) => [errorDraft(usual, '5199')],
      })
      await payment.transferRequest()
      const state = await stateOf(payment)
      ensure(state === 'ABORTED', 'ABORTED', state)
    },
  },
  {
    id: 'payer-technical-error',
    title: 'A technical error (1xxx, 2xxx) does not end the transfer: the money may have moved',
    role: 'payer',
    section: 'FSPIOP 6.7.2.5, 7.6',
    async run(kit) {
      const payment = await payKit(kit, {
        onTransfer: (_payee, usual) => [errorDraft(usual, '2001')],
      })
      await payment.transferRequest()
      await kit.expect(
        'GET /transfers/{ID} after the error',
        payment.isTransferQuery,
        kit.settings.silence_ms,
      )
      const state = await payment.state()
      if (state !== undefined) ensure(state === 'COMMITTED', 'COMMITTED after the answer', state)
    },
  },
  {
    id: 'payer-version-refused',
    title: 'After 406 the FSP does not send the same version again',
    role: 'payer',
    section: 'FSPIOP 3.3.4',
    async run(kit) {
      const body = {
        errorInformation: {
          errorCode: '3001',
          errorDescription: 'Unacceptable version requested',
          extensionList: { extension: [{ key: '9', value: '0' }] },
        },
      }
      const payment = await payKit(kit, {
        reply: (message) => (isPostQuotes(message) ? { status: 406, body } : undefined),
      })
      const first = await payment.quoteRequest()
      const { accept } = first.headers
      await kit.expectNone(
        `second POST /quotes with Accept: ${String(accept)}`,
        (message) =>
          message !== first && payment.isQuote(message) && message.headers['accept'] === accept,
      )
    },
  },
  {
    id: 'payer-other-party',
    title: 'Only the payee’s FSP and the hub can answer a quote',
    role: 'payer',
    section: 'FSPIOP 3.2.3.6',
    async run(kit) {
      const payment = await payKit(kit, {
        onQuote: (_payee, usual) => [{ ...usual, from: kit.settings.stranger }],
      })
      await payment.quoteRequest()
      await kit.expectNone('POST /transfers on the answer of a stranger', payment.isTransfer)
    },
  },
  {
    id: 'payer-party-not-found',
    title: 'When the payee is unknown (3204), no quote is requested',
    role: 'payer',
    section: 'FSPIOP 6.3',
    async run(kit) {
      const payment = await payKit(kit, {
        onLookUp: (_payee, usual) => [errorDraft(usual, '3204')],
      })
      await kit.expectNone('POST /quotes for an unknown payee', payment.isQuote)
    },
  },
]

const isPostQuotes = is('POST', '/quotes')

const versionPattern =
  /^application\/vnd\.interoperability\.[A-Za-z]+\+json ?; ?version=1(?:\.\d+)?/

function expectForm(message: ReceivedRequest, fsp: string): void {
  const { headers, path } = message
  const missing = (name: string, why: string) =>
    new Unmet(`${name}: ${why}`, `${describe(message)}, ${name}: ${String(headers[name])}`)
  for (const name of ['accept', 'content-type']) {
    const value = String(headers[name])
    if (!versionPattern.test(value) || !value.includes(`.${resourceOf(path)}+json`)) {
      throw missing(name, 'the media type of the resource with a version 1.x')
    }
  }
  if (Number.isNaN(Date.parse(String(headers['date'])))) throw missing('date', 'an HTTP date')
  if (headers['fspiop-source'] !== fsp) throw missing('fspiop-source', fsp)
}

/** A later version of the API may define more. */
function withMembers(draft: Draft): Draft {
  const grown: Record<string, unknown> = { ...draft.body, certificationMember: { of: ['later'] } }
  for (const [name, value] of Object.entries(grown)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      grown[name] = { ...value, certificationMember: 1 }
    }
  }
  return { ...draft, body: grown }
}
