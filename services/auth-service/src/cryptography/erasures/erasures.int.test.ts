import { randomUUID } from 'node:crypto'
import { approvalCalls, wordOf, type ApprovalCalls } from '@causeway/approvals/testing'
import { onEvents } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { statement, type Database } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { erasuresService, monthKeysService } from '@causeway/protos'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openWorld, ownDatabase, type AuthServiceWorld } from '../../testing/world.ts'

let world: AuthServiceWorld
let db: Database
let keys: Calls<typeof monthKeysService>
let erasures: Calls<typeof erasuresService>
let approvals: ApprovalCalls
const audited: string[] = []

beforeAll(async () => {
  world = await openWorld([participantLifecycle, settlements])
  db = await ownDatabase(world.parts)
  keys = world.parts.grpc.client(monthKeysService, 'auth-service')
  approvals = approvalCalls(world.parts.grpc, 'auth-service')
  erasures = world.parts.grpc.client(erasuresService, 'auth-service')
  await onEvents(world.parts.bus, 'test', ['/audit-log-write'], (events) => {
    audited.push(...events.map(({ payload }) => JSON.stringify(payload)))
    return Promise.resolve()
  })
})

afterAll(async () => {
  await db.close()
  await world.stop()
})

const now = new Date()
const monthAgo = (months: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)).toISOString().slice(0, 7)
const [current, old, young] = [monthAgo(0), monthAgo(14), monthAgo(3)]

/** As if the key had been made in that month. */
async function keyFrom(month: string): Promise<void> {
  await keys.GetMonthKeys({ months: [current], held: [] })
  await db.query(
    statement(`insert into month_keys (month, sealed, created_at)
      values (to_date($1, 'YYYY-MM'), '\\x00', now())`),
    [month],
  )
}

async function requestOf(month: string): Promise<string> {
  return wordOf(await approvals.request('MonthErasure', { month }))
}

async function erasureOf(requestId: string) {
  return (await erasures.ListErasures({})).erasures.find((one) => one.requestId === requestId)
}

test('A month has one key, the same for each service that asks, and past months get none', async () => {
  const [first, again] = [
    await keys.GetMonthKeys({ months: [current, monthAgo(-1), old], held: [] }),
    await keys.GetMonthKeys({ months: [current], held: [] }),
  ]
  expect(first.keys.map(({ month }) => month).toSorted()).toEqual(
    [current, monthAgo(-1)].toSorted(),
  )
  expect(first.keys.every(({ key }) => key.length === 32)).toBe(true)
  const keyOf = ({ keys: all }: typeof first) => all.find(({ month }) => month === current)?.key
  expect(keyOf(again)).toEqual(keyOf(first))
})

test('A month is erased only after its retention, and only by a second person', async () => {
  await keyFrom(old)
  await keyFrom(young)
  expect(await requestOf(young)).toBe('MONTH_TOO_YOUNG')
  expect(await requestOf(monthAgo(30))).toBe('MONTH_UNKNOWN')
  expect(await requestOf('2026-13')).toBe('INVALID')
  const { approval } = await approvals.request('MonthErasure', { month: old })
  const requestId = approval?.requestId ?? ''
  expect(await requestOf(old)).toBe('REQUEST_PENDING')
  expect(wordOf(await approvals.decide('MonthErasure', requestId, { actor: 'ada' }))).toBe(
    'SAME_PERSON',
  )
  expect(wordOf(await approvals.decide('MonthErasure', requestId))).toBe('APPROVED')
  const erased = { state: 'APPROVED', decidedBy: 'grace', month: old }
  const erasure = await erasureOf(requestId)
  expect(erasure).toMatchObject(erased)
  expect(erasure?.finishedAt).toBe(erasure?.decidedAt)
  const [row] = await db.query<{ sealed: Buffer | null }>(
    statement(`select sealed from month_keys where month = to_date($1, 'YYYY-MM')`),
    [old],
  )
  expect(row?.sealed).toBeNull()
  expect((await keys.GetMonthKeys({ months: [old], held: [] })).keys).toEqual([])
  expect(await requestOf(old)).toBe('MONTH_ERASED')
})

test('The identifier of a person is stored until the last service has reported, and never audited', async () => {
  const requestId = randomUUID()
  const person = { partyIdType: 'MSISDN', partyIdentifier: '15551234567' }
  await approvals.request('PersonErasure', person, { requestId })
  expect((await erasureOf(requestId))?.person).toMatchObject(person)
  const services = ['quoting', 'transfers']
  const report = (service: string, erased: number, next?: string) =>
    erasures.ReportErasure({
      requestId,
      progress: { service, erased, ...(next === undefined ? {} : { next }) },
      services,
    })
  expect((await report('quoting', 0)).refusal?.reason).toBe('REQUEST_PENDING')
  await approvals.decide('PersonErasure', requestId)
  await report('quoting', 2)
  const half = await report('transfers', 1, 'a place')
  expect(half.erasure).toMatchObject({ person, state: 'APPROVED' })
  expect(half.erasure?.finishedAt).toBeUndefined()
  const whole = await report('transfers', 4)
  expect(whole.erasure?.person ?? null).toBeNull()
  expect(whole.erasure?.finishedAt).toBeDefined()
  await eventually(
    () => audited.some((entry) => entry.includes('FinishErasure')) || undefined,
    'the audit entry of the end',
  )
  expect(audited.filter((entry) => entry.includes('1555'))).toEqual([])
})

test('The identifier of a person whose erasure is rejected is forgotten', async () => {
  const person = { partyIdType: 'MSISDN', partyIdentifier: '15557654321' }
  const { approval } = await approvals.request('PersonErasure', person)
  const requestId = approval?.requestId ?? ''
  await approvals.decide('PersonErasure', requestId, { verdict: 'REJECT' })
  const erasure = await erasureOf(requestId)
  expect([erasure?.state, erasure?.person ?? null]).toEqual(['REJECTED', null])
  const rows = await db.query(statement(`select from approvals where content like '%7654321%'`), [])
  expect(rows).toEqual([])
})
