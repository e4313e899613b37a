/** Services that encrypt messages, with the real auth-service, while a clock is wrong or a key is lost. */
import { schemaOf } from '@causeway/runtime'
import { openBodies } from '@causeway/keys/months'
import { statement, type Database } from '@causeway/postgres'
import { openLog, openMetrics, type Metrics, type Service } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { monthKeysService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { Writable } from 'node:stream'
import { start } from '../../service.ts'
import { authSettings, ownDatabase, type SettingOverrides } from '../../testing/world.ts'

let parts: TestParts
let auth: Service
let keys: Database
let holder: Database
let stops: Service[] = []

const alarms: string[] = []
/** Of the process that was opened last. */
let metrics: Metrics

beforeEach(async () => {
  parts = await openTestParts()
  auth = await start(authSettings(), parts)
  keys = await ownDatabase(parts)
  holder = await openHolder()
  alarms.length = 0
})

afterEach(async () => {
  for (const each of stops.splice(0)) await each.stop()
  await holder.close()
  await keys.close()
  await auth.stop()
  await parts.stop()
})

function openHolder(): Promise<Database> {
  return parts.openDatabase({
    url: '',
    ...schemaOf('transfers'),
    connections_max: 1,
  })
}

/** A process of a service that encrypts, with nothing in its memory. */
async function open(now = () => new Date()) {
  const lines = new Writable({
    write(chunk: Buffer, _encoding, done) {
      alarms.push(
        ...chunk
          .toString()
          .split('\n')
          .filter((line) => line.includes('ALARM')),
      )
      done()
    },
  })
  const log = openLog({ name: 'test', level: 'error', destination: lines })
  metrics = openMetrics({ ofProcess: false })
  const named = { service: 'transfers', db: holder, grpc: parts.grpc }
  const bodies = await openBodies('on', { ...named, log, metrics, now })
  stops.push(bodies)
  return bodies
}

/** Of now, by that many months. */
function shifted(months: number): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15))
}

const monthOf = (time: Date) => time.toISOString().slice(0, 7)
const current = () => monthOf(shifted(0))

async function forget(month: string): Promise<void> {
  await keys.query(statement(`delete from month_keys where month = to_date($1, 'YYYY-MM')`), [
    month,
  ])
}

async function storedMonths(): Promise<readonly string[]> {
  const rows = await keys.query<{ month: string }>(
    statement(`select to_char(month, 'YYYY-MM') as month from month_keys order by 1`),
    [],
  )
  return rows.map(({ month }) => month)
}

async function restartAuth(given: SettingOverrides): Promise<void> {
  await auth.stop()
  parts = await parts.restart()
  for (const each of [keys, holder]) await each.close().catch(() => undefined)
  auth = await start(authSettings(given), parts)
  keys = await ownDatabase(parts)
  holder = await openHolder()
}

const lostMonths = async () => {
  const { values = [] } = (await metrics.getSingleMetric('month_keys_lost')?.get()) ?? {}
  return values.map(({ labels }) => labels['month'])
}

test.each([-14, -3, -1, 1, 2, 3, 14])(
  'A process whose clock is %s months off seals with a key that auth-service has, and others read it',
  async (months) => {
    const message = Buffer.from('{"payee":"Alice"}')
    const wrong = await open(() => shifted(months))
    const sealed = wrong.seal(message, shifted(months))
    expect(sealed.includes('Alice')).toBe(false)
    expect(await (await open()).open([sealed])).toEqual([message])
    expect(alarms.some((line) => line.includes('months off'))).toBe(Math.abs(months) > 1)
  },
)

test('A start without any key waits with an alarm, and goes on when there is one', async () => {
  await open()
  await keys.query(statement('update month_keys set sealed = null, dropped_at = now()'), [])
  let isOpen = false
  const opening = open().then((bodies) => {
    isOpen = true
    return bodies
  })
  await eventually(() => alarms.some((line) => line.includes('refused')), 'the alarm')
  expect(isOpen).toBe(false)
  await keys.query(statement('delete from month_keys'), [])
  await holder.query(statement('delete from message_keys'), [])
  const bodies = await opening
  expect(bodies.seal(Buffer.from('{}'), new Date()).length).toBeGreaterThan(2)
})

test('A key that a service has messages of is not made again, and what it sealed is null among the others', async () => {
  const former = await open()
  const messages = ['{"n":1}', '{"n":2}'].map((text) => Buffer.from(text))
  const [lost] = messages.map((message) => former.seal(message, shifted(0)))
  const [, last] = messages.map((message) => former.seal(message, shifted(-1)))
  await forget(current())
  const later = await open()
  expect(await storedMonths()).toEqual([monthOf(shifted(-1)), monthOf(shifted(1))])
  expect(await lostMonths()).toEqual([current()])
  expect(await later.open([lost ?? null, last ?? null, null])).toEqual([null, messages[1], null])
  expect(alarms.some((line) => line.includes('stored bodies cannot be read'))).toBe(true)
  // Messages are sealed nevertheless, and read by others.
  const sealed = later.seal(Buffer.from('{"n":3}'), new Date())
  expect(await (await open()).open([sealed])).toEqual([Buffer.from('{"n":3}')])
})

test('A key that another service has replaced meanwhile is not given to one that holds the first', async () => {
  const former = await open()
  const sealed = former.seal(Buffer.from('{"n":1}'), shifted(0))
  await forget(current())
  const other = { months: [current()], held: [] }
  const client = parts.grpc.client(monthKeysService, 'auth-service')
  expect((await client.GetMonthKeys(other)).keys).toHaveLength(1)
  const later = await open()
  expect(await lostMonths()).toEqual([current()])
  expect(await later.open([sealed])).toEqual([null])
  expect(later.seal(Buffer.from('{}'), new Date()).length).toBeGreaterThan(2)
})

test('A body that was modified is null among the others, with an alarm', async () => {
  const bodies = await open()
  const [one, other] = ['{"n":1}', '{"n":2}'].map((text) =>
    bodies.seal(Buffer.from(text), new Date()),
  )
  const modified = Buffer.from(one ?? '')
  modified[modified.length - 1] = (modified.at(-1) ?? 0) ^ 1
  expect(await bodies.open([modified, other ?? null])).toEqual([null, Buffer.from('{"n":2}')])
  expect(alarms).toHaveLength(1)
})

test('A lost key that operators give up is replaced, and the service seals with the new one', async () => {
  const former = await open()
  const sealed = former.seal(Buffer.from('{"n":1}'), shifted(0))
  await forget(current())
  await restartAuth({ AUTH_SERVICE_GIVEN_UP_MONTHS: current() })
  const later = await open()
  expect(await lostMonths()).toEqual([])
  expect(await storedMonths()).toContain(current())
  expect(await later.open([sealed])).toEqual([null])
  const next = later.seal(Buffer.from('{"n":2}'), new Date())
  // The setting is needed once.
  await restartAuth({})
  const last = await open()
  expect(await lostMonths()).toEqual([])
  expect(await last.open([next])).toEqual([Buffer.from('{"n":2}')])
})

test('A month that is erased is null without an alarm', async () => {
  const former = await open()
  const sealed = former.seal(Buffer.from('{"n":1}'), shifted(-1))
  await keys.query(
    statement(`update month_keys set sealed = null, dropped_at = now()
      where month = to_date($1, 'YYYY-MM')`),
    [monthOf(shifted(-1))],
  )
  expect(await (await open()).open([sealed])).toEqual([null])
  expect(alarms).toEqual([])
  expect(await lostMonths()).toEqual([])
})
