/** The guarantees for messages of a newer release, as tests that every engine passes. */
import { eventually } from '@causeway/process/testing'
import { expect, test } from '@jest/globals'
import { FromNewerRelease } from '../from-newer-release.ts'
import { alarmsOf, message, numberOf, recorder, type BusUnderTest } from './bus-under-test.ts'

const known = new Set(['Counted', 'Other'])
const newer = (n: number) => ({ ...message('orders', 'a', n), type: 'Newer' })

export function testsOfNewerReleases(
  under: () => BusUnderTest,
  restart: () => Promise<void>,
): void {
  const whyNotReady = () =>
    under()
      .answers()
      .then(
        () => '',
        (error: unknown) => (error as Error).message,
      )
  const waits = async () => (await whyNotReady()).includes('recorder does not')

  test.each([
    ['after', 'from memory or Kafka', true],
    ['before', 'from the log', false],
  ])(
    'A message of an unknown type, published %s the group subscribed (%s), stops its topic until a release that knows it starts',
    async (_when, _from, isThere) => {
      const old = recorder('orders', { known })
      if (isThere) await under().bus.subscribe(old.subscription)
      const other = { ...message('orders', 'a', 1), type: 'Other' }
      await under().bus.publish([message('orders', 'a', 0), other, newer(2)])
      await under().bus.publish([message('orders', 'a', 3)])
      if (!isThere) await under().bus.subscribe(old.subscription)
      await eventually(() => old.seen.length === 1, 'the message before it')
      await eventually(waits, 'readiness fails')
      expect(await alarmsOf(under(), 'NEWER_RELEASE')).toBeGreaterThan(0)
      expect(old.seen.map(numberOf)).toEqual([0])
      await restart()
      const next = recorder('orders', { types: new Set(['Counted', 'Newer']) })
      await under().bus.subscribe(next.subscription)
      await eventually(() => next.seen.some((one) => numberOf(one) === 3), 'the message after it')
      expect(next.seen.map(numberOf).filter((n) => n > 0)).toEqual([2, 3])
      expect(await under().bus.deadLetters(10)).toEqual([])
      await eventually(async () => (await whyNotReady()) === '', 'readiness')
    },
  )

  test('Known types that the group does not take are skipped and hold up nothing', async () => {
    const { subscription, seen } = recorder('orders', { known })
    await under().bus.subscribe(subscription)
    const other = { ...message('orders', 'a', 0), type: 'Other' }
    await under().bus.publish([other, message('orders', 'a', 1)])
    await eventually(() => seen.length === 1, 'the other one')
    await eventually(async () => (await whyNotReady()) === '', 'readiness')
  })

  test('A message that its handler does not understand waits for a newer release and is no dead letter', async () => {
    const old = recorder('orders', {
      handleBatch: (messages) => {
        if (messages.some((one) => numberOf(one) === 1)) throw new FromNewerRelease('reason MOON')
        old.seen.push(...messages)
        return Promise.resolve()
      },
    })
    await under().bus.subscribe(old.subscription)
    await under().bus.publish([0, 1, 2].map((n) => message('orders', 'a', n)))
    await eventually(waits, 'readiness fails')
    expect(old.seen.map(numberOf)).toEqual([0])
    await restart()
    const next = recorder('orders')
    await under().bus.subscribe(next.subscription)
    await eventually(() => next.seen.some((one) => numberOf(one) === 2), 'the last one')
    expect(next.seen.map(numberOf).filter((n) => n > 0)).toEqual([1, 2])
    expect(await under().bus.deadLetters(10)).toEqual([])
  })

  test('A message of an unknown type is reported to a broadcast subscriber as missed', async () => {
    const { bus } = under()
    const received: number[] = []
    let missed = 0
    await bus.subscribeBroadcast({
      group: 'listener',
      topics: ['orders'],
      types: new Set(['Counted']),
      known,
      read: (_type, json) => json,
      onMessages: (messages) => void received.push(...messages.map(numberOf)),
      onMissed: () => missed++,
    })
    const other = { ...message('orders', 'a', 0), type: 'Other' }
    await bus.publish([other, newer(1), message('orders', 'a', 2)])
    await eventually(() => received.length === 1, 'what it knows')
    expect([received, missed]).toEqual([[2], 1])
  })
}
