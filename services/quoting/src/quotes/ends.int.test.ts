/** How quotes end that nobody answers, that reached nobody, or that another process has ended. */
import { statement } from '@causeway/runtime'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { handleBatch } from '../handle.ts'
import {
  payee,
  queryEvent,
  reportEvent,
  requestEvent,
  responseEvent,
  started,
  unreachedReport,
  withoutExpiration,
} from '../testing/messages.ts'
import { toldBy } from '../testing/world.ts'
import { rememberPending } from './pending.ts'
import { openQuoteTables } from './store.ts'
import { useFlows } from '../testing/flows.ts'

const flows = useFlows()
const { asked, answered, stateOf } = flows

describe('a quote that nobody answers', () => {
  test('expires at its expiration, and nobody is told until somebody asks', async () => {
    const id = await asked()
    flows.world.after(59_999)
    expect(await flows.world.sweep()).toEqual([])
    expect(await stateOf(id)).toBe('PENDING')
    flows.world.after(1)
    expect(await flows.world.sweep()).toEqual([])
    expect(await stateOf(id)).toBe('EXPIRED')
    expect(toldBy(await flows.world.handle(requestEvent(id)))).toEqual([
      'QuoteQueryResponse PAYER 3302',
    ])
    expect(toldBy(await flows.world.handle(queryEvent(id, payee)))).toEqual([
      'QuoteQueryResponse PAYEE 3302',
    ])
    const inTime = { ...responseEvent(id), time: started }
    expect(toldBy(await flows.world.handle(inTime))).toEqual(['QuoteQueryResponse PAYEE 3302'])
  })

  test('does not expire over messages that came in time and are not worked off', async () => {
    const id = await asked()
    flows.world.after(70_000)
    flows.world.heldBackAt('2026-01-15T12:00:59.999Z')
    await flows.world.sweep()
    expect(await stateOf(id)).toBe('PENDING')
    flows.world.heldBackAt(undefined)
    await flows.world.sweep()
    expect(await stateOf(id)).toBe('EXPIRED')
  })

  test('expires in the end also when it named no expiration', async () => {
    const id = randomUUID()
    await flows.world.handle(withoutExpiration(requestEvent(id)))
    flows.world.after(599_999)
    await flows.world.sweep()
    expect(await stateOf(id)).toBe('PENDING')
    flows.world.after(1)
    await flows.world.sweep()
    expect(await stateOf(id)).toBe('EXPIRED')
  })

  test('may name an expiration that no calendar holds', async () => {
    const id = await asked({ expiration: '9999-12-31T23:59:59.999-14:00' })
    expect(await stateOf(id)).toBe('PENDING')
  })
})

describe('a request that reached nobody', () => {
  test('ends, and the payer FSP is told', async () => {
    const id = await asked()
    expect(toldBy(await flows.world.handle(unreachedReport(id)))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 1001',
    ])
    expect(await flows.world.quote(id)).toMatchObject({ state: 'REJECTED', reason: 'UNDELIVERED' })
    expect(toldBy(await flows.world.handle(responseEvent(id)))).toEqual([
      'QuoteQueryResponse PAYEE 3100',
    ])
    expect(toldBy(await flows.world.handle(requestEvent(id)))).toEqual([
      'QuoteQueryResponse PAYER 1001',
    ])
    expect(await flows.world.handle(unreachedReport(id))).toEqual([])
  })

  test('until it expired stays expired, and the payer FSP is told all the same', async () => {
    const id = await asked()
    flows.world.after(60_000)
    await flows.world.sweep()
    expect(toldBy(await flows.world.handle(unreachedReport(id)))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 1001',
    ])
    expect(await stateOf(id)).toBe('EXPIRED')
  })

  test('of which that is reported twice is told under the same id', async () => {
    const id = await asked()
    flows.world.after(60_000)
    await flows.world.sweep()
    const [first] = await flows.world.handle(unreachedReport(id))
    const [second] = await flows.world.handle(unreachedReport(id))
    expect(first?.id).toBe(second?.id)
  })

  test('because the payee FSP refused it ends with the error that this gave', async () => {
    const id = await asked()
    const errorInformation = { errorCode: '5107', errorDescription: 'no longer valid' }
    const failed = { status: 'FAILED', httpStatus: 400, errorInformation } as const
    expect(toldBy(await flows.world.handle(reportEvent(id, failed)))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 5107',
    ])
  })

  test('does not end what was answered all the same', async () => {
    const id = await answered()
    expect(await flows.world.handle(unreachedReport(id), unreachedReport(randomUUID()))).toEqual([])
    expect(await stateOf(id)).toBe('ACCEPTED')
  })
})

describe('what another process has ended meanwhile', () => {
  test('stays as it ended: the answer that came too late to be the first is told so', async () => {
    const [twice, same] = [await asked(), await asked()]
    const elsewhere = {
      ...flows.world.work,
      store: rememberPending(openQuoteTables(flows.world.db, flows.parts.bus)),
    }
    const answers = [responseEvent(twice), responseEvent(same)]
    await handleBatch(elsewhere, answers)
    const other = responseEvent(twice, { transferAmount: { currency: 'USD', amount: '98' } })
    expect(toldBy(await flows.world.handle(other, ...answers.slice(1)))).toEqual([
      'QuoteQueryResponse PAYEE 3106',
    ])
    expect(await flows.world.quote(twice)).toMatchObject({ transfer_amount: '990000' })
  })

  test('by the clock is too late for the payee FSP', async () => {
    const id = await asked()
    flows.world.after(60_000)
    await flows.world.sweep()
    const inTime = { ...responseEvent(id), time: started }
    expect(toldBy(await flows.world.handle(inTime))).toEqual(['QuoteQueryResponse PAYEE 3302'])
  })
})

test('a report of a clock that is wrong is kept all the same, and does what it says', async () => {
  for (const reportedAt of ['2025-03-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z']) {
    const id = await asked()
    const failed = { status: 'FAILED', attempts: 3, httpStatus: 503, reportedAt } as const
    expect(toldBy(await flows.world.handle(reportEvent(id, failed)))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 1001',
    ])
    const rows = await flows.world.db.query<{ reported_at: Date }>(
      statement(`select reported_at from deliveries where quote_id = $1`),
      [id],
    )
    expect(rows.map(({ reported_at }) => reported_at.toISOString())).toEqual([reportedAt])
  }
})

test('reports are kept once, however often they come', async () => {
  const id = await asked()
  const report = reportEvent(id)
  await flows.world.handle(report, report, reportEvent(id))
  await flows.world.handle(report)
  const rows = await flows.world.db.query<{ report: string; status: string }>(
    statement(`select report, status from deliveries where quote_id = $1`),
    [id],
  )
  const line = { report: 'QuoteReceivedCallbackReport', status: 'SUCCESS' }
  expect(rows).toEqual([line, line])
})
