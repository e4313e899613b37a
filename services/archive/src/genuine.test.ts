import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { lastArchiveOf, requireGenuine, signedEntry } from './genuine.ts'
import type { ArchivedTable } from './manifest.ts'

const key = randomBytes(32)
const month = '2026-08'
const unsigned = {
  schema: 'transfers',
  table: 'messages',
  columns: ['month', 'transfer_id', 'body'],
  rows: 7,
  file: 'transfers.messages.copy.gz.enc',
  bytes: 120,
  sha256: 'a'.repeat(64),
  encryption: { salt: 'b'.repeat(32), hmac: 'c'.repeat(64) },
  archived_at: '2026-12-01T02:17:00.000Z',
} satisfies ArchivedTable
const entry = signedEntry(month, unsigned, key)

const anyChange = fc.oneof(
  fc.record({ schema: fc.constantFrom('quoting', 'transfer') }),
  fc.record({ table: fc.constantFrom('deliveries', 'messages_') }),
  fc.record({ columns: fc.array(fc.string(), { minLength: 1 }) }),
  fc.record({ rows: fc.nat() }),
  fc.record({ file: fc.string({ minLength: 1 }) }),
  fc.record({ bytes: fc.nat() }),
  fc.record({ sha256: fc.constantFrom('d'.repeat(64), 'e'.repeat(64)) }),
  fc.record({
    encryption: fc.constantFrom(
      { ...unsigned.encryption, salt: 'd'.repeat(32) },
      { ...unsigned.encryption, hmac: 'd'.repeat(64) },
    ),
  }),
  fc.record({ archived_at: fc.constant('2027-01-01T00:00:00.000Z') }),
  fc.record({ hmac: fc.constantFrom(undefined, 'f'.repeat(64)) }),
) as fc.Arbitrary<Partial<ArchivedTable>>

test('An encrypted entry is genuine as it was written, and after no change of any member', () => {
  const evidence = { key, plain: false, last: undefined }
  expect(() => requireGenuine(month, entry, evidence)).not.toThrow()
  expect(() => requireGenuine('2026-09', entry, evidence)).toThrow('was changed')
  expect(() => requireGenuine(month, entry, { ...evidence, key: randomBytes(32) })).toThrow(
    'was changed',
  )
  fc.assert(
    fc.property(anyChange, (change) => {
      const changed = { ...entry, ...change }
      fc.pre(JSON.stringify(changed) !== JSON.stringify(entry))
      expect(() => requireGenuine(month, changed, evidence)).toThrow('was changed')
    }),
  )
})

test('A plain entry needs --plain, and is no other than the recorded one', () => {
  const { encryption: _none, ...plain } = unsigned
  const last = lastArchiveOf(month, plain)
  expect(() => requireGenuine(month, plain, { key, plain: false, last })).toThrow('not encrypted')
  const evidence = { key: undefined, plain: true }
  expect(() => requireGenuine(month, plain, { ...evidence, last })).not.toThrow()
  expect(() => requireGenuine(month, plain, { ...evidence, last: undefined })).not.toThrow()
  const later = { ...plain, archived_at: '2027-01-01T00:00:00.000Z' }
  expect(() => requireGenuine(month, later, { ...evidence, last })).toThrow('not the last archive')
})

test('An encrypted entry that is older than the recorded one is refused, one that is newer is not', () => {
  const archivedAt = (time: string) =>
    lastArchiveOf(month, signedEntry(month, { ...unsigned, archived_at: time }, key))
  const evidence = { key, plain: false }
  const newer = archivedAt('2026-12-01T02:17:00.001Z')
  expect(() => requireGenuine(month, entry, { ...evidence, last: newer })).toThrow(
    'transfers.messages and 2026-08, which was made at 2026-12-01T02:17:00.001Z',
  )
  const older = archivedAt('2026-12-01T02:16:59.999Z')
  expect(() => requireGenuine(month, entry, { ...evidence, last: older })).not.toThrow()
})
