import { createHttpClient, type HttpServer } from '@causeway/http'
import { openHealth, type HealthChecks, openLog, openMetrics } from '@causeway/process'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Counter, Gauge } from 'prom-client'
import { serveOperations } from './operations.ts'

const client = createHttpClient({ connections_per_origin_max: 1, timeout_ms: 2_000 })
const metrics = openMetrics({ ofProcess: true })
let health: HealthChecks
let server: HttpServer

beforeEach(async () => {
  health = openHealth()
  const log = openLog({ name: 'test', level: 'silent' })
  server = await serveOperations({ host: '127.0.0.1', port: 0, health, metrics, log })
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

test('Nothing of the content of events is shown: dead letters are for the operator port', async () => {
  expect((await ask('GET', '/dead-letters')).status).toBe(404)
  for (const decision of ['replay', 'discard']) {
    const body = '{"group":"transfers","id":"1"}'
    expect((await ask('POST', `/dead-letters/${decision}`, body)).status).toBe(404)
  }
})

test('If metrics cannot be gathered, the response is 500 with the reason', async () => {
  const collect = () => Promise.reject(new Error('no database'))
  new Gauge({ name: 'broken', help: 'x', registers: [metrics], collect })
  const answer = await ask('GET', '/metrics')
  metrics.removeSingleMetric('broken')
  expect(answer).toMatchObject({ status: 500, json: { error: 'no database' } })
})

test('Any other path is not found', async () => {
  expect(await ask('GET', '/')).toMatchObject({ status: 404, json: { error: 'there is no GET /' } })
  expect((await ask('POST', '/health/live')).status).toBe(404)
})
