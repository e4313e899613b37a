/** Cursors that are almost valid: read as a place that the database can compare with, or the first page. */
import { isId, isTime, readCursor, writeCursor } from '@causeway/records'
import { changedJson, changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'

interface Place {
  readonly createdAt: string
  readonly id: string
}

const members = { createdAt: isTime, id: isId }
const place: Place = { createdAt: '2026-03-01T12:00:00.000Z', id: 'a' }

test('A changed cursor is a place with a time and an id that can be stored, or the first page', () => {
  const times = [place.createdAt, '2027-02-28T23:59:59.999Z', '0000-12-31T00:00:00.000Z']
  const cursors = fc.oneof(
    changedText([writeCursor(place)]),
    changedJson(place).map((json) => writeCursor(json as object)),
    changedText(times).map((createdAt) => writeCursor({ ...place, createdAt })),
  )
  fc.assert(
    fc.property(cursors, (cursor) => {
      const read = readCursor<Place>(cursor, members)
      if (read === null) return
      expect(read.createdAt).toMatch(/^(?!0000)\d{4}-/)
      expect(new Date(read.createdAt).toISOString()).toBe(read.createdAt)
      expect(read.id).toMatch(/^[^\0]{1,64}$/)
    }),
    { numRuns: 1_000 },
  )
})

test.each(['2027-02-30T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '2027-02-28T24:00:00.000Z'])(
  'The time %s, which does not exist, begins no page',
  (createdAt) => {
    expect(readCursor<Place>(writeCursor({ ...place, createdAt }), members)).toBeNull()
  },
)
