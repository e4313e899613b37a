/** Reports of finished days on the real ledger: exact, complete, each version once. */
import { randomUUID } from 'node:crypto'
import type { OutgoingMessage } from '@causeway/bus'
import { newEvent, onEvents, type DomainEvent } from '@causeway/events'
import { formatAmount, parseDecimal } from '@causeway/money'
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import { statement } from '@causeway/postgres'
import { openLog } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import {
  dayReportsService,
  ledgerService,
  participantsService,
  thirdPartyTransactionsService,
} from '@causeway/protos'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { positionsIn, readDocument, type Document } from './day-reports/document.ts'
import { readCalendar } from './day-reports/domain/calendar.ts'
import type { Section } from './day-reports/domain/report.ts'
import {
  daysWithLateLines,
  finishRequest,
  requestReports,
  takeDueRequest,
} from './day-reports/request-store.ts'
import { gatherDay } from './day-reports/gather.ts'
import { latestReports } from './day-reports/report-store.ts'
import { requestDue } from './day-reports/schedule.ts'
import {
  addFsp,
  addModel,
  announce,
  commit,
  committed,
  differencesIn,
  openHub,
  openTestScheme,
  pay,
  valueOf,
  type SchemePayment,
  type SubstituteData,
  type TestScheme,
} from './testing/scheme.ts'

const names = ['bluewallet', 'greenbank', 'redpay'] as const
const day_ms = 86_400_000

let scheme: TestScheme
let modelId: number
const requested: SubstituteData = { transfers: [], quotes: [], transactions: [] }
const stored: DomainEvent<'DayReportStored'>[] = []
const logged: string[] = []
const log = openLog({
  name: 'test',
  level: 'warn',
  destination: { write: (line) => void logged.push(line) },
})

beforeAll(async () => {
  scheme = await openTestScheme({
    startLedger: (parts) => startLedger(defaultsOf(ledgerSettings), parts),
    changes: { SETTLEMENTS_REPORTS_DELAY_MS: 0 },
    requested,
    prepare: (parts) => Object.assign(parts, { log }),
  })
  await openHub(scheme)
  modelId = await addModel(scheme)
  await addModel(scheme, {
    name: 'FEES',
    ledgerAccountType: 'INTERCHANGE_FEE',
    settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
    interchangeFeePercentage: '0.6',
  })
  for (const name of names) await addFsp(scheme, name)
  await collectStored()
}, 60_000)

afterAll(() => scheme.stop())

async function collectStored(): Promise<void> {
  await onEvents(scheme.parts.bus, 'test_reports', ['DayReportStored'], (events) => {
    stored.push(...events)
    return Promise.resolve()
  })
}

function reports() {
  return scheme.parts.grpc.client(dayReportsService, 'settlements')
}

/** `days` before today, UTC. */
function dayBefore(days: number): string {
  return new Date(Date.now() - days * day_ms).toISOString().slice(0, 10)
}

async function order(day: string, endsNow = false) {
  const { state, refusal } = await reports().MakeDayReport({
    day,
    scope: '',
    endsNow,
    actor: 'ada',
  })
  if (!state) throw new Error(refusal?.detail)
  return state
}

function untilVersion(day: string, version: number) {
  return eventually(
    async () => {
      const latest = await latestReports(scheme.db, day, '')
      return [...latest.values()].some((report) => report.version === version) &&
        (await pending(day)) === 0
        ? latest
        : undefined
    },
    `version ${version} of ${day}`,
    30_000,
  )
}

async function count(text: string, ...values: readonly string[]): Promise<number> {
  const [row] = await scheme.db.query<{ readonly count: number }>(statement(text), values)
  return row?.count ?? 0
}

function pending(day: string): Promise<number> {
  return count('select count(*)::int as count from report_requests where day = $1::date', day)
}

async function versionsOf(day: string): Promise<readonly string[]> {
  const rows = await scheme.db.query<{ readonly version: string }>(
    statement(`select participant || ' ' || version as version from day_reports
      where day = $1::date order by participant, version`),
    [day],
  )
  return rows.map(({ version }) => version)
}

