import { afterEach, describe, expect, jest, test } from '@jest/globals'
import {
  isOutage,
  openLog,
  Outage,
  ProcessStopping,
  type ExclusiveDatabase,
} from '@causeway/runtime'
import { keepOneConnection } from './connection.ts'

const log = openLog({ name: 'test', level: 'silent' })
const outage = new Outage('the connection is lost')

interface Held {
  readonly database: ExclusiveDatabase
  /** As if the server had cut it. */
  lose(): void
  isClosed(): boolean
}

/** A connection that holds the lock until it is lost or closed. */
function held(query: () => Promise<[]> = () => Promise.resolve([])): Held {
  let isClosed = false
  let lose: () => void = () => undefined
  const lost = new Promise<void>((resolve) => {
    lose = resolve
  })
  const close = () => {
    isClosed = true
    lose()
    return Promise.resolve()
  }
  const transaction = () => Promise.reject(new Error('no work is done on it'))
  return { database: { lost, query, transaction, close }, lose, isClosed: () => isClosed }
}

/** One answer for each time that a connection is opened; what comes after them is an outage. */
function opening(...answers: readonly (() => Promise<ExclusiveDatabase>)[]) {
  const signals: AbortSignal[] = []
  return {
    tries: () => signals.length,
    open: (signal: AbortSignal): Promise<ExclusiveDatabase> => {
      signals.push(signal)
      return answers[signals.length - 1]?.() ?? Promise.reject(outage)
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

afterEach(() => {
  jest.useRealTimers()
})

describe('a connection that is closed', () => {
  test('while another process holds the lock no longer waits for it', async () => {
    const connection = keepOneConnection(untilAborted, log)
    const opened = connection.opened.catch((error: unknown) => error)
    await connection.close()
    expect(await opened).toMatchObject({ name: 'AbortError' })
  })

  test('while a new one is being opened closes that one too, when it comes', async () => {
    const [first, late] = [held(), held()]
    let come: (database: ExclusiveDatabase) => void = () => undefined
    const { open, tries } = opening(
      () => Promise.resolve(first.database),
      () =>
        new Promise((resolve) => {
          come = resolve
        }),
    )
    const connection = keepOneConnection(open, log)
    await connection.opened
    first.lose()
    await turn()
    expect(tries()).toBe(2)
    const closed = connection.close()
    come(late.database)
    await closed
    expect(late.isClosed()).toBe(true)
    expect(connection.holdsLock()).toBe(false)
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'leaves none open, %i steps after one has come',
    async (steps) => {
      const one = held()
      const connection = keepOneConnection(() => Promise.resolve(one.database), log)
      connection.opened.catch(() => undefined)
      for (let step = 0; step < steps; step++) await Promise.resolve()
      await connection.close()
      expect(one.isClosed()).toBe(true)
    },
  )

  test('between two tries after outages does not try again', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] })
    const { open, tries } = opening()
    const connection = keepOneConnection(open, log)
    connection.opened.catch(() => undefined)
    await turn()
    await connection.close()
    await jest.advanceTimersByTimeAsync(60_000)
    expect(tries()).toBe(1)
  })
})

describe('a process that is being stopped', () => {
  const stopping = () => Promise.reject(new ProcessStopping())

  test('ends the trying when the connection is lost, though nobody closes it', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] })
    const first = held()
    const { open, tries } = opening(() => Promise.resolve(first.database), stopping)
    const connection = keepOneConnection(open, log)
    await connection.opened
    first.lose()
    await turn()
    await jest.advanceTimersByTimeAsync(60_000)
    expect(tries()).toBe(2)
  })

  test('is told to who waits for the first connection', async () => {
    const connection = keepOneConnection(opening(stopping).open, log)
    await expect(connection.opened).rejects.toThrow(ProcessStopping)
  })
})

test('a connection that cannot be made ready is closed, for it would keep the lock', async () => {
  const unready = held(() => Promise.reject(new Error('permission denied')))
  const connection = keepOneConnection(opening(() => Promise.resolve(unready.database)).open, log)
  await expect(connection.opened).rejects.toThrow('permission denied')
  expect(unready.isClosed()).toBe(true)
  await connection.close()
})

test('a lost connection is replaced, whatever outages come before', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  const [first, second] = [held(), held()]
  const { open } = opening(
    () => Promise.resolve(first.database),
    () => Promise.reject(outage),
    () => Promise.reject(outage),
    () => Promise.resolve(second.database),
  )
  const connection = keepOneConnection(open, log)
  await connection.opened
  first.lose()
  await turn()
  expect(connection.holdsLock()).toBe(false)
  await jest.advanceTimersByTimeAsync(1_000)
  expect(connection.holdsLock()).toBe(true)
  await connection.close()
  expect(second.isClosed()).toBe(true)
})

describe('while the lock is not held', () => {
  test('work and readiness are refused as outages, and served once it is held', async () => {
    const one = held()
    let come: () => void = () => undefined
    const connection = keepOneConnection(
      () => new Promise((resolve) => (come = () => resolve(one.database))),
      log,
    )
    const work = () => Promise.resolve('done')
    const refused = [connection.transaction(work), connection.answers()]
    for (const each of refused) expect(isOutage(await each.catch((e: unknown) => e))).toBe(true)
    come()
    await connection.opened
    await connection.answers()
    await connection.close()
  })
})
