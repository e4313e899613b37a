/** Whatever happens in which order, the reports of all days together are what the ledger has moved. */
import { randomUUID } from 'node:crypto'
import type { OutgoingMessage } from '@causeway/bus'
import { newEvent } from '@causeway/events'
import { formatAmount, parseDecimal } from '@causeway/money'
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import { statement } from '@causeway/postgres'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { dayReportsService, type LedgerAnswer } from '@causeway/protos'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  addFsp,
  addModel,
  announce,
  commit,
  committed,
  differencesIn,
  openHub,
  openTestScheme,
  valueOf,
  type SchemePayment,
  type TestScheme,
} from '../testing/scheme.ts'
import { readDocument, type Document } from './document.ts'
import type { Section, Total } from './domain/report.ts'
import { daysWithLateLines, requestReports } from './request-store.ts'
import { latestReports } from './report-store.ts'

const names = ['bluewallet', 'greenbank', 'redpay'] as const
const currencies = ['USD', 'EUR'] as const
const day_ms = 86_400_000
const days_max = 4

const parties = fc
  .tuple(fc.nat(2), fc.integer({ min: 1, max: 2 }))
  .map(([payer, by]) => [payer, (payer + by) % 3] as const)

const transfer = fc.record({
  parties,
  currency: fc.constantFrom(...currencies),
  units: fc.bigInt({ min: 1n, max: 9_999_999n }),
  /** The day in which it ended; 0: today. */
  daysAgo: fc.integer({ min: 0, max: days_max }),
  kind: fc.constantFrom('SINGLE', 'BULK_ITEM', 'ABORTED'),
  /** How often its event is delivered. */
  times: fc.integer({ min: 1, max: 2 }),
  /** Its event comes after all the others. */
  isLast: fc.boolean(),
})

type Transfer = typeof transfer extends fc.Arbitrary<infer Value> ? Value : never

const step = fc.oneof(
  { weight: 5, arbitrary: fc.array(transfer, { minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: days_max }) },
)

/** Transfers, or how many days ago the day was whose report is ordered. */
const histories = fc.array(step, { minLength: 4, maxLength: 12 })

/** The settlement models of transfers. */
const models = new Map<string, number>()

async function openHistory(): Promise<TestScheme> {
  const scheme = await openTestScheme({
    startLedger: (parts) => startLedger(defaultsOf(ledgerSettings), parts),
    changes: { SETTLEMENTS_REPORTS_DELAY_MS: 0 },
  })
  for (const currency of currencies) await openHub(scheme, currency)
  models.set('USD', await addModel(scheme))
  models.set('EUR', await addModel(scheme, { name: 'EURNET', currency: 'EUR' }))
  await addModel(scheme, {
    name: 'FEES',
    ledgerAccountType: 'INTERCHANGE_FEE',
    settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
    interchangeFeePercentage: '0.35',
  })
  for (const name of names) {
    for (const currency of currencies) await addFsp(scheme, name, currency)
  }
  return scheme
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * day_ms).toISOString().slice(0, 10)
}

/** The event of a transfer that the ledger has posted, or that was aborted, as of its day. */
function eventOf(wanted: Transfer, answer: LedgerAnswer | undefined): OutgoingMessage {
  const payment = paymentOf(wanted)
  const { payer: payerFsp, payee: payeeFsp, currency = 'USD' } = payment
  const amount = { amount: payment.amount, currency }
  const endedAt =
    wanted.daysAgo === 0 ? new Date().toISOString() : `${dayBefore(wanted.daysAgo)}T12:00:00.000Z`
  const times = { receivedAt: endedAt, completedTimestamp: endedAt }
  if (answer === undefined) {
    return newEvent('transfers', 'TransferFulfilComitRequestTimedout', {
      transferId: randomUUID(),
      payerFsp,
      payeeFsp,
      payerVersion: '1.1',
      errorInformation: { errorCode: '3303', errorDescription: 'Transfer expired' },
      ending: { payerFsp, payeeFsp, amount, endedAt, ...times },
    })
  }
  if (wanted.kind === 'SINGLE') {
    const event = committed(answer, payment)
    return { ...event, payload: { ...(event.payload as object), fulfiledAt: endedAt } }
  }
  const item = {
    transferId: answer.transferId,
    amount,
    completedTimestamp: endedAt,
    committed: {
      settlementWindowId: answer.windowId,
      settlementModelId: payment.modelId,
      settles: 'NET' as const,
      payerAccountId: answer.payerPosition?.accountId ?? 0,
      payeeAccountId: answer.payeePosition?.accountId ?? 0,
    },
  }
  return newEvent('transfers', 'BulkTransferItemsEnded', {
    bulkTransferId: randomUUID(),
    payerFsp,
    payeeFsp,
    receivedAt: endedAt,
    endedAt,
    items: [item],
  })
}

