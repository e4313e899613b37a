import { openLog, readSettings } from '@causeway/runtime'
import { eventually } from '@causeway/runtime/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { start, type Sandbox } from './service.ts'
import { settings } from './settings.ts'

const silent = openLog({ name: 'test', level: 'silent' })

/** A hub that relays what comes to the other sandbox FSP and confirms what was reserved. */
let hub: Server
let sandbox: Sandbox
let seen: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[]

async function send(url: string, method: string, headers: object, body: string): Promise<void> {
  await fetch(url, { method, headers: headers as Record<string, string>, body })
}

async function relay(message: (typeof seen)[number]): Promise<void> {
  const { method, path, headers, body } = message
  const passed = Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(fspiop-.*|content-type|date|accept)$/.test(name)),
  )
  const { greenbank, bluewallet } = sandbox
  if (method === 'POST') await send(`${bluewallet.url}/callbacks${path}`, method, passed, body)
  if (method !== 'PUT') return
  const committed = body.replace('"RESERVED"', '"COMMITTED"')
  await send(`${greenbank.url}/callbacks${path}`, method, passed, committed)
  if (committed === body) return
  const { completedTimestamp } = JSON.parse(body) as { completedTimestamp: string }
  const fromHub = { ...passed, 'fspiop-source': 'Hub', 'fspiop-destination': 'bluewallet' }
  const patch = JSON.stringify({ completedTimestamp, transferState: 'COMMITTED' })
  await send(`${bluewallet.url}/callbacks${path}`, 'PATCH', fromHub, patch)
  seen.push({ method: 'PATCH', path, headers: fromHub, body: patch })
}

beforeEach(async () => {
  seen = []
  hub = createServer((request, response) => {
    void buffer(request).then(async (bytes) => {
      const { method = '', url = '', headers } = request
      const message = { method, path: url, headers, body: bytes.toString() }
      seen.push(message)
      response.writeHead(method === 'PUT' ? 200 : 202).end()
      await relay(message)
    })
  })
  hub.listen(0, '127.0.0.1')
  await once(hub, 'listening')
  const { values } = readSettings(settings, {
    sources: [
      {
        origin: 'flag',
        values: {
          SANDBOX_GREENBANK_PORT: '0',
          SANDBOX_BLUEWALLET_PORT: '0',
          HUB_URL: `http://127.0.0.1:${portOf(hub)}`,
        },
      },
    ],
    prefixes: [],
  })
  sandbox = await start(values, silent)
})

afterEach(async () => {
  await sandbox.stop()
  hub.closeAllConnections()
  hub.close()
})

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}

async function pay(body: unknown): Promise<{ status: number; json: unknown }> {
  const answer = await fetch(`${sandbox.greenbank.url}/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.status, json: await answer.json() }
}

const ten = { to: 'bluewallet', amount: '10', currency: 'USD' }

describe('a payment', () => {
  test('is made and answered with its outcome', async () => {
    const { status, json } = await pay(ten)
    expect(status).toBe(200)
    expect(json).toEqual({
      transferId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      state: 'COMMITTED',
      from: 'greenbank',
      to: 'bluewallet',
      amount: '10',
      currency: 'USD',
      ms: expect.any(Number),
      fulfilment: expect.stringMatching(/^[\w-]{43}$/),
      completedTimestamp: expect.stringMatching(/Z$/),
    })
  })

  test.each([
    ['by its amount', { ...ten, amount: '51.04' }],
    ['by name', { ...ten, payeeDoes: 'reject' }],
  ])('is rejected when the payee is told so %s', async (_how, body) => {
    const { status, json } = await pay(body)
    expect(status).toBe(200)
    expect(json).toMatchObject({ state: 'ABORTED', error: { errorCode: '5104' } })
  })

  test('is confirmed to a payee that asks for it', async () => {
    expect((await pay({ ...ten, amount: '11.01' })).json).toMatchObject({ state: 'COMMITTED' })
    const put = seen.find(({ method }) => method === 'PUT')
    expect(put?.body).toContain('"RESERVED"')
    const confirmed = () => seen.find(({ method }) => method === 'PATCH')
    expect(await eventually(confirmed, 'the confirmation')).toMatchObject({ path: put?.path })
  })

  test('that nobody decides is unresolved after its time', async () => {
    const asked = { ...ten, amount: '33.03', validForMs: 100 }
    const { status, json } = await pay(asked)
    expect(status).toBe(504)
    expect(json).toMatchObject({ state: 'UNRESOLVED' })
    expect(seen.some(({ method }) => method === 'GET')).toBe(true)
  }, 15_000)

  test.each([
    ['nothing', '', 'to'],
    ['no JSON', '{', 'JSON'],
    ['no payee', { ...ten, to: undefined }, 'to'],
    ['an amount of nothing', { ...ten, amount: '0' }, 'amount'],
    ['an amount that is a number', { ...ten, amount: 10 }, 'amount'],
    ['no currency', { ...ten, currency: 'ABC' }, 'currency'],
    ['decimals that the currency lacks', { ...ten, currency: 'JPY', amount: '1.5' }, 'decimals'],
    ['a conduct that is none', { ...ten, payeeDoes: 'dance' }, 'payeeDoes'],
    ['a member that is unknown', { ...ten, colour: 'red' }, 'colour'],
  ])('with %s is refused in words', async (_what, body, word) => {
    const { status, json } = await pay(body)
    expect(status).toBe(400)
    expect((json as { error: string }).error).toContain(word)
    expect(seen).toEqual([])
  })
})

test('each FSP says that it is there, and what it does not have', async () => {
  const health = await fetch(`${sandbox.bluewallet.url}/health`)
  expect([health.status, await health.json()]).toEqual([200, { status: 'OK', fsp: 'bluewallet' }])
  const unknown = await fetch(`${sandbox.bluewallet.url}/nothing`)
  expect(unknown.status).toBe(404)
})

test('a callback that cannot be believed is refused', async () => {
  const url = `${sandbox.greenbank.url}/callbacks/transfers/e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61`
  const answer = await fetch(url, { method: 'PUT', body: '{"transferState":"COMMITTED"}' })
  expect(answer.status).toBe(400)
  expect(answer.headers.get('content-type')).toContain('vnd.interoperability.transfers')
})

test('the process ends when its parent lets go of it', async () => {
  const main = new URL('../dist/main.js', import.meta.url).pathname
  const child = spawn(process.execPath, [main], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      SANDBOX_GREENBANK_PORT: '0',
      SANDBOX_BLUEWALLET_PORT: '0',
      SANDBOX_EXIT_WITH_PARENT: 'on',
    },
  })
  const ended = once(child, 'exit')
  await once(child.stderr, 'data')
  child.stdin.end()
  expect(await ended).toEqual([0, null])
})
