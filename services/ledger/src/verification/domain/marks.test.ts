import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addMarks, buckets_count, differentBuckets, type Mark, type Marks } from './marks.ts'

/** The checksum of one line. */
const line = fc.record({
  bucket: fc.nat(buckets_count - 1),
  lines: fc.constant(1n),
  hash: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((hash) => hash !== 0n),
})

function marksOf(lines: readonly Mark[]): Marks {
  const marks: Marks = new Map()
  for (const one of lines) addMarks(marks, [one])
  return marks
}

describe('marks', () => {
  test('The same lines have the same checksums in any order and any slices', () => {
    const shuffled = fc
      .array(line)
      .chain((lines) =>
        fc.tuple(
          fc.constant(lines),
          fc.shuffledSubarray(lines, { minLength: lines.length }),
          fc.nat(lines.length),
        ),
      )
    fc.assert(
      fc.property(shuffled, ([lines, others, middle]) => {
        const sliced: Marks = new Map()
        addMarks(sliced, [...marksOf(others.slice(0, middle)).values()])
        addMarks(sliced, [...marksOf(others.slice(middle)).values()])
        expect(differentBuckets(marksOf(lines), sliced)).toEqual([])
      }),
    )
  })

  test('A missing, duplicate or changed line changes the checksum of its bucket', () => {
    fc.assert(
      fc.property(fc.array(line), line, (lines, one) => {
        const whole = marksOf([...lines, one])
        const bucket = [one.bucket]
        expect(differentBuckets(whole, marksOf(lines))).toEqual(bucket)
        expect(differentBuckets(marksOf(lines), whole)).toEqual(bucket)
        expect(differentBuckets(whole, marksOf([...lines, one, one]))).toEqual(bucket)
        const other = { ...one, hash: one.hash ^ 1n }
        expect(differentBuckets(whole, marksOf([...lines, other]))).toEqual(bucket)
      }),
    )
  })
})
