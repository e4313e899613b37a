import { errorInformation } from '@causeway/fspiop'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import {
  createFsp,
  refundOf,
  type Fsp,
  type FspOptions,
  type IncomingQuote,
  type PaymentOrder,
} from '../index.ts'
import type { Taken } from '../testing/hub-stand-in.ts'
import { openScheme, type Scheme } from '../testing/scheme.ts'

const amara = { type: 'MSISDN', id: '12025550101', name: 'Amara Example' } as const
const mei = { type: 'MSISDN', id: '12025550111', name: 'Mei Example' } as const

let scheme: Scheme
let opened: Fsp[]

beforeEach(async () => {
  scheme = await openScheme()
  opened = []
})

afterEach(async () => {
  await Promise.all(opened.map((fsp) => fsp.close()))
  await scheme.stop()
})

function open(name: string, options: Partial<FspOptions> = {}): Fsp {
  const fsp = createFsp({
    name,
    hubUrl: scheme.hub.url,
    secret: randomBytes(32),
    silence_ms: 50,
    margin_ms: 300,
    ...options,
  })
  opened.push(fsp)
  scheme.join(fsp)
  return fsp
}

/** A payer FSP, and a payee FSP with one customer whom the scheme knows. */
async function openBoth(payeeOptions: Partial<FspOptions> = {}): Promise<Fsp> {
  const payer = open('payerfsp')
  const onLookUp: FspOptions['onLookUp'] = ({ id }) => (id === mei.id ? mei : undefined)
  const payee = open('payeefsp', { onLookUp, ...payeeOptions })
  expect(await payee.associate(mei)).toMatchObject({ state: 'DONE' })
  return payer
}

function order(changes: Partial<PaymentOrder> = {}): PaymentOrder {
  return {
    payer: amara,
    to: { type: mei.type, id: mei.id },
    amount: { currency: 'USD', amount: '10' },
    expiration: new Date(Date.now() + 10_000),
    ...changes,
  }
}

const sent = (method: string, resource: string) => (message: Taken) =>
  message.method === method && message.path.startsWith(`/${resource}`)

describe('a whole payment', () => {
  test('is looked up, quoted and transferred, and says how long each leg took', async () => {
    const payer = await openBoth()
    const result = await payer.pay(order())
    expect(result).toEqual({
      state: 'COMMITTED',
      transactionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      transferId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      payee: { ...mei, fspId: 'payeefsp' },
      quote: expect.objectContaining({ transferAmount: { currency: 'USD', amount: '10' } }),
      ms: {
        lookup: expect.any(Number),
        quote: expect.any(Number),
        transfer: expect.any(Number),
        total: expect.any(Number),
      },
      fulfilment: expect.stringMatching(/^[\w-]{43}$/),
      completedTimestamp: expect.stringMatching(/Z$/),
    })
    const { lookup = 0, quote = 0, transfer = 0, total } = result.ms
    expect(total).toBeGreaterThanOrEqual(Math.floor(lookup + quote + transfer))
  })

  test('carries what the payee FSP charges', async () => {
    const payeeFspFee = { currency: 'USD', amount: '0.5' }
    const payer = await openBoth({ onQuote: () => ({ type: 'AGREE', payeeFspFee }) })
    expect(await payer.pay(order({ amountType: 'RECEIVE' }))).toMatchObject({
      state: 'COMMITTED',
      quote: {
        payeeFspFee,
        transferAmount: { amount: '10.5' },
        payeeReceiveAmount: { amount: '10' },
      },
    })
  })

  test('ends before the transfer when the payer does not want the terms', async () => {
    const payer = await openBoth()
    const confirm: PaymentOrder['confirm'] = ({ payee }) => payee.name !== mei.name
    expect(await payer.pay(order({ confirm }))).toMatchObject({
      state: 'DECLINED',
      transferId: undefined,
    })
    expect(scheme.hub.taken.some(sent('POST', 'transfers'))).toBe(false)
  })

  test('to a number that nobody serves ends with the lookup', async () => {
    const payer = await openBoth()
    const to = { type: 'MSISDN', id: '12025550199' } as const
    const result = await payer.pay(order({ to }))
    expect(result).toMatchObject({ state: 'ABORTED', leg: 'lookup', error: { errorCode: '3204' } })
    expect(Object.keys(result.ms)).toEqual(['lookup', 'total'])
  })

  test.each([
    ['quote', { onQuote: () => ({ type: 'REJECT', error: errorInformation('5101') }) as const }],
    [
      'transfer',
      { onTransfer: () => ({ type: 'REJECT', error: errorInformation('5101') }) as const },
    ],
  ])('that is rejected ends with the %s', async (leg, options) => {
    const payer = await openBoth(options)
    const error = errorInformation('5101')
    expect(await payer.pay(order())).toMatchObject({ state: 'ABORTED', leg, error })
  })

  test('that the hub refuses ends with what the hub says', async () => {
    const payer = await openBoth()
    const error = errorInformation('3100', 'not today')
    scheme.hub.replyWith(({ method, path }) =>
      sent('POST', 'quotes')({ method, path } as Taken)
        ? { status: 400, body: { errorInformation: error } }
        : 202,
    )
    expect(await payer.pay(order())).toMatchObject({
      state: 'REFUSED',
      leg: 'quote',
      status: 400,
      error,
    })
  })

  test('that nobody answers is aborted while nothing can have moved', async () => {
    const payer = await openBoth()
    scheme.passOn((message) => (sent('POST', 'quotes')(message) ? undefined : message))
    const expiration = new Date(Date.now() + 300)
    expect(await payer.pay(order({ expiration }))).toMatchObject({ state: 'ABORTED', leg: 'quote' })
  })

  test.each([
    ['PUT', 'parties', 'GET'],
    ['PUT', 'quotes', 'GET'],
  ])('survives that the first %s /%s is lost, because it asks', async (method, resource, asks) => {
    const payer = await openBoth()
    let lost = 0
    scheme.passOn((message) =>
      sent(method, resource)(message) && lost++ === 0 ? undefined : message,
    )
    expect(await payer.pay(order())).toMatchObject({ state: 'COMMITTED' })
    expect(scheme.hub.taken.filter(sent(asks, resource)).length).toBeGreaterThan(0)
  })

  test('back is a payment that names what it undoes', async () => {
    const quotes: IncomingQuote[] = []
    const payer = await openBoth({
      onQuote(quote) {
        quotes.push(quote)
        return { type: 'AGREE' }
      },
    })
    const first = await payer.pay(order())
    const refund = await payer.pay(
      order({ transactionType: refundOf(first.transactionId, 'worn') }),
    )
    expect(refund).toMatchObject({ state: 'COMMITTED' })
    expect(quotes[1]?.transactionType).toEqual({
      scenario: 'REFUND',
      initiator: 'PAYER',
      initiatorType: 'CONSUMER',
      refundInfo: { originalTransactionId: first.transactionId, refundReason: 'worn' },
    })
  })

  test('is not paid on an answer that does not add up', async () => {
    const payer = await openBoth()
    scheme.passOn((message) => {
      if (!sent('PUT', 'quotes')(message)) return message
      const body = message.body.toString().replaceAll('"amount":"10"', '"amount":"11"')
      return { ...message, body: Buffer.from(body) }
    })
    expect(await payer.pay(order())).toMatchObject({
      state: 'ABORTED',
      leg: 'quote',
      error: { errorCode: '3100' },
    })
  })
})

