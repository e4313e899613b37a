/**
 * The end of quotes without answer, of undeliverable requests, and of quotes that another process
 * has ended.
 */
import { randomUUID } from 'node:crypto'
import { statement } from '@causeway/postgres'
import { describe, expect, test } from '@jest/globals'
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
import { answersIn } from '../testing/world.ts'
import { cachePending } from './pending.ts'
import { openQuoteTables } from './store.ts'
import { useFlows } from '../testing/flows.ts'

const flows = useFlows()
const { asked, answered, stateOf } = flows

describe('a quote without answer', () => {
  test('A quote expires at its expiration, without a callback until it is queried', async () => {
    const id = await asked()
    flows.world.after(59_999)
    expect(await flows.world.sweep()).toEqual([])
    expect(await stateOf(id)).toBe('PENDING')
    flows.world.after(1)
    expect(await flows.world.sweep()).toEqual([])
    expect(await stateOf(id)).toBe('EXPIRED')
    expect(answersIn(await flows.world.handle(requestEvent(id)))).toEqual([
      'QuoteQueryResponse PAYER 3302',
    ])
    expect(answersIn(await flows.world.handle(queryEvent(id, payee)))).toEqual([
      'QuoteQueryResponse PAYEE 3302',
    ])
    const inTime = { ...responseEvent(id), time: started }
    expect(answersIn(await flows.world.handle(inTime))).toEqual(['QuoteQueryResponse PAYEE 3302'])
  })

  test('A quote does not expire while messages that arrived in time are unprocessed', async () => {
    const id = await asked()
    flows.world.after(70_000)
    flows.world.heldBackAt('2026-01-15T12:00:59.999Z')
    await flows.world.sweep()
    expect(await stateOf(id)).toBe('PENDING')
    flows.world.heldBackAt(undefined)
    await flows.world.sweep()
    expect(await stateOf(id)).toBe('EXPIRED')
  })

  test('A quote without expiration expires eventually', async () => {
    const id = randomUUID()
    await flows.world.handle(withoutExpiration(requestEvent(id)))
    flows.world.after(599_999)
    await flows.world.sweep()
    expect(await stateOf(id)).toBe('PENDING')
    flows.world.after(1)
    await flows.world.sweep()
    expect(await stateOf(id)).toBe('EXPIRED')
  })

  test('An expiration beyond the calendar is accepted', async () => {
    const id = await asked({ expiration: '9999-12-31T23:59:59.999-14:00' })
    expect(await stateOf(id)).toBe('PENDING')
  })
})

describe('an undeliverable request', () => {
  test('An undeliverable request ends its quote, and the payer FSP gets an error', async () => {
    const id = await asked()
    expect(answersIn(await flows.world.handle(unreachedReport(id)))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 1001',
    ])
    expect(await flows.world.quote(id)).toMatchObject({ state: 'REJECTED', reason: 'UNDELIVERED' })
    expect(answersIn(await flows.world.handle(responseEvent(id)))).toEqual([
      'QuoteQueryResponse PAYEE 3100',
    ])
    expect(answersIn(await flows.world.handle(requestEvent(id)))).toEqual([
      'QuoteQueryResponse PAYER 1001',
    ])
    expect(await flows.world.handle(unreachedReport(id))).toEqual([])
  })

  test('A quote that expired before its request was undeliverable stays expired, and the payer FSP gets an error', async () => {
    const id = await asked()
    flows.world.after(60_000)
    await flows.world.sweep()
    const report = unreachedReport(id, '2026-01-15T12:01:00.000Z')
    expect(answersIn(await flows.world.handle(report))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 3302',
    ])
    expect(await stateOf(id)).toBe('EXPIRED')
  })

  test('A repeated report of an undeliverable request yields the same event', async () => {
    const id = await asked()
    flows.world.after(60_000)
    await flows.world.sweep()
    const [first] = await flows.world.handle(unreachedReport(id))
    const [second] = await flows.world.handle(unreachedReport(id))
    expect(first?.id).toBe(second?.id)
  })

  test('A request that the payee FSP refused ends with the error of the payee FSP', async () => {
    const id = await asked()
    const errorInformation = { errorCode: '5107', errorDescription: 'no longer valid' }
    const failed = { status: 'FAILED', httpStatus: 400, errorInformation } as const
    expect(answersIn(await flows.world.handle(reportEvent(id, failed)))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 5107',
    ])
  })

  test('A report of an undeliverable request does not end an answered quote', async () => {
    const id = await answered()
    expect(await flows.world.handle(unreachedReport(id), unreachedReport(randomUUID()))).toEqual([])
    expect(await stateOf(id)).toBe('ACCEPTED')
  })
})

describe('a quote that another process has ended', () => {
  test('A quote that another process has ended is unchanged, and the later answer is refused', async () => {
    const [twice, same] = [await asked(), await asked()]
    const elsewhere = {
      ...flows.world.work,
      store: cachePending(openQuoteTables(flows.world.db, flows.parts.bus)),
    }
    const answers = [responseEvent(twice), responseEvent(same)]
    await handleBatch(elsewhere, answers)
    const other = responseEvent(twice, { transferAmount: { currency: 'USD', amount: '98' } })
    expect(answersIn(await flows.world.handle(other, ...answers.slice(1)))).toEqual([
      'QuoteQueryResponse PAYEE 3106',
    ])
    expect(await flows.world.quote(twice)).toMatchObject({ transfer_amount: '990000' })
  })

  test('An answer to a quote that another process has expired is too late', async () => {
    const id = await asked()
    flows.world.after(60_000)
    await flows.world.sweep()
    const inTime = { ...responseEvent(id), time: started }
    expect(answersIn(await flows.world.handle(inTime))).toEqual(['QuoteQueryResponse PAYEE 3302'])
  })
})

test('A report with a wrong time is stored and takes effect', async () => {
  for (const reportedAt of ['2025-03-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z']) {
    const id = await asked()
    const failed = { status: 'FAILED', attempts: 3, httpStatus: 503, reportedAt } as const
    expect(answersIn(await flows.world.handle(reportEvent(id, failed)))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 1001',
    ])
    const rows = await flows.world.db.query<{ reported_at: Date }>(
      statement(`select reported_at from deliveries where quote_id = $1`),
      [id],
    )
    expect(rows.map(({ reported_at }) => reported_at.toISOString())).toEqual([reportedAt])
  }
})

test('Repeated reports are stored once', async () => {
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
