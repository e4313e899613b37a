/** Evidence of the ledger that is almost whole: read in its shape, or unreadable; nothing throws. */
import { changedBytes, changedJson } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { OutcomeEvidence } from './domain/evidence.ts'
import { readEvidence, writeEvidence } from './evidence.ts'

const ofMessage = {
  eventId: 'e4b1',
  payloadHash: 'h'.repeat(43),
  version: '1.1',
  completedTimestamp: '2026-03-01T12:00:00.000Z',
}
const extensionList = { extension: [{ key: 'a', value: 'b' }] }
const errorInformation = { errorCode: '5104', errorDescription: 'refused', extensionList }
const examples: readonly OutcomeEvidence[] = [
  { kind: 'FULFIL', ...ofMessage, fulfilment: 'f'.repeat(43), notifyPayee: true, extensionList },
  { kind: 'INVALID_FULFILMENT', ...ofMessage, notifyPayee: false, errorInformation },
  { kind: 'REJECT', ...ofMessage, errorInformation, extensionList },
  { kind: 'REFUSAL', completedTimestamp: ofMessage.completedTimestamp, errorInformation },
]
const kinds = examples.map(({ kind }) => kind)

test('Changed evidence is read in its shape, or is unreadable', () => {
  const bytes = fc.oneof(
    changedBytes(examples.map(writeEvidence)),
    ...examples.map((one) => changedJson(one).map((json) => Buffer.from(JSON.stringify(json)))),
  )
  fc.assert(
    fc.property(bytes, (changed) => {
      const read = readEvidence(changed)
      if (read === undefined) {
        expect(changed).toHaveLength(0)
        return
      }
      if (read === 'unreadable') return
      expect(kinds).toContain(read.kind)
      expect(typeof read.completedTimestamp).toBe('string')
      if (read.kind === 'FULFIL') expect(typeof read.fulfilment).toBe('string')
      else expect(typeof read.errorInformation.errorCode).toBe('string')
      // Nothing but the members of its kind is read, so it is the same when it is read again.
      expect(readEvidence(Buffer.from(JSON.stringify(read)))).toEqual(read)
    }),
    { numRuns: 1_000 },
  )
})
