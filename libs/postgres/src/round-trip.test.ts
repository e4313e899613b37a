import { isOutage } from '@causeway/process'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { ClientBase } from 'pg'
import { roundTrip } from './round-trip.ts'

/** A connection whose server responds when the test lets it. */
function openSilent() {
  const sent: { handleReadyForQuery(): void }[] = []
  const client = {
    query: (trip: { handleReadyForQuery(): void }) => sent.push(trip),
    connection: { stream: { destroy: () => undefined } },
  }
  return {
    client: client as unknown as ClientBase,
    sent,
    answer: () => sent.at(-1)?.handleReadyForQuery(),
  }
}

describe('A server that does not respond:', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  test('A server that has not responded for 75 s is an outage', async () => {
    const { client } = openSilent()
    const failed = jest.fn()
    void roundTrip(client, []).catch(failed)
    await jest.advanceTimersByTimeAsync(74_999)
    expect(failed).not.toHaveBeenCalled()
    await jest.advanceTimersByTimeAsync(1)
    const [error] = failed.mock.calls[0] ?? []
    expect(error).toMatchObject({ message: 'PostgreSQL has not answered for 75000 ms' })
    expect(isOutage(error)).toBe(true)
  })

  test('The server has 75 s for each round trip, whatever the earlier ones took', async () => {
    const { client, answer } = openSilent()
    const failed = jest.fn()
    const first = roundTrip(client, [])
    await jest.advanceTimersByTimeAsync(60_000)
    answer()
    await first
    void roundTrip(client, []).catch(failed)
    await jest.advanceTimersByTimeAsync(74_999)
    expect(failed).not.toHaveBeenCalled()
    await jest.advanceTimersByTimeAsync(1)
    expect(failed).toHaveBeenCalledTimes(1)
  })

  test('A round trip without a response fails alone: the next one is then sent', async () => {
    const { client, sent } = openSilent()
    const failed = jest.fn()
    void roundTrip(client, []).catch(failed)
    void roundTrip(client, []).catch(failed)
    await jest.advanceTimersByTimeAsync(75_000)
    expect([failed.mock.calls.length, sent.length]).toEqual([1, 2])
    await jest.advanceTimersByTimeAsync(75_000)
    expect(failed).toHaveBeenCalledTimes(2)
  })

  test('An idle connection has no time limit', async () => {
    const { client, answer } = openSilent()
    const asked = roundTrip(client, [])
    answer()
    await expect(asked).resolves.toEqual([])
    await jest.advanceTimersByTimeAsync(75_000)
    expect(jest.getTimerCount()).toBe(0)
  })
})
