import { settlementReportsService } from '@causeway/protos'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { notAsked } from '../testing/auth.ts'
import { openWorld, send, type EdgeWorld } from '../testing/world.ts'

const row = {
  transferId: 'b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b',
  kind: 'TRANSFER' as const,
  state: 'COMMITTED' as const,
  payerFsp: 'greenbank',
  payeeFsp: 'bluewallet',
  amount: '10.5',
  currency: 'USD',
  windowId: 3,
  settlementModelId: 1,
  payerAccountId: 11,
  payeeAccountId: 12,
  completedTimestamp: '2026-01-01T00:00:00.000Z',
  finalisedAt: '2026-01-01T00:00:00.100Z',
  originUnavailable: false,
}
/** A PISP initiated it. */
const begun = {
  ...row,
  transferId: 'f0a1c5f8-0f3e-4b2c-8d7a-5b9e6f1c2d3e',
  transactionRequestId: '5e0f8a5c-2f5d-4f38-8b8e-6a3a4f1b9d20',
  pispFsp: 'lemonpay',
}

let world: EdgeWorld
const asked: object[] = []
/** auth-service is unavailable. */
const unreported = { ...row, originUnavailable: true }

/** The test server for settlements has one row, or two on a later day, and an empty second page. */
beforeAll(async () => {
  world = await openWorld()
  world.parts.grpc.serve(settlementReportsService, {
    ...notAsked(settlementReportsService),
    ListReconciliation(query) {
      asked.push(query)
      if (query.day === 'never') {
        const refusal = { reason: 'INVALID' as const, detail: 'no such day' }
        return Promise.resolve({ refusal, rows: null, result: 'refusal' as const })
      }
      const isFirst = query.cursor === undefined
      const shown = { '2026-01-02': [row, begun], '2026-01-03': [unreported] }[query.day ?? ''] ?? [
        row,
      ]
      return Promise.resolve({
        rows: { rows: isFirst ? shown : [], cursor: isFirst ? 'next' : undefined },
        refusal: null,
        result: 'rows' as const,
      })
    },
  })
})

afterAll(() => world.stop())

function get(query: string, fsp = 'greenbank') {
  const headers = { 'fspiop-source': fsp }
  return send(world.edge.url, { method: 'GET', path: `/reconciliation${query}`, headers })
}

test('An FSP reads its own transfers, a page at a time', async () => {
  const first = await get('?settlementWindowId=3&limit=1')
  expect(first.status).toBe(200)
  expect(JSON.parse(first.text)).toEqual({
    participant: 'greenbank',
    transfers: [
      {
        transferId: row.transferId,
        kind: 'TRANSFER',
        state: 'COMMITTED',
        payerFsp: 'greenbank',
        payeeFsp: 'bluewallet',
        amount: { amount: '10.5', currency: 'USD' },
        settlementWindowId: 3,
        completedTimestamp: row.completedTimestamp,
        finalisedAt: row.finalisedAt,
      },
    ],
    cursor: 'next',
  })
  const second = await get('?settlementWindowId=3&limit=1&cursor=next')
  expect(JSON.parse(second.text)).toMatchObject({ transfers: [], cursor: null })
  expect(asked.at(-1)).toMatchObject({
    participant: 'greenbank',
    windowId: 3,
    cursor: 'next',
    limit: 1,
  })
})

test('A row is marked while the origin of its transfer cannot be read', async () => {
  const { text } = await get('?day=2026-01-03')
  expect(JSON.parse(text)).toMatchObject({
    transfers: [{ transferId: row.transferId, originUnavailable: true }],
  })
})

test('A transfer after a transaction request has its id, and its PISP for the payer FSP only', async () => {
  const namesOf = async (fsp: string) => {
    const { transfers } = JSON.parse((await get('?day=2026-01-02', fsp)).text) as {
      readonly transfers: readonly Readonly<Record<string, unknown>>[]
    }
    return transfers.map(({ transactionRequestId, pispFsp }) => [transactionRequestId, pispFsp])
  }
  const { transactionRequestId } = begun
  expect(await namesOf('greenbank')).toEqual([
    [undefined, undefined],
    [transactionRequestId, 'lemonpay'],
  ])
  expect(await namesOf('bluewallet')).toEqual([
    [undefined, undefined],
    [transactionRequestId, undefined],
  ])
})

test('An inactive FSP reads its transfers too', async () => {
  expect((await get('?day=2026-01-01', 'sleeper')).status).toBe(200)
})

test.each([
  ['without window and day', '', '3100'],
  ['of an invalid window', '?settlementWindowId=x', '3100'],
  ['of two days', '?day=2026-01-01&day=2026-01-02', '3100'],
  ['with a limit above the maximum', '?day=2026-01-01&limit=1001', '3100'],
  ['of a day that settlements refuses', '?day=never', '3100'],
])('A query %s is refused', async (_what, query, code) => {
  const { status, error } = await get(query)
  expect([status, error?.errorCode]).toEqual([400, code])
})

test('A closed FSP reads nothing', async () => {
  expect((await get('?day=2026-01-01', 'leaver')).status).toBe(403)
})

test('A client that is not a participant reads nothing', async () => {
  const { status, error } = await get('?day=2026-01-01', 'nobody')
  expect([status, error?.errorCode]).toEqual([400, '3200'])
})