describe('the payee FSP', () => {
  test('answers a quote that comes again with the same bytes, and another one of its id with 3106', async () => {
    const payer = await openBoth()
    await payer.pay(order())
    const post = scheme.hub.taken.find(sent('POST', 'quotes'))
    const payee = opened[1]
    if (post === undefined || payee === undefined) throw new Error('no quote was asked for')
    const changed = Buffer.from(post.body.toString().replace('"amount":"10"', '"amount":"9"'))
    for (const body of [post.body, changed]) {
      const { method, path: target, headers } = post
      expect(await payee.receive({ method, target, headers, body })).toEqual({ status: 202 })
    }
    const [first, ...others] = await scheme.hub.heard(sent('PUT', 'quotes'), 3)
    const codes = others.map(({ body }) =>
      body.equals(first?.body ?? body) ? 'same' : body.toString(),
    )
    expect(codes).toEqual(expect.arrayContaining([expect.stringContaining('"3106"'), 'same']))
  })

  test('refuses a transfer whose quote has expired', async () => {
    const payer = await openBoth({
      onQuote: () => ({ type: 'AGREE', expiration: new Date(Date.now() + 150) }),
    })
    const payee = { ...mei, fspId: 'payeefsp' }
    const quoted = await payer.quote({
      payeeFsp: 'payeefsp',
      payee,
      payer: amara,
      amountType: 'SEND',
      amount: { currency: 'USD', amount: '10' },
      transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
      expiration: new Date(Date.now() + 10_000),
    })
    if (quoted.state !== 'AGREED') throw new Error(quoted.state)
    const { transferAmount: amount, ilpPacket, condition, expiration } = quoted.quote
    await until(expiration)
    const late = new Date(Date.now() + 10_000)
    const transfer = { payeeFsp: 'payeefsp', amount, ilpPacket, condition, expiration: late }
    expect(await payer.transfer(transfer)).toMatchObject({
      state: 'ABORTED',
      error: { errorCode: '3302' },
    })
  })
})

test('an association can be ended, and then nobody serves the number', async () => {
  const payer = await openBoth()
  expect(await payer.lookUp(mei)).toMatchObject({ state: 'FOUND', party: { name: mei.name } })
  expect(await opened[1]?.disassociate(mei)).toMatchObject({ state: 'DONE' })
  expect(await payer.lookUp(mei)).toMatchObject({ state: 'FAILED', error: { errorCode: '3204' } })
})

test('lookups of one number at the same time are one question', async () => {
  const payer = await openBoth()
  const results = await Promise.all([payer.lookUp(mei), payer.lookUp(mei)])
  expect(results.map(({ state }) => state)).toEqual(['FOUND', 'FOUND'])
  expect(scheme.hub.taken.filter(sent('GET', 'parties'))).toHaveLength(1)
})

test('a ping tells when the hub had it', async () => {
  expect(await open('payerfsp').ping()).toMatchObject({
    state: 'ANSWERED',
    receivedAt: expect.stringMatching(/Z$/),
  })
})

/** The time is past. */
function until(time: Date): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time.getTime() - Date.now() + 1))
}
