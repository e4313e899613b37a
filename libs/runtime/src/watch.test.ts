import { expect, test } from '@jest/globals'
import { watch } from './watch.ts'

test('a standstill is told once, with how long it lasts', async () => {
  const told: number[] = []
  let looks = 0
  await new Promise<void>((enough) => {
    const watching = watch(
      () => {
        if (++looks < 4) return 50 + looks
        watching.stop()
        enough()
        return 60
      },
      { stalled_ms: 20, check_ms: 1, onStalled: (stalled_ms) => told.push(stalled_ms) },
    )
  })
  expect(told).toEqual([51])
})

test('progress, or having no work, ends a standstill, and the next one is told again', async () => {
  const told: number[] = []
  const seen = [30, 5, 31, undefined, 19, 32]
  await new Promise<void>((enough) => {
    const watching = watch(
      () => {
        const next = seen.shift()
        if (seen.length === 0) {
          watching.stop()
          enough()
        }
        return next
      },
      { stalled_ms: 20, check_ms: 1, onStalled: (stalled_ms) => told.push(stalled_ms) },
    )
  })
  expect(told).toEqual([30, 31, 32])
})
