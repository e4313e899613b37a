/** Cursors of FSPs and operators that are almost valid: read as a key that can be compared with, or refused. */
import { changedJson, changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readCursor, writeCursor } from './cursor.ts'

const key = { windowId: 7, day: '2026-03-01', transferId: 'a8323bc6', kind: 'TRANSFER' }
const encoded = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url')

test('A changed cursor is a key of a day that exists, or is refused', () => {
  const { windowId, day, transferId, kind } = key
  const cursors = fc.oneof(
    changedText([writeCursor(key)]),
    changedJson([windowId, day, transferId, kind]).map(encoded),
    changedText([day, '2027-02-28']).map((changed) => writeCursor({ ...key, day: changed })),
  )
  fc.assert(
    fc.property(cursors, (cursor) => {
      const read = readCursor(cursor)
      if (read === undefined || read === null) return
      expect(Number.isSafeInteger(read.windowId)).toBe(true)
      expect(new Date(`${read.day}T00:00:00Z`).toISOString()).toContain(read.day)
      expect(read.day).toMatch(/^(?!0000)\d{4}-\d\d-\d\d$/)
      expect(`${read.transferId}${read.kind}`).not.toContain('\0')
      expect(readCursor(writeCursor(read))).toEqual(read)
    }),
    { numRuns: 1_000 },
  )
})
