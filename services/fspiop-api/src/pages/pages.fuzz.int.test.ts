/**
 * Queries and forms of the pages beside the API, almost valid: each is answered with what the page is for
 * or an error in its shape, and the services behind it are asked within the documented bounds alone.
 */
import { dayReportsService, settlementReportsService } from '@causeway/protos'
import { changedText } from '@causeway/fuzzing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { notAsked } from '../testing/auth.ts'
import { openWorld, send, type Answered, type EdgeWorld } from '../testing/world.ts'

const numRuns = 300
let world: EdgeWorld
let asked: object[] = []

interface Asked {
  readonly participant?: string
  readonly limit?: number
  readonly version?: number
  readonly windowId?: number
}

beforeAll(async () => {
  world = await openWorld()
  world.auth.secrets.set('greenbank', 'secret')
  world.parts.grpc.serve(dayReportsService, {
    ...notAsked(dayReportsService),
    ListDayReports(query) {
      asked.push(query)
      return Promise.resolve({ reports: [] })
    },
    GetDayReport(query) {
      asked.push(query)
      const refusal = { reason: 'REPORT_UNKNOWN' as const, detail: 'no such day' }
      return Promise.resolve({ refusal, file: null, result: 'refusal' as const })
    },
  })
  world.parts.grpc.serve(settlementReportsService, {
    ...notAsked(settlementReportsService),
    ListReconciliation(query) {
      asked.push(query)
      const rows = { rows: [] }
      return Promise.resolve({ rows, refusal: null, result: 'rows' as const })
    },
  })
})

afterAll(() => world.stop())

/** What a client can write into a request line. */
const written = (text: string) =>
  text.replaceAll(/\p{Surrogate}/gu, '').replaceAll(/[^!"$-~]/gu, (one) => encodeURIComponent(one))

function expectError({ error, headers }: Answered): void {
  expect(headers['content-type']).toMatch(/^application\//)
  expect(error?.errorCode).toMatch(/^3\d{3}$/)
}

test('A page of reports is read or refused with an error, and asks for one FSP within its bounds', async () => {
  const paths = [
    '/reports?from=2026-11-01&to=2026-11-30&limit=5',
    '/reports/2026-11-25?version=1&scope=USD&format=html',
    '/reconciliation?settlementWindowId=3&day=2026-11-25&limit=100&cursor=WzFd',
  ]
  const path = changedText(paths).map((text) => `/${written(text).replace(/^\/+/, '')}`)
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constantFrom(...paths), path), async (target) => {
      asked = []
      const headers = { 'fspiop-source': 'greenbank' }
      const answered = await send(world.edge.url, { method: 'GET', path: target, headers })
      expect([200, 400, 404, 405]).toContain(answered.status)
      if (answered.status !== 200) expectError(answered)
      for (const query of asked) {
        const { participant, limit = 1, version = 1, windowId = 1 } = query as Asked
        expect(participant).toBe('greenbank')
        for (const number of [limit, version, windowId].map(Number)) {
          expect(Number.isInteger(number) && number >= 0 && number < 2 ** 31).toBe(true)
        }
      }
    }),
    { numRuns, examples: [['/reports/%zz'], ['/reports/%00'], ['/reports?from=%zz']] },
  )
})

test('A request for a token is answered with the token of its client, or an error of OAuth', async () => {
  const form = 'grant_type=client_credentials&client_id=greenbank&client_secret=secret'
  const basic = `Basic ${Buffer.from('greenbank:secret').toString('base64')}`
  const request = fc.record({
    body: fc.oneof(fc.constant('grant_type=client_credentials'), changedText([form])),
    authorization: fc.option(
      fc.oneof(
        fc.constant(basic),
        changedText([basic]).map((text) => text.replaceAll(/[^ -~]/g, '').slice(0, 8_000)),
      ),
      { nil: undefined },
    ),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ body, authorization }) => {
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization === undefined ? {} : { authorization }),
      }
      const { status, text } = await send(world.edge.url, {
        method: 'POST',
        path: '/token',
        headers,
        body,
      })
      const answer = JSON.parse(text) as { readonly error?: string; readonly access_token?: string }
      if (status === 200) {
        expect(answer.access_token).toBe('token-of-greenbank')
        return
      }
      expect([400, 401]).toContain(status)
      expect(['invalid_request', 'invalid_client', 'unsupported_grant_type']).toContain(
        answer.error,
      )
    }),
    { numRuns },
  )
})
