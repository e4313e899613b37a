import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { OutcomeEvidence } from './domain/evidence.ts'
import { readEvidence, writeEvidence } from './evidence.ts'

const text = fc.string({ unit: 'binary', maxLength: 128 })
const extensionList = fc.record({
  extension: fc.array(
    fc.record({ key: fc.string({ unit: 'binary', maxLength: 32 }), value: text }),
    { minLength: 1, maxLength: 16 },
  ),
})
const ofMessage = {
  eventId: fc.uuid(),
  payloadHash: fc.string({ maxLength: 43 }),
  version: fc.constantFrom('1.0', '1.1'),
  completedTimestamp: fc.string({ maxLength: 29 }),
}
const errorInformation = fc.record(
  { errorCode: fc.string({ maxLength: 4 }), errorDescription: text, extensionList },
  { requiredKeys: ['errorCode', 'errorDescription'] },
)
const evidence: fc.Arbitrary<OutcomeEvidence> = fc.oneof(
  fc.record(
    {
      kind: fc.constant('FULFIL' as const),
      ...ofMessage,
      fulfilment: fc.string({ maxLength: 43 }),
      notifyPayee: fc.boolean(),
      extensionList,
    },
    {
      requiredKeys: [
        'kind',
        'eventId',
        'payloadHash',
        'version',
        'completedTimestamp',
        'fulfilment',
        'notifyPayee',
      ],
    },
  ),
  fc.record({
    kind: fc.constant('INVALID_FULFILMENT' as const),
    ...ofMessage,
    notifyPayee: fc.boolean(),
    errorInformation,
  }),
  fc.record(
    { kind: fc.constant('REJECT' as const), ...ofMessage, errorInformation, extensionList },
    {
      requiredKeys: [
        'kind',
        'eventId',
        'payloadHash',
        'version',
        'completedTimestamp',
        'errorInformation',
      ],
    },
  ),
  fc.record({
    kind: fc.constant('REFUSAL' as const),
    completedTimestamp: ofMessage.completedTimestamp,
    errorInformation,
  }),
)

test('Evidence is read from the ledger as it was written', () => {
  fc.assert(
    fc.property(evidence, (sent) => {
      const bytes = writeEvidence(sent)
      expect(bytes.length).toBeLessThanOrEqual(16_384)
      expect(readEvidence(bytes)).toEqual(sent)
    }),
  )
})

test('Evidence over its bound loses its extensions and nothing else', () => {
  const value = '\u0001'.repeat(128)
  const list = { extension: Array.from({ length: 32 }, () => ({ key: 'key', value })) }
  const sent: OutcomeEvidence = {
    kind: 'FULFIL',
    eventId: 'event',
    payloadHash: 'hash',
    version: '1.1',
    completedTimestamp: '2026-01-01T00:00:00.000Z',
    fulfilment: 'fulfilment',
    notifyPayee: true,
  }
  expect(readEvidence(writeEvidence({ ...sent, extensionList: list }))).toEqual(sent)
  const errorInformation = { errorCode: '5104', errorDescription: 'refused' }
  const refusal = { kind: 'REFUSAL', completedTimestamp: '', errorInformation } as const
  const long = { ...refusal, errorInformation: { ...errorInformation, extensionList: list } }
  expect(readEvidence(writeEvidence(long))).toEqual(refusal)
  const { eventId, payloadHash, version, completedTimestamp } = sent
  const ofMessage = { eventId, payloadHash, version, completedTimestamp }
  const reject = { kind: 'REJECT', ...ofMessage, errorInformation } as const
  expect(readEvidence(writeEvidence({ ...reject, extensionList: list }))).toEqual(reject)
})

test('Missing evidence is distinguished from evidence that this release cannot read', () => {
  expect(readEvidence(Buffer.alloc(0))).toBeUndefined()
  for (const bytes of ['no json', '{}', '{"kind":"FULFIL"}', '{"kind":"MOON"}']) {
    expect(readEvidence(Buffer.from(bytes))).toBe('unreadable')
  }
})
