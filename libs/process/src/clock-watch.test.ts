import { Writable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { openClockWatch } from './clock-watch.ts'
import { openLog } from './log.ts'
import { openMetrics } from './metrics.ts'

const counter = 'test_receipts_ahead_total'

function open() {
  const lines: { readonly id: string; readonly ahead_ms: number }[] = []
  const destination = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(JSON.parse(chunk.toString()) as (typeof lines)[number])
      done()
    },
  })
  const log = openLog({ name: 'test', level: 'error', destination })
  const metrics = openMetrics({ ofProcess: false })
  const watch = openClockWatch({ metrics, log, counter, clock: 'the database' })
  const counted = async () => {
    const [value] = (await metrics.getSingleMetric(counter)?.get())?.values ?? []
    return value?.value
  }
  return { watch, lines, counted }
}

test('A time that is at most a second ahead is neither counted nor logged', async () => {
  const { watch, lines, counted } = open()
  watch('a', 1_000, 5_000)
  watch('b', 6_000, 5_000)
  expect(await counted()).toBe(0)
  expect(lines).toEqual([])
})

test('Each time that is more than a second ahead is counted, and one a minute is logged', async () => {
  const { watch, lines, counted } = open()
  watch('a', 6_001, 5_000)
  watch('b', 90_000, 6_000)
  watch('c', 70_000, 65_000)
  expect(await counted()).toBe(3)
  expect(lines.map(({ id, ahead_ms }) => [id, ahead_ms])).toEqual([
    ['a', 1_001],
    ['c', 5_000],
  ])
})
