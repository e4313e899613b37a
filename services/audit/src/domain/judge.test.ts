import { describe, expect, test } from '@jest/globals'
import { judge, type ProvenanceEvidence } from './judge.ts'

const hour_ms = 3_600_000
const bounds = { hold_ms: hour_ms, unsigned_ms: 24 * hour_ms }
const now = new Date('2030-01-02T12:00:00.000Z')
const before = (hours: number) => new Date(now.getTime() - hours * hour_ms)

const signed: ProvenanceEvidence = {
  source: 'quoting',
  actedAt: now,
  receivedAt: now,
  keyId: 'k-1',
  key: { boundedContextId: 'quoting', revokedAt: null },
  signatureValid: true,
  firstKeyAt: before(1_000),
}

const verdict = (changes: Partial<ProvenanceEvidence>) => {
  const { type, ...rest } = judge({ ...signed, ...changes }, bounds, now)
  return [type, ...Object.values(rest)].join(' ')
}

describe('a signed entry', () => {
  test('An entry with a valid signature by a key of its source is recorded', () => {
    expect(verdict({})).toBe('RECORD SIGNED')
  })

  test('An entry with an invalid signature is quarantined', () => {
    expect(verdict({ signatureValid: false })).toBe('QUARANTINE SIGNATURE_INVALID')
  })

  test('An entry that another service signed is quarantined', () => {
    const key = { boundedContextId: 'config', revokedAt: null }
    expect(verdict({ key })).toBe('QUARANTINE KEY_OF_ANOTHER')
  })

  test('An entry whose key is unknown is held for a bounded time, then quarantined', () => {
    expect(verdict({ key: undefined, signatureValid: false })).toBe('HOLD')
    const late = { key: undefined, signatureValid: false, receivedAt: before(1) }
    expect(verdict(late)).toBe('QUARANTINE KEY_UNKNOWN')
  })
})

describe('a revoked key', () => {
  const key = { boundedContextId: 'quoting', revokedAt: before(0.5) }

  test('An entry from before the revocation is recorded if it comes soon after', () => {
    expect(verdict({ key, actedAt: before(0.6) })).toBe('RECORD SIGNED')
    const old = { boundedContextId: 'quoting', revokedAt: before(2) }
    expect(verdict({ key: old, actedAt: before(3) })).toBe('QUARANTINE KEY_REVOKED')
  })

  test('An entry from after the revocation is quarantined', () => {
    expect(verdict({ key, actedAt: before(0.4) })).toBe('QUARANTINE KEY_REVOKED')
  })
})

describe('an unsigned entry', () => {
  const unsigned = { keyId: undefined, key: undefined, signatureValid: false }

  test('An unsigned entry of a service that never had a key is recorded', () => {
    expect(verdict({ ...unsigned, firstKeyAt: undefined })).toBe('RECORD UNSIGNED')
  })

  test('An unsigned entry is recorded for a bounded time after the first key of its source', () => {
    expect(verdict({ ...unsigned, firstKeyAt: before(23) })).toBe('RECORD UNSIGNED')
    expect(verdict({ ...unsigned, firstKeyAt: before(24) })).toBe('QUARANTINE UNSIGNED')
  })
})
