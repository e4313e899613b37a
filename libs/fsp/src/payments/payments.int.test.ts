import { errorInformation } from '@causeway/fspiop'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  createFsp,
  refundOf,
  type Fsp,
  type FspOptions,
  type IncomingQuote,
  type PaymentOrder,
} from '../index.ts'
import { callbackHeaders, type StandInRequest } from '../testing/hub-stand-in.ts'
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
    resendAfter_ms: 50,
    margin_ms: 300,
    ...options,
  })
  opened.push(fsp)
  scheme.join(fsp)
  return fsp
}

/** A payer FSP, and a payee FSP with one customer who is registered at the scheme. */
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

const sent = (method: string, resource: string) => (message: StandInRequest) =>
  message.method === method && message.path.startsWith(`/${resource}`)

describe('a whole payment', () => {
  test('A payment is looked up, quoted and transferred, and its result has the time of each leg', async () => {
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
      extensions: new Map(),
    })
    const { lookup = 0, quote = 0, transfer = 0, total } = result.ms
    expect(total).toBeGreaterThanOrEqual(Math.floor(lookup + quote + transfer))
  })

  test('A payment includes the fees of the payee FSP', async () => {
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

  test('The result of a payment has the extensions of the payee FSP’s answers', async () => {
    const payer = await openBoth({
      onQuote: () => ({ type: 'AGREE', extensions: [{ key: 'tariff', value: 'night' }] }),
      onTransfer: () => ({ type: 'COMMIT', extensions: [{ key: 'booking', value: '77' }] }),
    })
    expect(await payer.pay(order())).toMatchObject({
      state: 'COMMITTED',
      quote: { extensions: new Map([['tariff', 'night']]) },
      extensions: new Map([['booking', '77']]),
    })
  })

  test('A payment ends before the transfer when the payer rejects the terms', async () => {
    const payer = await openBoth()
    const confirm: PaymentOrder['confirm'] = ({ payee }) => payee.name !== mei.name
    expect(await payer.pay(order({ confirm }))).toMatchObject({
      state: 'DECLINED',
      transferId: undefined,
    })
    expect(scheme.hub.taken.some(sent('POST', 'transfers'))).toBe(false)
  })

  test('A payment to a number that no FSP serves ends with the lookup', async () => {
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
  ])('A payment that the other FSP rejects ends with the %s', async (leg, options) => {
    const payer = await openBoth(options)
    const error = errorInformation('5101')
    expect(await payer.pay(order())).toMatchObject({ state: 'ABORTED', leg, error })
  })

  test('A payment that the hub refuses ends with the error of the hub', async () => {
    const payer = await openBoth()
    const error = errorInformation('3100', 'not today')
    scheme.hub.replyWith(({ method, path }) =>
      sent('POST', 'quotes')({ method, path } as StandInRequest)
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

  test('A payment without an answer is aborted as long as no money can have moved', async () => {
    const payer = await openBoth()
    scheme.passOn((message) => (sent('POST', 'quotes')(message) ? undefined : message))
    const expiration = new Date(Date.now() + 300)
    expect(await payer.pay(order({ expiration }))).toMatchObject({ state: 'ABORTED', leg: 'quote' })
  })

  test.each([
    ['PUT', 'parties', 'GET'],
    ['PUT', 'quotes', 'GET'],
  ])(
    'A payment survives the loss of the first %s /%s, because the FSP asks again',
    async (method, resource, asks) => {
      const payer = await openBoth()
      let lost = 0
      scheme.passOn((message) =>
        sent(method, resource)(message) && lost++ === 0 ? undefined : message,
      )
      expect(await payer.pay(order())).toMatchObject({ state: 'COMMITTED' })
      expect(scheme.hub.taken.filter(sent(asks, resource)).length).toBeGreaterThan(0)
    },
  )

  test('A refund is a payment that names the original transaction', async () => {
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

  test('A payment is not made on a quote whose amounts do not add up', async () => {
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
  test('A repeated quote gets the same bytes, and another quote with its id is refused with 3106', async () => {
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
    const [first, ...others] = await scheme.hub.received(sent('PUT', 'quotes'), 3)
    const codes = others.map(({ body }) =>
      body.equals(first?.body ?? body) ? 'same' : body.toString(),
    )
    expect(codes).toEqual(expect.arrayContaining([expect.stringContaining('"3106"'), 'same']))
  })

  /** The payee FSP's answer to GET /transactions/{ID}. */
  async function stateOf(transactionId: string, asker = 'payerfsp'): Promise<StandInRequest> {
    const path = `/transactions/${transactionId}`
    const headers = callbackHeaders('payeefsp', asker, 'transactions')
    const before = scheme.hub.taken.filter(sent('PUT', 'transactions')).length
    const question = { ...headers, accept: String(headers['content-type']) }
    const body = Buffer.alloc(0)
    const answer = await opened[1]?.receive({
      method: 'GET',
      target: path,
      headers: question,
      body,
    })
    expect(answer).toEqual({ status: 202 })
    const puts = await scheme.hub.received(sent('PUT', 'transactions'), before + 1)
    const [last] = puts.slice(before)
    if (last === undefined) throw new Error('nothing was answered')
    expect(last.headers['fspiop-destination']).toBe(asker)
    return last
  }

  const stateIn = ({ body }: StandInRequest) =>
    JSON.parse(body.toString()) as {
      readonly transactionState?: string
      readonly completedTimestamp?: string
      readonly errorInformation?: { readonly errorCode: string }
    }

  test('The payee FSP reports the state of a transaction to the payer FSP and to no other FSP', async () => {
    const payer = await openBoth()
    const transactionId = randomUUID()
    const unknown = await stateOf(transactionId)
    expect(unknown.path).toBe(`/transactions/${transactionId}/error`)
    expect(stateIn(unknown).errorInformation?.errorCode).toBe('3207')

    const paid = await payer.pay(order())
    if (paid.state !== 'COMMITTED') throw new Error(paid.state)
    const done = await stateOf(paid.transactionId)
    expect(done.path).toBe(`/transactions/${paid.transactionId}`)
    expect(stateIn(done)).toEqual({
      transactionState: 'COMPLETED',
      completedTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
    })
    const strangers = await stateOf(paid.transactionId, 'otherfsp')
    expect(stateIn(strangers).errorInformation?.errorCode).toBe('3207')
  })

  test('A transaction that the payee FSP refused is reported as REJECTED', async () => {
    const error = errorInformation('5104')
    const payer = await openBoth({ onTransfer: () => ({ type: 'REJECT', error }) })
    const refused = await payer.pay(order())
    if (refused.state !== 'ABORTED') throw new Error(refused.state)
    expect(stateIn(await stateOf(refused.transactionId))).toEqual({ transactionState: 'REJECTED' })
  })

  test.each([
    ['COMMITTED', 'COMPLETED'],
    ['ABORTED', 'REJECTED'],
  ] as const)(
    'A transaction is PENDING until the hub reports %s, and then %s',
    async (transferState, transactionState) => {
      const payer = await openBoth({
        resendAfter_ms: 5_000,
        onTransfer: () => ({ type: 'RESERVE' }),
      })
      void payer.pay(order())
      const [put] = await scheme.hub.received(sent('PUT', 'transfers'), 1)
      const [quote] = scheme.hub.taken.filter(sent('POST', 'quotes'))
      const { transactionId } = JSON.parse(String(quote?.body)) as { transactionId: string }
      expect(stateIn(await stateOf(transactionId))).toEqual({ transactionState: 'PENDING' })
      await opened[1]?.receive({
        method: 'PATCH',
        target: put?.path ?? '',
        headers: callbackHeaders('payeefsp'),
        body: Buffer.from(
          JSON.stringify({ transferState, completedTimestamp: '2030-01-01T00:00:00.000Z' }),
        ),
      })
      expect(stateIn(await stateOf(transactionId))).toMatchObject({ transactionState })
    },
  )

  test('A transfer whose quote has expired is refused', async () => {
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

test('After an association is ended no FSP serves the number', async () => {
  const payer = await openBoth()
  expect(await payer.lookUp(mei)).toMatchObject({ state: 'FOUND', party: { name: mei.name } })
  expect(await opened[1]?.disassociate(mei)).toMatchObject({ state: 'DONE' })
  expect(await payer.lookUp(mei)).toMatchObject({ state: 'FAILED', error: { errorCode: '3204' } })
})

test('Concurrent lookups of one number send one request', async () => {
  const payer = await openBoth()
  const results = await Promise.all([payer.lookUp(mei), payer.lookUp(mei)])
  expect(results.map(({ state }) => state)).toEqual(['FOUND', 'FOUND'])
  expect(scheme.hub.taken.filter(sent('GET', 'parties'))).toHaveLength(1)
})

test('A ping returns the time at which the hub received it', async () => {
  expect(await open('payerfsp').ping()).toMatchObject({
    state: 'ANSWERED',
    receivedAt: expect.stringMatching(/Z$/),
  })
})

/** Waits until the time has passed. */
function until(time: Date): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time.getTime() - Date.now() + 1))
}