function linesStored(at_least: number): Promise<true> {
  return eventually(
    async () =>
      (await count(`select count(*)::int as count from lines where kind = 'TRANSFER'`)) >=
        at_least || undefined,
    `${at_least} lines`,
  )
}

function documentOf(latest: Awaited<ReturnType<typeof latestReports>>, name: string): Document {
  const report = latest.get(name)
  if (report === undefined) throw new Error(`${name} has no report`)
  return readDocument(report.body)
}

function unitsOf(text: string | undefined): bigint {
  const units = parseDecimal(text ?? '')
  if (units === undefined) throw new Error(`${text} is not a decimal`)
  return units
}

/** A transfer that the ledger posted, as if it had ended at this time. */
function endedAt(event: OutgoingMessage, time: string): OutgoingMessage {
  const payload = { ...(event.payload as object), fulfiledAt: time, receivedAt: time }
  return { ...event, payload }
}

async function payOn(day: string, ...payments: readonly SchemePayment[]): Promise<void> {
  const answers = await commit(scheme, payments)
  const events = answers.map((answer, at) =>
    endedAt(committed(answer, payments[at]), `${day}T12:00:00.000Z`),
  )
  const before = await count('select count(*)::int as count from lines')
  await announce(scheme, events)
  await eventually(
    async () =>
      (await count('select count(*)::int as count from lines')) >= before + events.length ||
      undefined,
    'the lines of a day in the past',
  )
}

test('Days without a report are made up once, each with a report of its own', async () => {
  await order(dayBefore(4))
  await untilVersion(dayBefore(4), 1)
  const due = newEvent('scheduler', 'ScheduleReminderDue', {
    reminderId: 'settlements/day-report/scheme',
    owner: 'settlements',
    dueAt: `${dayBefore(0)}T00:00:00.000Z`,
    payload: '',
  })
  await announce(scheme, [due, due])
  for (const days of [3, 2, 1]) await untilVersion(dayBefore(days), 1)
  await announce(scheme, [{ ...due, id: randomUUID() }])
  for (const days of [4, 3, 2, 1]) {
    expect(await versionsOf(dayBefore(days))).toEqual([' 1', ...names.map((name) => `${name} 1`)])
  }
  expect(await versionsOf(dayBefore(0))).toEqual([])
})

test('A day that has not ended has no report', async () => {
  const wanted = { day: dayBefore(-1), scope: '', endsNow: true, actor: 'ada' }
  expect((await reports().MakeDayReport(wanted)).refusal?.reason).toBe('DAY_NOT_OVER')
  const today = { ...wanted, day: dayBefore(0), endsNow: false }
  expect((await reports().MakeDayReport(today)).refusal?.reason).toBe('DAY_NOT_OVER')
  expect((await reports().MakeDayReport({ ...wanted, day: 'never' })).refusal?.reason).toBe(
    'INVALID',
  )
})

test('A transfer that arrives after the report makes another version for its FSPs alone', async () => {
  const day = dayBefore(3)
  await payOn(day, { payer: 'greenbank', payee: 'redpay', amount: '12.5', modelId })
  expect((await daysWithLateLines(scheme.db, 7)).map((late) => late.day)).toEqual([day])
  await order(day)
  const latest = await untilVersion(day, 2)
  expect(await versionsOf(day)).toEqual([
    ' 1',
    ' 2',
    'bluewallet 1',
    'greenbank 1',
    'greenbank 2',
    'redpay 1',
    'redpay 2',
  ])
  const report = documentOf(latest, 'greenbank')
  expect(report.replaces?.version).toBe(1)
  expect(report.currencies[0]?.sent.total).toEqual({ count: 1, value: '12.5' })
  expect(await daysWithLateLines(scheme.db, 7)).toEqual([])
  // Nothing has changed since, so a further order makes no further version.
  await order(day)
  await eventually(async () => ((await pending(day)) === 0 ? true : undefined), 'the order is done')
  expect((await versionsOf(day)).at(-1)).toBe('redpay 2')
})

