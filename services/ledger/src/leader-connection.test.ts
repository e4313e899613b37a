import type { ExclusiveDatabase } from '@causeway/postgres'
import { isOutage, openLog, Outage, ProcessStopping } from '@causeway/process'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { openLeaderConnection } from './leader/connection.ts'

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
  test('A connection closed while another process holds the lock stops waiting for it', async () => {
    const connection = openLeaderConnection(untilAborted, log)
    const opened = connection.opened.catch((error: unknown) => error)
    await connection.close()
    expect(await opened).toMatchObject({ name: 'AbortError' })
  })

  test('A connection closed while a new one opens closes the new one too', async () => {
    const [first, late] = [held(), held()]
    let come: (database: ExclusiveDatabase) => void = () => undefined
    const { open, tries } = opening(
      () => Promise.resolve(first.database),
      () =>
        new Promise((resolve) => {
          come = resolve
        }),
    )
    const connection = openLeaderConnection(open, log)
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
    'Closing %i steps after a connection has opened leaves none open',
    async (steps) => {
      const one = held()
      const connection = openLeaderConnection(() => Promise.resolve(one.database), log)
      connection.opened.catch(() => undefined)
      for (let step = 0; step < steps; step++) await Promise.resolve()
      await connection.close()
      expect(one.isClosed()).toBe(true)
    },
  )

  test('A connection closed between two attempts does not try again', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] })
    const { open, tries } = opening()
    const connection = openLeaderConnection(open, log)
    connection.opened.catch(() => undefined)
    await turn()
    await connection.close()
    await jest.advanceTimersByTimeAsync(60_000)
    expect(tries()).toBe(1)
  })
})

describe('a process that is being stopped', () => {
  const stopping = () => Promise.reject(new ProcessStopping())

  test('A process that is being stopped stops retrying when its connection is lost', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] })
    const first = held()
    const { open, tries } = opening(() => Promise.resolve(first.database), stopping)
    const connection = openLeaderConnection(open, log)
    await connection.opened
    first.lose()
    await turn()
    await jest.advanceTimersByTimeAsync(60_000)
    expect(tries()).toBe(2)
  })

  test('Callers that wait for the first connection get an error when the process is being stopped', async () => {
    const connection = openLeaderConnection(opening(stopping).open, log)
    await expect(connection.opened).rejects.toThrow(ProcessStopping)
  })
})

test('A connection that fails its preparation is closed, because it would keep the lock', async () => {
  const unready = held(() => Promise.reject(new Error('permission denied')))
  const connection = openLeaderConnection(
    opening(() => Promise.resolve(unready.database)).open,
    log,
  )
  await expect(connection.opened).rejects.toThrow('permission denied')
  expect(unready.isClosed()).toBe(true)
  await connection.close()
})

test('A lost connection is replaced after any number of outages', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  const [first, second] = [held(), held()]
  const { open } = opening(
    () => Promise.resolve(first.database),
    () => Promise.reject(outage),
    () => Promise.reject(outage),
    () => Promise.resolve(second.database),
  )
  const connection = openLeaderConnection(open, log)
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
  test('Work and readiness fail as outages while the lock is not held, and succeed once it is held', async () => {
    const one = held()
    let come: () => void = () => undefined
    const connection = openLeaderConnection(
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
