import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import {
  createFsp,
  type AuthorizationDecision,
  type Fsp,
  type FspOptions,
  type IncomingAuthorization,
  type RequestOrder,
  type RequestOutcome,
} from '../index.ts'
import type { StandInRequest } from '../testing/hub-stand-in.ts'
import { openScheme, type Scheme } from '../testing/scheme.ts'

const amara = { type: 'MSISDN', id: '12025550101', name: 'Amara Example' } as const
const shop = { type: 'BUSINESS', id: 'tea-shop', name: 'Tea Shop' } as const

let scheme: Scheme
let opened: Fsp[]
let outcome: Promise<RequestOutcome>
let onRequestOutcome: (outcome: RequestOutcome) => void
let asked: IncomingAuthorization[]

beforeEach(async () => {
  scheme = await openScheme()
  opened = []
  outcome = new Promise((resolve) => (onRequestOutcome = resolve))
  asked = []
})

afterEach(async () => {
  await Promise.all(opened.map((fsp) => fsp.close()))
  await scheme.stop()
})

function open(name: string, options: Partial<FspOptions>): Fsp {
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

const made = ['1111', '2222', '3333']

/** A payer FSP whose customers pay what is requested; its one-time passwords are 1111, 2222, … */
function openPayer(options: Partial<FspOptions> = {}): Fsp {
  const passwords = [...made]
  return open('payerfsp', {
    onRequest: ({ payer }) => ({
      type: 'PAY',
      payer: { ...payer, name: amara.name },
      otp: { make: () => passwords.shift() ?? '9999', attempts_max: 3 },
    }),
    onRequestOutcome,
    ...options,
  })
}

/** A payee FSP at whose device the payer enters the given values, one after the other. */
function openPayee(entered: readonly AuthorizationDecision[] = []): Fsp {
  const left = [...entered]
  return open('payeefsp', {
    onAuthorization(authorization) {
      asked.push(authorization)
      return left.shift() ?? { type: 'REJECTED' }
    },
  })
}

function order(changes: Partial<RequestOrder> = {}): RequestOrder {
  return {
    payer: { type: amara.type, id: amara.id, fspId: 'payerfsp' },
    payee: shop,
    amount: { currency: 'USD', amount: '10' },
    expiration: new Date(Date.now() + 10_000),
    ...changes,
  }
}

const isAbout = (method: string, resource: string) => (message: StandInRequest) =>
  message.method === method && message.path.startsWith(`/${resource}`)

const entered = (value: string): AuthorizationDecision => ({ type: 'ENTERED', value })

describe('a payment that the payee asks for', () => {
  test('A requested payment is made, and both sides receive its outcome', async () => {
    openPayer()
    const result = await openPayee().requestPayment(order())
    expect(result).toMatchObject({ state: 'PAID' })
    expect(await outcome).toMatchObject({
      transactionRequestId: result.transactionRequestId,
      result: { state: 'COMMITTED' },
    })
    const [quote] = scheme.hub.taken.filter(isAbout('POST', 'quotes'))
    expect(JSON.parse(String(quote?.body))).toMatchObject({
      transactionRequestId: result.transactionRequestId,
      amountType: 'RECEIVE',
      amount: { amount: '10' },
      transactionType: { scenario: 'PAYMENT', initiator: 'PAYEE', initiatorType: 'BUSINESS' },
    })
  })

  test('A requested payment is not made when the payer rejects it', async () => {
    openPayer({ onRequest: () => ({ type: 'REJECT' }) })
    expect(await openPayee().requestPayment(order())).toMatchObject({ state: 'REJECTED' })
  })

  test('A requested payment is not made by an FSP that pays no requests', async () => {
    open('payerfsp', {})
    expect(await openPayee().requestPayment(order())).toMatchObject({
      state: 'FAILED',
      error: { errorCode: '4102' },
    })
  })

  test('A request is sent again when its answer was lost', async () => {
    openPayer({ onRequest: () => ({ type: 'REJECT' }) })
    let lost = 0
    scheme.passOn((message) =>
      isAbout('PUT', 'transactionRequests')(message) && lost++ < 2 ? undefined : message,
    )
    expect(await openPayee().requestPayment(order())).toMatchObject({ state: 'REJECTED' })
    expect(scheme.hub.taken.some(isAbout('GET', 'transactionRequests'))).toBe(true)
  })

  test('A request is not paid by a quote for less', async () => {
    openPayer()
    const payee = openPayee()
    scheme.passOn((message) => {
      if (!isAbout('POST', 'quotes')(message)) return message
      const body = message.body.toString().replace('"amount":"10"', '"amount":"1"')
      return { ...message, body: Buffer.from(body) }
    })
    const expiration = new Date(Date.now() + 300)
    expect(await payee.requestPayment(order({ expiration }))).not.toMatchObject({ state: 'PAID' })
  })
})

describe('a one-time password', () => {
  const withOtp = () => order({ authenticationType: 'OTP' })

  test('The right one-time password lets the payment continue', async () => {
    openPayer()
    const payee = openPayee([entered('1111')])
    expect(await payee.requestPayment(withOtp())).toMatchObject({ state: 'PAID' })
    expect(asked).toMatchObject([
      { authenticationType: 'OTP', amount: { currency: 'USD', amount: '10' }, retriesLeft: 3 },
    ])
  })

  test('A wrong one-time password may be followed by another while attempts are left', async () => {
    openPayer()
    const payee = openPayee([entered('1234'), entered('1111')])
    expect(await payee.requestPayment(withOtp())).toMatchObject({ state: 'PAID' })
    expect(asked.map(({ retriesLeft }) => retriesLeft)).toEqual([3, 2])
  })

  test('A new one-time password is made when the payer asks for one', async () => {
    openPayer()
    const payee = openPayee([{ type: 'RESEND' }, entered('2222')])
    expect(await payee.requestPayment(withOtp())).toMatchObject({ state: 'PAID' })
  })

  test('One new one-time password is made when the request for it arrives twice', async () => {
    const payer = openPayer()
    const payee = openPayee([{ type: 'RESEND' }, entered('2222')])
    let late: StandInRequest | undefined
    scheme.passOn((message) => {
      if (isAbout('PUT', 'authorizations')(message) && late === undefined) {
        late = message
        return undefined
      }
      const isNextAttempt = message.method === 'GET' && message.path.includes('retriesLeft=2')
      if (isNextAttempt && late !== undefined) {
        const { method, path: target, headers, body } = late
        void payer.receive({ method, target, headers, body })
      }
      return message
    })
    expect(await payee.requestPayment(withOtp())).toMatchObject({ state: 'PAID' })
    expect(asked).toHaveLength(2)
  })

  test.each([
    ['is wrong too often', [entered('123'), entered('2222'), entered('1112')], 3],
    ['is not entered', [{ type: 'REJECTED' } as const], 1],
  ])('A one-time password that %s stops the payment', async (_what, answers, pending) => {
    openPayer()
    expect(await openPayee(answers).requestPayment(withOtp())).toMatchObject({ state: 'REJECTED' })
    expect(asked).toHaveLength(pending)
    expect(scheme.hub.taken.some(isAbout('POST', 'transfers'))).toBe(false)
    expect(await outcome).toMatchObject({ result: { state: 'DECLINED' } })
  })

  test('The payer is asked once for each attempt, however often the message arrives', async () => {
    openPayer()
    const payee = openPayee([entered('1111')])
    let lost = 0
    scheme.passOn((message) =>
      isAbout('PUT', 'authorizations')(message) && lost++ === 0 ? undefined : message,
    )
    expect(await payee.requestPayment(withOtp())).toMatchObject({ state: 'PAID' })
    expect(asked).toHaveLength(1)
  })
})