function paymentOf({ parties: [payer, payee], currency, units }: Transfer): SchemePayment {
  return {
    payer: names[payer] ?? '',
    payee: names[payee] ?? '',
    amount: formatAmount(units),
    currency,
    modelId: models.get(currency) ?? 0,
  }
}

/** What one history does to a scheme. */
function openWorld(scheme: TestScheme) {
  const reports = scheme.parts.grpc.client(dayReportsService, 'settlements')
  const last: OutgoingMessage[] = []
  let expected = 0

  async function count(text: string): Promise<number> {
    const [row] = await scheme.db.query<{ readonly count: number }>(statement(text), [])
    return row?.count ?? 0
  }

  async function deliver(events: readonly OutgoingMessage[]): Promise<void> {
    await announce(scheme, events)
    expected += new Set(events.map(({ id }) => id)).size
    await eventually(
      async () =>
        (await count(`select count(*)::int as count from lines where kind = 'TRANSFER'`)) ===
          expected || undefined,
      'the lines',
      20_000,
    )
  }

  async function untilMade(): Promise<void> {
    await eventually(
      async () =>
        (await count(`select count(*)::int as count from report_requests`)) === 0 || undefined,
      'the reports',
      30_000,
    )
  }

  return {
    async transfer(all: readonly Transfer[]): Promise<void> {
      const posted = all.filter(({ kind }) => kind !== 'ABORTED')
      const answers = posted.length === 0 ? [] : await commit(scheme, posted.map(paymentOf))
      const events = all.map((one) => ({ one, event: eventOf(one, answers[posted.indexOf(one)]) }))
      last.push(...events.flatMap(({ one, event }) => (one.isLast ? [event] : [])))
      await deliver(
        events.flatMap(({ one, event }) =>
          one.isLast ? [] : Array.from({ length: one.times }, () => event),
        ),
      )
    },
    async order(days: number, endsNow = false): Promise<void> {
      const wanted = { day: dayBefore(days), scope: '', endsNow, actor: 'ada' }
      const { refusal } = await reports.MakeDayReport(wanted)
      if (refusal) throw new Error(refusal.detail)
      await untilMade()
    },
    deliverLast: () => deliver(last.splice(0)),
    /** Corrects the days whose reports are known to be outdated, and no other. */
    async correct(): Promise<void> {
      // The correction of a day may store a fee that belongs to a later one.
      for (let round = 0; round <= days_max; round += 1) {
        const late = await daysWithLateLines(scheme.db, 7)
        const requests = late.map((day) => ({
          ...day,
          reason: 'LATE_TRANSFERS' as const,
          actor: 'settlements',
        }))
        await scheme.db.transaction((tx) => requestReports(tx, requests, 0))
        await untilMade()
      }
      expect(await daysWithLateLines(scheme.db, 7)).toEqual([])
    },
    async isReported(days: number): Promise<boolean> {
      const latest = await latestReports(scheme.db, dayBefore(days), '')
      return latest.size > 0
    },
  }
}

interface Sums {
  /** Sent less received. */
  readonly moved: bigint
  readonly sentCount: number
  readonly bulkItems: number
  readonly failures: number
  readonly feesPaid: bigint
  /** Paid less received. */
  readonly fees: bigint
}

function unitsOf({ value }: Pick<Total, 'value'>): bigint {
  const units = parseDecimal(value)
  if (units === undefined) throw new Error(`${value} is not a decimal`)
  return units
}

