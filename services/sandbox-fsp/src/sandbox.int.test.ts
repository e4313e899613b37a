import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog, readSettings } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Bank } from './bank.ts'
import { start, type Sandbox } from './service.ts'
import { settings, type SandboxFspSettings } from './settings.ts'
import { openHubRelay, type HubRelay } from './testing/hub-relay.ts'

const anyPort = { port: 0, callbackPort: 0 }
const two = { greenbank: anyPort, bluewallet: anyPort }
const silent = openLog({ name: 'test', level: 'silent' })

let hub: HubRelay
let sandbox: Sandbox

/** Without certificates and keys: these tests do not depend on them. */
function plainSettings(hubUrl: string): SandboxFspSettings {
  const values = {
    SANDBOX_IDENTITY: 'header',
    SANDBOX_SIGNING: 'off',
    HUB_URL: hubUrl,
  }
  return readSettings(settings, { sources: [{ origin: 'flag', values }], prefixes: [] }).values
}

beforeEach(async () => {
  hub = await openHubRelay()
  sandbox = await start(plainSettings(hub.url), two, silent)
})

afterEach(async () => {
  await sandbox.stop()
  await hub.stop()
})

async function getJson(url: string): Promise<unknown> {
  return (await fetch(url)).json()
}

/** As an operator does it: the hub knows the FSPs only some time after they have started. */
async function onboard(banks = [sandbox.greenbank, sandbox.bluewallet]): Promise<void> {
  for (const bank of banks) {
    hub.know(bank.name, bank.callbackUrl)
    await eventually(async () => {
      const health = (await getJson(`${bank.url}/health`)) as { registered: boolean }
      return health.registered ? health : undefined
    }, `the registration of ${bank.name}`)
  }
}

