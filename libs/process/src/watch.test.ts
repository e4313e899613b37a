import { expect, test } from '@jest/globals'
import { watch } from './watch.ts'

test('A stall is reported once, with its duration', async () => {
  const reported: number[] = []
  let looks = 0
  await new Promise<void>((enough) => {
    const watching = watch(
      () => {
        if (++looks < 4) return 50 + looks
        watching.stop()
        enough()
        return 60
      },
      { stalled_ms: 20, check_ms: 1, onStalled: (stalled_ms) => reported.push(stalled_ms) },
    )
  })
  expect(reported).toEqual([51])
})

test('Progress, or having no work, ends a stall, and the next one is reported again', async () => {
  const reported: number[] = []
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
      { stalled_ms: 20, check_ms: 1, onStalled: (stalled_ms) => reported.push(stalled_ms) },
    )
  })
  expect(reported).toEqual([30, 31, 32])
})
