/** Cursors of operators that are almost valid: read as a place that the database can compare with, or the first page. */
import { changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readCursor, writeCursor } from './page-cursor.ts'

const place = {
  at: new Date('2026-03-01T12:00:00.000Z'),
  id: 'a8323bc6-c228-4df2-ae82-e5a997baf899',
}
const extremes = [
  '0000-01-01T00:00:00.000Z a',
  '9999-12-31T23:59:59.000-12:00 a',
  '-271821-04-20 a',
]

test('A cursor is read as it is written', () => {
  expect(readCursor(writeCursor(place))).toEqual(place)
})

test('A changed cursor is a place with a time and an id that can be stored, or the first page', () => {
  fc.assert(
    fc.property(changedText([writeCursor(place), ...extremes]), (cursor) => {
      const read = readCursor(cursor)
      if (read === null) return
      expect(read.at.toISOString()).toMatch(/^(?!0000)\d{4}-/)
      expect(read.id).not.toContain('\0')
    }),
    { numRuns: 1_000 },
  )
})

test.each(extremes)(
  'The time in %s, which the database does not take, begins no page',
  (cursor) => {
    expect(readCursor(cursor)).toBeNull()
  },
)
