import { boundedPage, isId, isTime, readCursor, writeCursor } from '@causeway/records'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'

interface Place {
  readonly createdAt: string
  readonly id: string
}

const members = { createdAt: isTime, id: isId }

test('A cursor is read back as it was written', () => {
  const place = { createdAt: '2026-03-01T12:00:00.000Z', id: 'a' }
  expect(readCursor<Place>(writeCursor(place), members)).toEqual(place)
})

test('An invalid cursor gives the first page', () => {
  const others = [
    '',
    'x',
    writeCursor({ id: 'a' }),
    writeCursor({ createdAt: 'yesterday', id: 'a' }),
    writeCursor({ createdAt: '2026-99-01T12:00:00.000Z', id: 'a' }),
    writeCursor({ createdAt: '2026-03-01T12:00:00.000Z', id: 'a\0' }),
    Buffer.from('null').toString('base64url'),
  ]
  expect(others.map((cursor) => readCursor<Place>(cursor, members))).toEqual(others.map(() => null))
  fc.assert(
    fc.property(fc.string(), (cursor) => {
      expect(readCursor<Place>(cursor, members)).toBeNull()
    }),
  )
})

test('A page has at least one row and at most 1,000', () => {
  expect([undefined, 0, 1, 1_000, 5_000].map((limit) => boundedPage(limit))).toEqual([
    100, 1, 1, 1_000, 1_000,
  ])
})
