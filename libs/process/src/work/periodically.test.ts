import { afterEach, expect, jest, test } from '@jest/globals'
import { openLog } from '../log.ts'
import { periodically } from './periodically.ts'

function listening() {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  return { lines, log: openLog({ name: 'test', level: 'info', destination: { write } }) }
}

afterEach(() => {
  jest.useRealTimers()
})

test('Routines with the same interval run at the same moments, whenever they were started', async () => {
  jest.useFakeTimers()
  const { log } = listening()
  const moments: number[] = []
  const work = () => Promise.resolve(void moments.push(performance.now()))
  const sweeps = [periodically(1_000, work, { log, name: 'first' })]
  await jest.advanceTimersByTimeAsync(400)
  sweeps.push(periodically(1_000, work, { log, name: 'second' }))
  await jest.advanceTimersByTimeAsync(2_000)
  for (const sweep of sweeps) await sweep.stop()
  const [first = 0, second, third = 0, fourth] = moments
  expect([moments.length, second, fourth]).toEqual([4, first, third])
  expect(third - first).toBe(1_000)
})

test('The work is done periodically, never two at a time', async () => {
  const { log } = listening()
  let running = 0
  let most = 0
  let times = 0
  await new Promise<void>((enough) => {
    const sweep = periodically(
      1,
      async () => {
        running++
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running--
        if (++times === 3) void sweep.stop().then(enough)
      },
      { log, name: 'sweep' },
    )
  })
  expect([times, most]).toEqual([3, 1])
})

test('A failure is logged and does not end the periodic work', async () => {
  const { log, lines } = listening()
  let times = 0
  await new Promise<void>((enough) => {
    const sweep = periodically(
      1,
      () => {
        if (++times === 1) throw new Error('no database')
        void sweep.stop().then(enough)
        return Promise.resolve()
      },
      { log, name: 'sweep' },
    )
  })
  expect(times).toBe(2)
  expect(lines.join('')).toMatch(/no database.*"sweep failed"/)
})

test('A stop waits for the work in progress and starts no more', async () => {
  const { log } = listening()
  let finish = (): void => undefined
  let times = 0
  const begun = new Promise<{ stop(): Promise<void> }>((begin) => {
    const sweep = periodically(
      1,
      () => {
        times++
        begin(sweep)
        return new Promise((resolve) => (finish = resolve))
      },
      { log, name: 'sweep' },
    )
  })
  let stopped = false
  const stop = (await begun).stop().then(() => (stopped = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(stopped).toBe(false)
  finish()
  await stop
  expect(times).toBe(1)
})

test('Another interval applies from the next time on', async () => {
  jest.useFakeTimers()
  const { log } = listening()
  let interval_ms = 1_000
  let times = 0
  const work = () => Promise.resolve(void times++)
  const sweep = periodically(() => interval_ms, work, { log, name: 'sweep' })
  await jest.advanceTimersByTimeAsync(1_010)
  const atFirst = times
  interval_ms = 100
  await jest.advanceTimersByTimeAsync(2_000)
  await sweep.stop()
  expect(atFirst).toBe(1)
  expect(times).toBeGreaterThan(8)
})