test('A day is not in two reports when days are ordered out of their order', async () => {
  await order(dayBefore(8))
  await untilVersion(dayBefore(8), 1)
  // The day between the two is made as well.
  await order(dayBefore(6))
  for (const days of [7, 6]) await untilVersion(dayBefore(days), 1)
  await order(dayBefore(7))
  await eventually(
    async () => ((await pending(dayBefore(7))) === 0 ? true : undefined),
    'it is done',
  )
  const periods = await scheme.db.query<{ readonly begin: Date; readonly end: Date }>(
    statement(`select from_at as begin, until_at as end from report_periods
      where currency = 'USD' and day between $1::date and $2::date order by day`),
    [dayBefore(8), dayBefore(6)],
  )
  expect(periods.map(({ end }) => end.getTime()).slice(0, -1)).toEqual(
    periods.map(({ begin }) => begin.getTime()).slice(1),
  )
  expect(periods.map(({ begin, end }) => end.getTime() - begin.getTime())).toEqual([
    day_ms,
    day_ms,
    day_ms,
  ])
})

test("A reminder that is due by the scheduler's clock requests the day that ends then", async () => {
  const calendar = readCalendar('24:00', 'XTS=24:00')
  if (typeof calendar === 'string') throw new Error(calendar)
  const reminderId = 'settlements/day-report/XTS'
  const dueAt = `${dayBefore(-1)}T00:00:00.000Z`
  const payload = { reminderId, owner: 'settlements', dueAt, payload: 'XTS' }
  await requestDue({ db: scheme.db, calendar, delay_ms: 0 }, { payload })
  const days = await scheme.db.query<{ readonly day: string }>(
    statement(`delete from report_requests where scope = 'XTS' returning day::text as day`),
    [],
  )
  expect(days.map(({ day }) => day)).toEqual([dayBefore(0)])
})

test('A correction does not ask the ledger again for what accounts were', async () => {
  const day = dayBefore(8)
  const { grpc } = scheme.parts
  const asked: string[] = []
  const { GetParticipantInfo } = grpc.client(participantsService, 'participant-lifecycle')
  const { GetLedgerEntries } = grpc.client(ledgerService, 'participant-lifecycle')
  const { SearchThirdPartyTransactions } = grpc.client(
    thirdPartyTransactionsService,
    'auth-service',
  )
  const known = documentOf(await latestReports(scheme.db, day, ''), '')
  const { positions } = await gatherDay(
    {
      db: scheme.db,
      participants: { GetParticipantInfo },
      ledger: { GetLedgerEntries },
      thirdParties: { SearchThirdPartyTransactions },
      originsOf: (rows) => Promise.resolve([...rows]),
      liquidity: {
        RequestAccountPositionHistory({ name }) {
          asked.push(name ?? '')
          return Promise.resolve({ page: { changes: [], value: '7' } })
        },
      },
    },
    {
      day,
      scope: '',
      begin: new Date(`${dayBefore(8)}T00:00:00.000Z`),
      until: new Date(`${dayBefore(7)}T00:00:00.000Z`),
      ownScopes: [],
      positions: positionsIn(JSON.stringify(known)).filter(({ fsp }) => fsp !== 'redpay'),
      onSlice: () => Promise.resolve(),
    },
  )
  expect(asked).toEqual(['redpay'])
  expect(positions).toContainEqual({ fsp: 'redpay', currency: 'USD', value: 70_000n })
  expect(positions).toContainEqual({ fsp: 'greenbank', currency: 'USD', value: 0n })
})

test('A stored report can be neither changed nor deleted', async () => {
  await expect(
    scheme.db.query(statement(`update day_reports set reason = 'other'`), []),
  ).rejects.toThrow('never changes')
  await expect(scheme.db.query(statement('delete from day_reports'), [])).rejects.toThrow(
    'never changes',
  )
})

