import { dayReportsService, type DayReportSummary } from '@causeway/protos'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { notAsked } from '../testing/auth.ts'
import { openWorld, send, type EdgeWorld } from '../testing/world.ts'

const summary: DayReportSummary = {
  participant: 'greenbank',
  day: '2026-11-25',
  version: 2,
  madeAt: '2026-11-26T00:01:00.000Z',
  sha256: 'ab12',
  currencies: [
    {
      currency: 'USD',
      sentCount: '3',
      sentValue: '10.5',
      receivedCount: '1',
      receivedValue: '2',
      failuresCount: '0',
    },
  ],
}

let world: EdgeWorld
const asked: object[] = []

/** The test server for settlements has the report of one day. */
beforeAll(async () => {
  world = await openWorld()
  world.parts.grpc.serve(dayReportsService, {
    ...notAsked(dayReportsService),
    ListDayReports(query) {
      asked.push(query)
      return Promise.resolve({ reports: [summary] })
    },
    GetDayReport(query) {
      asked.push(query)
      if (query.day !== summary.day) {
        const refusal = { reason: 'REPORT_UNKNOWN' as const, detail: 'no such day' }
        return Promise.resolve({ refusal, file: null, result: 'refusal' as const })
      }
      const mediaType = query.format === 'HTML' ? 'text/html' : 'application/json'
      const content = Buffer.from(query.format === 'HTML' ? '<!doctype html>' : '{"day":1}')
      const file = { fileName: 'report', mediaType, content, summary }
      return Promise.resolve({ refusal: null, file, result: 'file' as const })
    },
  })
})

afterAll(() => world.stop())

function get(path: string, fsp = 'greenbank') {
  return send(world.edge.url, { method: 'GET', path, headers: { 'fspiop-source': fsp } })
}

test('An FSP lists the reports of its own days', async () => {
  const { status, text } = await get('/reports?from=2026-11-01&limit=5')
  expect(status).toBe(200)
  expect(JSON.parse(text)).toEqual({
    participant: 'greenbank',
    reports: [
      {
        day: '2026-11-25',
        version: 2,
        madeAt: summary.madeAt,
        sha256: 'ab12',
        currencies: [
          {
            currency: 'USD',
            sent: { count: 3, value: '10.5' },
            received: { count: 1, value: '2' },
            failures: 0,
          },
        ],
      },
    ],
  })
  expect(asked).toContainEqual(
    expect.objectContaining({
      participant: 'greenbank',
      fromDay: '2026-11-01',
      limit: 5,
    }),
  )
})

test('An FSP reads its own report, whatever participant its query names', async () => {
  const { status, text } = await get('/reports/2026-11-25?participant=bluewallet&version=1')
  expect([status, text]).toEqual([200, '{"day":1}'])
  expect(asked).toContainEqual(
    expect.objectContaining({
      participant: 'greenbank',
      day: '2026-11-25',
      version: 1,
      format: 'JSON',
    }),
  )
})

test('The page of a report may run no script and load nothing', async () => {
  const { headers, text } = await get('/reports/2026-11-25?format=html')
  expect(text).toBe('<!doctype html>')
  expect(headers['content-type']).toContain('text/html')
  expect(headers['content-security-policy']).toContain("default-src 'none'")
})

test('An inactive FSP reads its reports too, a closed one and a stranger do not', async () => {
  expect((await get('/reports/2026-11-25', 'sleeper')).status).toBe(200)
  expect((await get('/reports/2026-11-25', 'leaver')).status).toBe(403)
  expect((await get('/reports', 'nobody')).status).toBe(400)
})

test.each([
  ['of a day without a report', '/reports/2026-11-24', 404, '3200'],
  ['with a version that is no number', '/reports/2026-11-25?version=x', 400, '3100'],
  ['with two formats', '/reports/2026-11-25?format=csv&format=json', 400, '3100'],
  ['of a list that begins at no day', '/reports?from=monday', 400, '3100'],
  ['of a list above the maximum', '/reports?limit=401', 400, '3100'],
])('A query %s is refused', async (_what, path, expected, code) => {
  const { status, error } = await get(path)
  expect([status, error?.errorCode]).toEqual([expected, code])
})