async function pay(body: unknown): Promise<{ status: number; json: unknown }> {
  const answer = await fetch(`${sandbox.greenbank.url}/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.status, json: await answer.json() }
}

const mei = { partyIdType: 'MSISDN', partyIdentifier: '12025550111' }
const ten = { to: mei, amount: '10', currency: 'USD' }

describe('a payment', () => {
  beforeEach(() => onboard())

  test('A payment is looked up, quoted and made, and its outcome is the answer', async () => {
    const { status, json } = await pay(ten)
    expect(status).toBe(200)
    expect(json).toEqual({
      state: 'COMMITTED',
      transferId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      transactionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      from: {
        fspId: 'greenbank',
        partyIdType: 'MSISDN',
        partyIdentifier: '12025550101',
        name: 'Amara Example',
      },
      to: { fspId: 'bluewallet', ...mei, name: 'Mei Example' },
      amount: '10',
      currency: 'USD',
      quote: {
        transferAmount: { currency: 'USD', amount: '10' },
        payeeReceiveAmount: { currency: 'USD', amount: '10' },
      },
      ms: {
        lookup: expect.any(Number),
        quote: expect.any(Number),
        transfer: expect.any(Number),
        total: expect.any(Number),
      },
      fulfilment: expect.stringMatching(/^[\w-]{43}$/),
      completedTimestamp: expect.stringMatching(/Z$/),
    })
  })

  test('A payment to a sandbox FSP goes to its first customer, and any customer may pay', async () => {
    const { json } = await pay({ ...ten, to: 'bluewallet', from: '12025550103' })
    expect(json).toMatchObject({
      state: 'COMMITTED',
      from: { name: 'ดวงใจ ตัวอย่าง' },
      to: { fspId: 'bluewallet', partyIdentifier: '12025550111' },
    })
  })

  test.each([
    ['by its amount', { ...ten, amount: '51.04' }, '5104'],
    ['by name', { ...ten, payeeDoes: 'reject' }, '5104'],
    ['in its quote', { ...ten, payeeDoes: 'rejectQuote' }, '5103'],
  ])('A payment is rejected when its payee plays a scenario %s', async (_how, body, errorCode) => {
    const { status, json } = await pay(body)
    expect(status).toBe(200)
    expect(json).toMatchObject({ state: 'ABORTED', error: { errorCode } })
  })

  test('A payment includes the fees of the payee FSP', async () => {
    const { json } = await pay({ ...ten, amountType: 'RECEIVE', payeeDoes: 'charge' })
    expect(json).toMatchObject({
      state: 'COMMITTED',
      quote: {
        transferAmount: { amount: '11' },
        payeeReceiveAmount: { amount: '10' },
        payeeFspFee: { amount: '1' },
      },
    })
  })

  test('A payment can be refunded', async () => {
    const { json } = await pay(ten)
    const { transactionId: refundOf } = json as { transactionId: string }
    expect((await pay({ ...ten, refundOf })).json).toMatchObject({ state: 'COMMITTED' })
    const quotes = hub.seen.filter(({ method, path }) => method === 'POST' && path === '/quotes')
    expect(JSON.parse(String(quotes[1]?.body))).toMatchObject({
      transactionType: { scenario: 'REFUND', refundInfo: { originalTransactionId: refundOf } },
    })
  })

  test('A payment to a number that no FSP serves ends with the lookup', async () => {
    const to = { ...mei, partyIdentifier: '12025550199' }
    expect(await pay({ ...ten, to })).toMatchObject({
      status: 200,
      json: { state: 'ABORTED', leg: 'lookup', to, error: { errorCode: '3204' } },
    })
  })

  test('A payment is confirmed to a payee that asks for it', async () => {
    expect((await pay({ ...ten, amount: '11.01' })).json).toMatchObject({ state: 'COMMITTED' })
    const confirmed = () => hub.seen.find(({ method }) => method === 'PATCH')
    expect(await eventually(confirmed, 'the confirmation')).toMatchObject({
      path: expect.stringMatching(/^\/transfers\//),
    })
  })

  test('A payment without a decision is unresolved after its time', async () => {
    const { status, json } = await pay({ ...ten, amount: '33.03', validForMs: 1_000 })
    expect(status).toBe(504)
    expect(json).toMatchObject({ state: 'UNRESOLVED', leg: 'transfer' })
  }, 15_000)
})

test.each([
  ['nothing', '', 'to'],
  ['malformed JSON', '{', 'JSON'],
  ['no payee', { ...ten, to: undefined }, 'to'],
  ['a payer that is no customer', { ...ten, from: '12025550111' }, 'from'],
  ['an amount of zero', { ...ten, amount: '0' }, 'amount'],
  ['an amount that is a number', { ...ten, amount: 10 }, 'amount'],
  ['no currency', { ...ten, currency: 'ABC' }, 'currency'],
  ['an unknown scenario', { ...ten, payeeDoes: 'dance' }, 'payeeDoes'],
  ['an unknown member', { ...ten, colour: 'red' }, 'colour'],
])('A payment with %s is refused with the reason', async (_what, body, word) => {
  const { status, json } = await pay(body)
  expect(status).toBe(400)
  expect((json as { error: string }).error).toContain(word)
  expect(hub.seen).toEqual([])
})

test('Each FSP shows its name and its customers, and answers 404 for other paths', async () => {
  const { url } = sandbox.bluewallet
  expect(await getJson(`${url}/health`)).toEqual({
    status: 'OK',
    fsp: 'bluewallet',
    registered: false,
  })
  expect(await getJson(`${url}/customers`)).toContainEqual({ ...mei, name: 'Mei Example' })
  expect((await fetch(`${url}/nothing`)).status).toBe(404)
})

describe('with people on the payroll', () => {
  let amberpay: Bank

  beforeEach(async () => {
    await sandbox.stop()
    sandbox = await start(plainSettings(hub.url), { ...two, amberpay: anyPort }, silent)
    if (sandbox.amberpay === undefined) throw new Error('amberpay is not open')
    amberpay = sandbox.amberpay
  })

  test('An FSP that the hub does not know yet tries one customer again and again, not all', async () => {
    const tries = () =>
      hub.refused.flatMap(({ headers, path }) =>
        headers['fspiop-source'] === 'bluewallet' ? [path] : [],
      )
    await eventually(() => Promise.resolve(tries().length > 3 ? true : undefined), 'four tries')
    expect(new Set(tries())).toEqual(new Set(['/participants/MSISDN/12025550111']))
    await onboard()
    const accepted = hub.seen.filter(
      ({ method, path }) => method === 'POST' && path.startsWith('/participants/MSISDN/4477009'),
    )
    expect(accepted).toHaveLength(600)
  })

  test('The people of a payroll are at several FSPs, however few are paid', async () => {
    await onboard([sandbox.greenbank, sandbox.bluewallet, amberpay])
    const answer = await fetch(`${sandbox.greenbank.url}/payrolls`, {
      method: 'POST',
      body: JSON.stringify({ amount: '5', currency: 'USD', people: 5 }),
    })
    const outcome: unknown = JSON.parse((await answer.text()).trim().split('\n').at(-1) ?? '')
    expect(outcome).toMatchObject({
      ok: true,
      bulks: [
        { payeeFsp: 'bluewallet', state: 'COMPLETED', committed: 3, failed: 0 },
        { payeeFsp: 'amberpay', state: 'COMPLETED', committed: 2, failed: 0 },
      ],
    })
  })
})

test('A payroll is refused without amberpay, and the answer names the setting', async () => {
  const { url } = sandbox.greenbank
  const body = JSON.stringify({ amount: '5', currency: 'USD' })
  const answer = await fetch(`${url}/payrolls`, { method: 'POST', body })
  expect(answer.status).toBe(404)
  expect(await answer.json()).toEqual({ error: expect.stringContaining('SANDBOX_FSPS_FILE') })
})

test('A ping goes to the hub and back', async () => {
  hub.know('greenbank', sandbox.greenbank.callbackUrl)
  const answer = await fetch(`${sandbox.greenbank.url}/ping`, { method: 'POST' })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ state: 'ANSWERED' })
})

test('A callback that cannot be verified is refused', async () => {
  const id = 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61'
  const url = `${sandbox.greenbank.callbackUrl}/transfers/${id}`
  const answer = await fetch(url, { method: 'PUT', body: '{"transferState":"COMMITTED"}' })
  expect(answer.status).toBe(400)
  expect(answer.headers.get('content-type')).toContain('vnd.interoperability.transfers')
  expect(await answer.json()).toMatchObject({ errorInformation: { errorCode: '3102' } })
})

test('The process ends when its parent closes its standard input', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  const fsps = join(folder, 'fsps.json')
  writeFileSync(fsps, JSON.stringify(two))
  const main = new URL('../dist/main.js', import.meta.url).pathname
  const child = spawn(process.execPath, [main], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      SANDBOX_FSPS_FILE: fsps,
      SANDBOX_IDENTITY: 'header',
      SANDBOX_SIGNING: 'off',
      HUB_URL: hub.url,
      SANDBOX_EXIT_WITH_PARENT: 'on',
    },
  })
  const ended = once(child, 'exit')
  await once(child.stderr, 'data')
  child.stdin.end()
  expect(await ended).toEqual([0, null])
  rmSync(folder, { recursive: true })
})
