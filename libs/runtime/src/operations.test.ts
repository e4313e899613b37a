import type { DeadLetter, EventBus } from '@causeway/bus'
import { createHttpClient, type HttpServer } from '@causeway/http'
import { openHealth, type HealthChecks, openLog, openMetrics } from '@causeway/process'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Counter } from 'prom-client'
import { serveOperations } from './operations.ts'

const stored: readonly DeadLetter[] = ['2', '1'].map((id) => ({
  id,
  group: 'transfers',
  topic: 'fspiop-api.transfers',
  key: 'k',
  type: 'TransferPrepareRequested',
  reason: 'no such member',
  time: '2026-01-01T00:00:00.000Z',
}))

/** A bus with two dead letters and no messages. */
const bus: EventBus = {
  announce: () => undefined,
  publish: () => Promise.resolve(),
  subscribe: () => Promise.reject(new Error('no subscriptions here')),
  subscribeBroadcast: () => Promise.reject(new Error('no broadcasts here')),
  deadLetters: (limit) =>
    limit === 13
      ? Promise.reject(new Error('no database'))
      : Promise.resolve(stored.slice(0, limit)),
  replay: (group, id) =>
    Promise.resolve(stored.some((each) => each.group === group && each.id === id)),
  discard: (group, id) => {
    if (group === 'quoting') return Promise.resolve('ELSEWHERE')
    const isThere = stored.some((each) => each.group === group && each.id === id)
    return Promise.resolve(isThere ? 'DISCARDED' : 'UNKNOWN')
  },
}

const client = createHttpClient({ connections_per_origin_max: 1, timeout_ms: 2_000 })
const metrics = openMetrics({ ofProcess: true })
let health: HealthChecks
let server: HttpServer

beforeEach(async () => {
  health = openHealth()
  const log = openLog({ name: 'test', level: 'silent' })
  server = await serveOperations({ host: '127.0.0.1', port: 0, health, metrics, bus, log })
})

afterEach(() => server.stop())

async function ask(method: string, path: string, body?: string) {
  const url = `${server.url}${path}`
  const content = body === undefined ? {} : { body: Buffer.from(body) }
  const answer = await client.request({ method, url, headers: {}, ...content })
  const type = String(answer.headers['content-type'])
  const text = answer.body.toString()
  const json = type === 'application/json' ? (JSON.parse(text) as unknown) : undefined
  return { status: answer.status, type, text, json }
}

describe('Health:', () => {
  test('Health is 200 while every check succeeds, and otherwise 503 with the failed checks', async () => {
    expect(await ask('GET', '/health/live')).toMatchObject({ status: 200, json: { ok: true } })
    health.live('bus', () => 'no progress for 60 s')
    health.ready('postgresql', () => Promise.reject(new Error('refused')))
    expect(await ask('GET', '/health/live')).toMatchObject({
      status: 503,
      json: { ok: false, checks: [{ name: 'bus', ok: false, detail: 'no progress for 60 s' }] },
    })
    expect(await ask('GET', '/health/ready')).toMatchObject({
      status: 503,
      json: { checks: [{ name: 'postgresql', ok: false, detail: 'refused' }] },
    })
  })
})

test('Metrics of the process and of its services are in the Prometheus format', async () => {
  new Counter({ name: 'transfers_seen', help: 'x', registers: [metrics] }).inc(3)
  const { status, type, text } = await ask('GET', '/metrics')
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(text).toMatch(/^transfers_seen 3$/m)
  expect(text).toMatch(/^process_cpu_user_seconds_total /m)
})

describe('Dead letters:', () => {
  test('Dead letters are listed, newest first, up to the requested number', async () => {
    expect(await ask('GET', '/dead-letters')).toMatchObject({
      status: 200,
      json: { deadLetters: stored },
    })
    const { json } = await ask('GET', '/dead-letters?limit=1')
    expect(json).toEqual({ deadLetters: [stored[0]] })
    for (const limit of ['0', '1001', 'x'])
      expect((await ask('GET', `/dead-letters?limit=${limit}`)).status).toBe(400)
  })

  test('A dead letter is delivered to its group again on request', async () => {
    const replay = (body: string) => ask('POST', '/dead-letters/replay', body)
    expect(await replay('{"group":"transfers","id":"1"}')).toMatchObject({
      status: 200,
      json: { replayed: { group: 'transfers', id: '1' } },
    })
    expect((await replay('{"group":"quoting","id":"1"}')).status).toBe(404)
    for (const wrong of ['', '{', '{"group":"transfers"}', '{"group":"transfers","id":1}'])
      expect((await replay(wrong)).status).toBe(400)
    expect((await replay(JSON.stringify({ group: 'x'.repeat(500_000), id: '1' }))).status).toBe(400)
  })

  test('A dead letter is discarded on request; unknown ones and those of another process are reported as such', async () => {
    const discard = (body: unknown) => ask('POST', '/dead-letters/discard', JSON.stringify(body))
    expect(await discard({ group: 'transfers', id: '1' })).toMatchObject({
      status: 200,
      json: { discarded: { group: 'transfers', id: '1' } },
    })
    expect((await discard({ group: 'transfers', id: '7' })).status).toBe(404)
    expect((await discard({ group: 'quoting', id: '1' })).status).toBe(409)
    expect((await discard({ group: 'transfers' })).status).toBe(400)
  })

  test('If dead letters cannot be read, the response is 500 with the reason', async () => {
    expect(await ask('GET', '/dead-letters?limit=13')).toMatchObject({
      status: 500,
      json: { error: 'no database' },
    })
  })
})

test('Any other path is not found', async () => {
  expect(await ask('GET', '/')).toMatchObject({ status: 404, json: { error: 'there is no GET /' } })
  expect((await ask('POST', '/health/live')).status).toBe(404)
})