test('A report that another process has stored meanwhile is not stored again', async () => {
  const day = dayBefore(2)
  const request = {
    day,
    scope: '',
    until: new Date(`${dayBefore(1)}T00:00:00.000Z`),
    reason: 'OPERATOR',
    actor: 'ada',
  } as const
  await payOn(day, { payer: 'redpay', payee: 'bluewallet', amount: '3', modelId })
  // The lease ends at once, so that the service takes the request as well.
  const slow = await scheme.db.transaction(async (tx) => {
    await requestReports(tx, [request], 0)
    return takeDueRequest(tx, randomUUID(), 0)
  })
  if (slow === undefined) throw new Error('the request is not due')
  await untilVersion(day, 2)
  expect(await scheme.db.transaction((tx) => finishRequest(tx, slow))).toBe(false)
  expect((await versionsOf(day)).filter((version) => version.startsWith(' '))).toEqual([' 1', ' 2'])
})

test('A report that an outage and a restart interrupt is made once afterwards, without an alarm', async () => {
  const day = dayBefore(1)
  await payOn(day, { payer: 'bluewallet', payee: 'greenbank', amount: '4', modelId })
  requested.isAway = true
  await order(day)
  await eventually(
    async () =>
      (await count(
        `select count(*)::int as count from report_requests where last_error is not null`,
      )) > 0 || undefined,
    'the first attempt has failed',
  )
  expect(logged.filter((line) => line.includes('the reports of a day'))).toEqual([
    expect.stringMatching(/"level":"warn".*tried again/),
  ])
  await scheme.db.close()
  scheme = await scheme.restart()
  await collectStored()
  requested.isAway = false
  await scheme.db.query(statement(`update report_requests set due_at = '-infinity'`), [])
  const latest = await untilVersion(day, 2)
  expect(documentOf(latest, 'bluewallet').currencies[0]?.sent.total).toEqual({
    count: 1,
    value: '4',
  })
  expect(await versionsOf(day)).toHaveLength(7)
}, 60_000)

/** Deterministic variety: amounts with up to four decimals between all pairs. */
function manyPayments(): readonly SchemePayment[] {
  return Array.from({ length: 60 }, (_, at) => {
    const payer = names[at % 3] ?? 'greenbank'
    const payee = names[(at + 1 + (at % 2)) % 3] ?? 'redpay'
    const amount = formatAmount(BigInt(((at * 370_013) % 1_010_000) + 1))
    return { payer, payee, amount, modelId }
  })
}

test('The reports of a day sum up to what the ledger has moved, fees and failures included', async () => {
  const before = await count(`select count(*)::int as count from lines where kind = 'TRANSFER'`)
  const earlier = new Map<string, bigint>()
  for (const name of names) earlier.set(name, unitsOf(await valueOf(scheme, name, 'POSITION')))
  const payments = manyPayments()
  await pay(scheme, ...payments)
  await announce(scheme, [abortedTransfer('greenbank', 'redpay', '9')])
  await linesStored(before + payments.length + 1)
  await reports().SetReportDelivery({ participant: 'redpay', delivery: 'OFF', actor: 'ada' })
  await reports().SetReportDelivery({
    participant: 'greenbank',
    delivery: 'ATTACHMENT',
    actor: 'ada',
  })
  const day = dayBefore(0)
  expect((await order(day, true)).version).toBeUndefined()
  const latest = await untilVersion(day, 1)
  const whole = documentOf(latest, '')
  const [all] = whole.currencies
  for (const name of names) {
    const [own] = documentOf(latest, name).currencies
    expect(own?.position).toBe(await valueOf(scheme, name, 'POSITION'))
    expect(netOf(own)).toBe(unitsOf(own?.position) - (earlier.get(name) ?? 0n))
    expect(whole.participants?.find(({ participant }) => participant === name)).toEqual({
      participant: name,
      ...own,
    })
  }
  const paid = payments.reduce((sum, { amount }) => sum + unitsOf(amount), 0n)
  expect([all?.sent.total.count, unitsOf(all?.sent.total.value)]).toEqual([payments.length, paid])
  expect(all?.sent).toEqual(all?.received)
  expect(all?.failures.sent).toMatchObject([{ errorCode: '3303', count: 1, value: '9' }])
  expect(all?.latency.sent.count).toBe(payments.length)
  // Fees of the day and of the days before, whose transfers the ledger has posted today.
  const charged = await count(`select count(*)::int as count from lines where kind = 'FEE'`)
  expect(all?.fees.paid.count).toBe(charged)
  expect(charged).toBeGreaterThanOrEqual(payments.length)
  // The report has stored them itself before it read them.
  expect(
    await count(`select count(*)::int as count from lines where late_at is not null
    and kind = 'FEE'`),
  ).toBe(0)
  const owed = await Promise.all(names.map((name) => valueOf(scheme, name, 'INTERCHANGE_FEE')))
  expect(owed.reduce((sum, value) => sum + unitsOf(value), 0n)).toBe(0n)
  await mailsAnnounced(day)
  expect(await differencesIn(scheme)).toEqual([])
}, 120_000)

