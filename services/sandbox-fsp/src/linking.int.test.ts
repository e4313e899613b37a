import { openLog, readSettings } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { start, type Sandbox } from './service.ts'
import { settings } from './settings.ts'
import { openHubRelay, type HubRelay } from './testing/hub-relay.ts'

const silent = openLog({ name: 'test', level: 'silent' })
const anyPort = { port: 0, callbackPort: 0 }
const amara = '12025550101'
const everyday = `greenbank.${amara}.everyday`

let hub: HubRelay
let sandbox: Sandbox
let pisp: string
let dfsp: string

beforeEach(() => open('127.0.0.1'))
afterEach(close)

/** The FSPs verify keys and signatures themselves: these tests run no auth service. */
async function open(host: string): Promise<void> {
  hub = await openHubRelay()
  const values = {
    SANDBOX_HOST: host,
    SANDBOX_IDENTITY: 'header',
    SANDBOX_SIGNING: 'off',
    AUTH_SERVICE_PARTICIPANT: '',
    HUB_URL: hub.url,
  }
  const reading = readSettings(settings, { sources: [{ origin: 'flag', values }], prefixes: [] })
  sandbox = await start(
    reading.values,
    { greenbank: anyPort, bluewallet: anyPort, lemonpay: anyPort },
    silent,
  )
  const { greenbank, bluewallet, lemonpay } = sandbox
  if (lemonpay === undefined) throw new Error('there is no PISP')
  pisp = lemonpay.url
  dfsp = greenbank.url
  hub.know('lemonpay', lemonpay.callbackUrl)
  for (const bank of [greenbank, bluewallet]) {
    hub.know(bank.name, bank.callbackUrl)
    await eventually(async () => {
      const health = (await get(`${bank.url}/health`)) as { registered: boolean }
      return health.registered ? health : undefined
    }, `the registration of ${bank.name}`)
  }
}

async function close(): Promise<void> {
  await sandbox.stop()
  await hub.stop()
}

const get = async (url: string): Promise<unknown> => (await fetch(url)).json()

async function send(method: string, url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return answer.json()
}

async function linked(changes: object = {}): Promise<string> {
  const wish = { dfsp: 'greenbank', user: amara, ...changes }
  const answer = (await send('POST', `${pisp}/links`, wish)) as { readonly consentId: string }
  expect(answer).toMatchObject({ state: 'LINKED' })
  return answer.consentId
}

const paid = (consentId: string, changes: object = {}) =>
  send('POST', `${pisp}/payments`, {
    consentId,
    to: 'bluewallet',
    amount: '10',
    currency: 'USD',
    ...changes,
  })

describe('the sandbox PISP', () => {
  test('The sandbox PISP finds the accounts of a customer, with masked names', async () => {
    expect(await get(`${pisp}/providers`)).toMatchObject({ providers: ['greenbank', 'bluewallet'] })
    expect(await get(`${pisp}/accounts/greenbank/${amara}`)).toMatchObject({
      state: 'FOUND',
      accounts: [
        { address: everyday, currency: 'USD', accountNickname: 'XXXXXXXX XXXXunt' },
        { address: `greenbank.${amara}.savings`, accountNickname: 'XXXXXgs' },
      ],
    })
  })

  test('The sandbox PISP uses the address of this machine in its pages when it listens on all addresses', async () => {
    await close()
    await open('0.0.0.0')
    expect(pisp).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await paid(await linked())).toMatchObject({ state: 'COMPLETED' })
  })

  test.each([
    ['by the web with a FIDO key', {}],
    ['with a GENERIC key', { credential: 'GENERIC' }],
  ])('The sandbox PISP links an account %s and pays from it', async (_how, wish) => {
    const consentId = await linked(wish)
    const payment = (await paid(consentId)) as { readonly transactionRequestId: string }
    expect(payment).toMatchObject({
      state: 'COMPLETED',
      consentId,
      from: { fspId: 'greenbank', account: everyday },
      to: { fspId: 'bluewallet', partyIdentifier: '12025550111', name: 'Mei Example' },
      amount: '10',
      currency: 'USD',
    })
    const { transactionRequestId } = payment
    expect(await get(`${dfsp}/third-party-payments/${transactionRequestId}`)).toMatchObject({
      consentId,
      pispId: 'lemonpay',
      transferId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      outcome: { type: 'COMPLETED' },
    })
  })

  test('The sandbox PISP links an account with the password that the customer was sent', async () => {
    await linked({ channel: 'OTP', otpUrl: `${dfsp}/otps/${amara}` })
    expect(await get(`${dfsp}/otps/${amara}`)).toEqual({ otp: expect.stringMatching(/^\d{6}$/) })
  })

  test.each<[string, object, object]>([
    ['rejects the terms', { userDoes: 'reject' }, { state: 'REJECTED' }],
    ['signs other terms', { userDoes: 'signOther' }, { error: { errorCode: '6201' } }],
    [
      'does not answer',
      { userDoes: 'ignore', validForMs: 1_000 },
      { state: 'FAILED', error: { errorCode: '3301' } },
    ],
    ['has not enough money', { amount: '61.04' }, { error: { errorCode: '6104' } }],
    ['pays in another currency', { amount: '41.03' }, { error: { errorCode: '4103' } }],
    ['pays an unknown payee', { amount: '51.03' }, { error: { errorCode: '6003' } }],
  ])('The sandbox PISP receives the outcome when its user %s', async (_what, order, outcome) => {
    expect(await paid(await linked(), order)).toMatchObject(outcome)
  })

  test.each([
    ['the PISP', () => pisp],
    ['the FSP', () => dfsp],
  ])('No payment is made after %s has unlinked the account', async (_who, where) => {
    const consentId = await linked()
    expect(await send('DELETE', `${where()}/links/${consentId}`)).toMatchObject({
      state: expect.stringMatching(/^(UNLINKED|REVOKED)$/),
    })
    expect(await paid(consentId)).toMatchObject({ error: { errorCode: '6103' } })
  })

  test.each([
    ['/links', { user: amara }, 'dfsp'],
    ['/links', { dfsp: 'greenbank', user: amara, channel: 'OTP' }, 'otpUrl'],
    ['/payments', { to: 'bluewallet', amount: '10', currency: 'USD' }, 'consentId'],
  ])(
    'The sandbox PISP refuses a malformed request with the reason: POST %s %j',
    async (path, body, word) => {
      const { error } = (await send('POST', `${pisp}${path}`, body)) as { readonly error: string }
      expect(error).toContain(word)
    },
  )
})

test('The log-in page of a sandbox FSP shows the accounts, and nothing for an unknown request', async () => {
  const id = 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61'
  expect((await fetch(`${dfsp}/link/${id}`)).status).toBe(404)
})