function sumsOf(sections: readonly Section[]): Sums {
  const sum = (of: (section: Section) => bigint) =>
    sections.reduce((all, section) => all + of(section), 0n)
  const number = (of: (section: Section) => number) =>
    sections.reduce((all, section) => all + of(section), 0)
  return {
    moved: sum(({ sent, received }) => unitsOf(sent.total) - unitsOf(received.total)),
    sentCount: number(({ sent }) => sent.total.count),
    bulkItems: number(({ sent }) => sent.bulkItems.count),
    failures: number(({ failures }) => failures.sent.reduce((all, one) => all + one.count, 0)),
    feesPaid: sum(({ fees }) => unitsOf(fees.paid)),
    fees: sum(({ fees }) => unitsOf(fees.paid) - unitsOf(fees.received)),
  }
}

/** The last reports of every day, by participant. */
async function documentsOf(scheme: TestScheme): Promise<ReadonlyMap<string, readonly Document[]>> {
  const found = new Map<string, Document[]>()
  for (let days = days_max; days >= 0; days -= 1) {
    for (const [name, { body }] of await latestReports(scheme.db, dayBefore(days), '')) {
      found.set(name, [...(found.get(name) ?? []), readDocument(body)])
    }
  }
  return found
}

async function compare(scheme: TestScheme, done: readonly Transfer[]): Promise<void> {
  const documents = await documentsOf(scheme)
  for (const currency of currencies) {
    const ofAll: Sums[] = []
    const sectionsOf = (name: string) =>
      (documents.get(name) ?? []).flatMap(({ currencies: all }) =>
        all.filter((section) => section.currency === currency),
      )
    for (const [at, name] of names.entries()) {
      const sections = sectionsOf(name)
      expect(sections.map(({ until }) => until).slice(0, -1)).toEqual(
        sections.map(({ from }) => from).slice(1),
      )
      const sums = sumsOf(sections)
      ofAll.push(sums)
      const position = await valueOf(scheme, name, 'POSITION', currency)
      expect(sections.at(-1)?.position).toBe(position)
      expect(formatAmount(sums.moved)).toBe(position)
      const fees = await valueOf(scheme, name, 'INTERCHANGE_FEE', currency)
      expect(formatAmount(sums.fees)).toBe(fees ?? '0')
      const own = done.filter((one) => one.currency === currency && one.parties[0] === at)
      const ended = (...kinds: readonly string[]) =>
        own.filter(({ kind }) => kinds.includes(kind)).length
      expect([sums.sentCount, sums.bulkItems, sums.failures]).toEqual([
        ended('SINGLE', 'BULK_ITEM'),
        ended('BULK_ITEM'),
        ended('ABORTED'),
      ])
    }
    const whole = sumsOf(sectionsOf(''))
    expect([whole.moved, whole.fees]).toEqual([0n, 0n])
    expect(whole.sentCount).toBe(ofAll.reduce((all, { sentCount }) => all + sentCount, 0))
    expect(whole.feesPaid).toBe(ofAll.reduce((all, { feesPaid }) => all + feesPaid, 0n))
  }
  expect(await differencesIn(scheme)).toEqual([])
}

test('The reports of a random history sum up to what the ledger has moved, each transfer once', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.boolean(), async (history, endsEarly) => {
      const scheme = await openHistory()
      try {
        const world = openWorld(scheme)
        for (const one of history) {
          if (typeof one === 'number') await world.order(one)
          else await world.transfer(one)
        }
        if (endsEarly) await world.order(0, true)
        await world.deliverLast()
        await world.correct()
        for (let days = days_max; days > 0; days -= 1) {
          if (!(await world.isReported(days))) await world.order(days)
        }
        if (!endsEarly) await world.order(0, true)
        await world.correct()
        await compare(
          scheme,
          history.flatMap((one) => (typeof one === 'number' ? [] : one)),
        )
      } finally {
        await scheme.stop()
      }
    }),
    { numRuns: 3, endOnFailure: true },
  )
}, 300_000)