function netOf(section: Section | undefined): bigint {
  return unitsOf(section?.sent.total.value) - unitsOf(section?.received.total.value)
}

async function mailsAnnounced(day: string): Promise<void> {
  const ofDay = await eventually(() => {
    const found = stored.filter(({ payload }) => payload.day === day)
    return found.length === 3 ? found : undefined
  }, 'an event for each reader who gets e-mails')
  const files = new Map(
    ofDay.map(({ payload }) => [payload.participantId, payload.files.map(({ type }) => type)]),
  )
  expect(files.get('greenbank')).toEqual(['text/csv', 'text/html'])
  expect(files.get('bluewallet')).toEqual([])
  expect(files.has('redpay')).toBe(false)
}

function abortedTransfer(payerFsp: string, payeeFsp: string, amount: string): OutgoingMessage {
  const time = new Date().toISOString()
  return newEvent('transfers', 'TransferFulfilComitRequestTimedout', {
    transferId: randomUUID(),
    payerFsp,
    payeeFsp,
    payerVersion: '1.1',
    errorInformation: { errorCode: '3303', errorDescription: 'Transfer expired' },
    ending: {
      payerFsp,
      payeeFsp,
      amount: { amount, currency: 'USD' },
      completedTimestamp: time,
      receivedAt: time,
      endedAt: time,
    },
  })
}

test('The report of a day is read as JSON with the hash of its bytes, as CSV and as a page', async () => {
  const [listed] = (await reports().ListDayReports({ participant: 'greenbank', limit: 1 })).reports
  const wanted = { participant: 'greenbank', day: listed?.day ?? '' }
  const { file } = await reports().GetDayReport({ ...wanted, format: 'JSON' })
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(file?.content ?? []))
  expect(Buffer.from(digest).toString('hex')).toBe(listed?.sha256)
  for (const format of ['CSV', 'HTML'] as const) {
    const read = await reports().GetDayReport({ ...wanted, format })
    expect(read.file?.content.toString()).toContain('greenbank')
  }
  const unknown = await reports().GetDayReport({ ...wanted, version: 9, format: 'JSON' })
  expect(unknown.refusal?.reason).toBe('REPORT_UNKNOWN')
  const impossible = await reports().GetDayReport({ ...wanted, scope: '\0', format: 'JSON' })
  expect(impossible.refusal?.reason).toBe('REPORT_UNKNOWN')
})

test('Before lines are read for a report, the summary by which their slices are found is complete', async () => {
  await scheme.db.query(
    statement(`
      insert into lines (window_id, day, transfer_id, kind, state, reason, payer_fsp, payee_fsp,
        amount, currency, completed_timestamp, finalised_at)
      select 0, '2020-01-01', 'of-2020-' || n, 'TRANSFER', 'ABORTED', '', 'greenbank', 'redpay', 1,
        'XTS', '', '2020-01-01'::timestamptz + n * interval '1 s'
      from generate_series(1, 20000) n`),
    [],
  )
  await order(dayBefore(1))
  await eventually(
    async () => ((await pending(dayBefore(1))) === 0 ? true : undefined),
    'it is made',
  )
  expect(await count(`select brin_summarize_new_values('lines_by_time')::int as count`)).toBe(0)
})
