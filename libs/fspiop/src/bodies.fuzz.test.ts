/** Bodies that are almost valid are read as JSON.parse reads them, or refused with a code; nothing throws. */
import { changedBytes, changedJson, changedText } from '@causeway/fuzzing'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readBody, type BodyReading } from './bodies/body.ts'
import { payloadHash } from './bodies/hash.ts'
import { repeatedMember } from './members.ts'
import { bulkMessages } from './testing/bulk-messages.ts'
import { messages } from './testing/messages.ts'
import { thirdPartyMessages } from './testing/thirdparty-messages.ts'

const all = [...messages, ...bulkMessages, ...thirdPartyMessages]
const codes = ['3100', '3101', '3102', '3103', '3104']

function judge(reading: BodyReading<unknown>, bytes: Buffer): void {
  if (!reading.ok) {
    expect(codes).toContain(reading.code)
    expect(reading.detail.length).toBeLessThan(1_000)
    return
  }
  expect(reading.json).toEqual(JSON.parse(bytes.toString()))
  expect(payloadHash(reading.json)).toHaveLength(43)
}

describe.each(all.map(({ name, schema, body }) => ({ name, schema, body })))(
  'Bodies of $name',
  ({ schema, body }) => {
    const encrypted = [['payer', 'personalInfo'], ['note'], ['individualQuotes', '0', 'payee']]

    test('A body with changed members is read or refused', () => {
      fc.assert(
        fc.property(changedJson(body), fc.constantFrom('specification', 'mojaloop'), (json, by) => {
          const bytes = Buffer.from(JSON.stringify(json))
          judge(readBody(schema, bytes, { codes: by }), bytes)
          judge(readBody(schema, bytes, { codes: by, encrypted }), bytes)
        }),
        { numRuns: 60 },
      )
    })

    test('A body with changed bytes is read or refused', () => {
      const example = Buffer.from(JSON.stringify(body))
      fc.assert(
        fc.property(changedBytes([example]), (bytes) => {
          judge(readBody(schema, bytes), bytes)
        }),
        { numRuns: 60 },
      )
    })
  },
)

test('A member that is there twice is found wherever JSON.parse loses one', () => {
  const texts = all.map(({ body }) => JSON.stringify(body))
  fc.assert(
    fc.property(changedText(texts), (text) => {
      let json: unknown
      try {
        json = JSON.parse(text)
      } catch {
        return
      }
      if (repeatedMember(text) !== undefined) return
      // Without a repeated member nothing is lost: as many members are written as were read.
      const colons = (written: string) =>
        written.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""').split(':').length
      expect(colons(JSON.stringify(json))).toBe(colons(text))
    }),
    { numRuns: 500 },
  )
})
