import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { watermark } from './watermark.ts'

describe('The watermark:', () => {
  test('The watermark is the lowest unfinished number, whatever has finished above it', () => {
    const mark = watermark()
    for (const n of [3, 5, 9]) mark.begin(n, n * 10)
    mark.finish(5)
    expect([mark.lowest(), mark.lowest_ms(), mark.length]).toEqual([3, 30, 3])
    mark.finish(3)
    expect([mark.lowest(), mark.lowest_ms(), mark.length]).toEqual([9, 90, 1])
    mark.finish(9)
    expect([mark.lowest(), mark.lowest_ms(), mark.length]).toEqual([undefined, undefined, 0])
  })

  test('Numbers that were not begun are ignored', () => {
    const mark = watermark()
    mark.finish(1)
    mark.begin(4, 0)
    mark.begin(6, 0)
    for (const n of [1, 5, 7]) mark.finish(n)
    expect([mark.lowest(), mark.length]).toEqual([4, 2])
    mark.finish(4)
    mark.finish(4)
    expect([mark.lowest(), mark.length]).toEqual([6, 1])
  })

  test('The watermark agrees with a plain list for any order of finishing, also when its ring grows', () => {
    const step = fc.record({ gap: fc.integer({ min: 1, max: 3 }), finish: fc.nat() })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 0, max: 3000 }),
        (steps, before) => {
          const mark = watermark()
          const open: number[] = []
          let n = 0
          const begin = (gap: number) => {
            n += gap
            mark.begin(n, n)
            open.push(n)
          }
          for (let at = 0; at < before; at++) begin(1)
          for (const { gap, finish } of steps) {
            begin(gap)
            const [done] = open.splice(finish % open.length, 1)
            if (done !== undefined) mark.finish(done)
            expect(mark.lowest()).toBe(open[0])
          }
          for (const left of open.reverse()) mark.finish(left)
          expect([mark.lowest(), mark.length]).toEqual([undefined, 0])
        },
      ),
      { numRuns: 100 },
    )
  })
})
