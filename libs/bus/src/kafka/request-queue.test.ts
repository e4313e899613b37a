/** What is patched in kafkajs: an idle connection sets no timer. */
import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'

interface RequestQueue {
  readonly pending: unknown[]
  checkPendingRequests(): void
  maybeThrottle(ms: number): void
  destroy(): void
}

type Options = Readonly<Record<string, unknown>>

const require = createRequire(import.meta.url)
const Queue = require('kafkajs/src/network/requestQueue/index.js') as new (
  options: Options,
) => RequestQueue

const silent: Options = { debug: () => undefined, namespace: () => silent }

let queue: RequestQueue

beforeEach(() => {
  jest.useFakeTimers()
  queue = new Queue({
    maxInFlightRequests: 1,
    requestTimeout: 30_000,
    enforceRequestTimeout: false,
    clientId: 'test',
    broker: 'nowhere',
    logger: silent,
    isConnected: () => true,
  })
})

afterEach(() => {
  queue.destroy()
  jest.useRealTimers()
})

test('A connection without requests sets no timer', () => {
  queue.checkPendingRequests()
  expect(jest.getTimerCount()).toBe(0)
})

test('A connection that the broker has throttled sends again when the throttling is over', () => {
  queue.maybeThrottle(500)
  queue.checkPendingRequests()
  expect(jest.getTimerCount()).toBe(1)
  jest.advanceTimersByTime(501)
  expect(jest.getTimerCount()).toBe(0)
})
