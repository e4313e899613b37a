import { schemaOf } from '@causeway/runtime'
import * as authService from '@causeway/auth-service'
import { newEvent, shipLog } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { openLog } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { logStoreService, type LogQuery } from '@causeway/protos'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openWorld, type AuditWorld } from '../testing/world.ts'
import { deleteOldLines } from './store.ts'

let world: AuditWorld
let store: Calls<typeof logStoreService>

beforeAll(async () => {
  world = await openWorld(authService)
  store = world.parts.grpc.client(logStoreService, 'audit')
})

afterAll(() => world.stop())

const read = async (query: Partial<LogQuery>) =>
  (await store.ReadLog({ limit: 100, ...query })).lines.flatMap(({ line }) => line ?? [])

const line = {
  level: 'warn',
  timestamp: '2030-01-02T03:04:05.006Z',
  sourceBcName: 'reports',
  appName: 'reports',
  appVersion: '2',
  message: 'the printer is slow',
  meta: {},
}

describe('lines', () => {
  test('A line by event and a line by call are found by each filter, newest first, page by page', async () => {
    const later = { ...line, timestamp: '2030-01-02T03:05:00.000Z', level: 'error' as const }
    await store.WriteLog({ lines: [{ ...line, component: 'press' }] })
    await world.parts.bus.publish([
      newEvent('quoting', '/log-write', {
        ...later,
        message: 'the press stopped',
        meta: { reason: 'No Paper\0' },
      }),
    ])
    await eventually(async () => {
      const all = await read({ sourceBcName: 'reports' })
      return all.length === 2 ? true : undefined
    }, 'both lines are stored')
    const found = async (query: Partial<LogQuery>) =>
      (await read({ sourceBcName: 'reports', ...query })).map(({ message }) => message)
    const [first, second] = ['the press stopped', 'the printer is slow']
    expect(await found({})).toEqual([first, second])
    expect(await found({ level: 'error' })).toEqual([first])
    expect(await found({ level: 'info' })).toEqual([first, second])
    expect(await found({ component: 'press' })).toEqual([second])
    expect(await found({ text: 'no paper' })).toEqual([first])
    expect(await found({ text: 'PRINTER' })).toEqual([second])
    expect(await found({ from: later.timestamp })).toEqual([first])
    expect(await found({ to: later.timestamp })).toEqual([second])
    expect(await found({ sourceBcName: 'quoting' })).toEqual([])
    const [newest] = (await store.ReadLog({ sourceBcName: 'reports', limit: 1 })).lines
    expect(await found({ beforeId: newest?.id ?? '' })).toEqual([second])
  })

  test('Lines above the bound are deleted, the oldest first', async () => {
    await store.WriteLog({ lines: ['1', '2', '3'].map((message) => ({ ...line, message })) })
    const db = await world.parts.openDatabase({
      url: '',
      ...schemaOf('audit'),
      connections_max: 1,
    })
    const before = Number((await store.DescribeLog({})).lines)
    expect(await deleteOldLines(db, new Date(0), 2, 1_000)).toBe(before - 2)
    expect((await read({})).map(({ message }) => message)).toEqual(['3', '2'])
    expect(await deleteOldLines(db, new Date(Date.now() + 1_000), 1_000, 1_000)).toBe(2)
    await db.close()
  })
})

describe('the log of a process', () => {
  const nowhere = { write: () => undefined }

  test('Warnings of a service are in the store under its name, and lines of info are not', async () => {
    const { bus } = world.parts
    const log = openLog({ name: 'hub', level: 'info', destination: nowhere })
    const shipping = shipLog('audit', { bus, log }, 'hub')
    const of = log.child({ service: 'settlements' })
    of.info('nothing happened')
    of.warn({ windowId: '7', err: new Error('no answer') }, 'a window waits')
    log.error('no service')
    const [found] = await eventually(async () => {
      const all = await read({ text: 'a window waits' })
      return all.length > 0 ? all : undefined
    }, 'the warning is stored')
    expect(found).toMatchObject({ sourceBcName: 'settlements', level: 'warn' })
    expect(found?.meta).toMatchObject({
      windowId: '7',
      err: expect.stringContaining('no answer'),
    })
    expect(await read({ text: 'no service' })).toMatchObject([{ sourceBcName: 'hub' }])
    expect(await read({ text: 'nothing happened' })).toEqual([])
    await shipping.stop()
  })

  test('A process that logs too much loses lines, and their number is a line', async () => {
    const { bus } = world.parts
    const log = openLog({ name: 'hub', level: 'info', destination: nowhere })
    const before = BigInt((await store.DescribeLog({})).dropped)
    for (let lines = 0; lines < 3_000; lines += 1) log.warn({ lines }, 'a flood')
    await shipLog('audit', { bus, log }, 'hub').stop()
    await eventually(async () => {
      const dropped = BigInt((await store.DescribeLog({})).dropped) - before
      return dropped === 2_950n ? true : undefined
    }, 'the dropped lines are counted')
    expect(await read({ text: 'a flood' })).toHaveLength(50)
  })
})
