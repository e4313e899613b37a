import { describe, expect, test } from '@jest/globals'
import type { Verification } from './domain/consent.ts'
import { decideQuery } from './domain/query.ts'
import { decideVerificationQuery } from './domain/verify.ts'
import { dfsp, pisp, stranger } from './testing/messages.ts'
import {
  before,
  by,
  decided,
  goodSignature,
  id,
  order,
  seen,
  states,
  summaryOf,
  verify,
  type CheckedCommand,
  type State,
} from './testing/states.ts'

const other = { requestHash: 'other content' }

const verification: Verification = {
  verificationRequestId: 'v1',
  consentId: id,
  dfspId: dfsp,
  requestEventId: 'first',
  requestHash: 'content',
  result: { type: 'VERIFIED', signedHash: 'hash' },
  decidedAt: before,
}

describe('a verification that is decided', () => {
  const failed: Verification = {
    ...verification,
    result: { type: 'FAILED', reason: 'SIGNATURE_INVALID', detail: '' },
  }

  test.each<[string, Verification, CheckedCommand, State, string]>([
    ['is answered again', verification, verify(dfsp), 'ISSUED', 'VERIFIED bankx'],
    [
      'verifies nothing of a revoked consent',
      verification,
      verify(dfsp),
      'REVOKED',
      'CONSENT_REVOKED bankx',
    ],
    ['stays failed', failed, verify(dfsp, {}, goodSignature), 'ISSUED', 'SIGNATURE_INVALID bankx'],
    [
      'has one content',
      verification,
      verify(dfsp, other, goodSignature),
      'ISSUED',
      'ID_USED bankx',
    ],
    ['is of one DFSP', verification, verify(stranger), 'ISSUED', 'ID_USED stranger'],
  ])('%s', (_name, stored, sent, state, expected) => {
    expect(summaryOf(decided(state, sent, { verifications: [stored] }))).toBe(expected)
  })

  test.each<[string, Verification | undefined, State, string]>([
    [dfsp, verification, 'ISSUED', 'VERIFIED bankx'],
    [dfsp, verification, 'REVOKED', 'CONSENT_REVOKED bankx'],
    [dfsp, failed, 'ISSUED', 'SIGNATURE_INVALID bankx'],
    [pisp, verification, 'ISSUED', 'NOT_PARTY pispx'],
    [dfsp, undefined, 'ISSUED', 'VERIFICATION_UNKNOWN bankx'],
  ])('A verification that is decided gets %s', (fspId, stored, state, expected) => {
    const query = { eventId: 'next', verificationRequestId: 'v1', requester: by(fspId).requester }
    const known = { consent: states[state], verification: stored }
    expect(summaryOf(decideVerificationQuery(known, query))).toBe(expected)
  })
})

test.each<[string, readonly string[]]>([
  [
    dfsp,
    [
      'CONSENT_UNKNOWN bankx',
      'CONSENT_UNKNOWN bankx',
      'CONSENT_PENDING bankx',
      'REGISTERED bankx',
      'CONSENT_REVOKED bankx',
    ],
  ],
  [
    stranger,
    [
      'CONSENT_UNKNOWN stranger',
      'CONSENT_UNKNOWN stranger',
      'NOT_PARTY stranger',
      'NOT_PARTY stranger',
      'NOT_PARTY stranger',
    ],
  ],
])('GET by %s: only its parties see an issued consent', (fspId, expected) => {
  expect(order.map((state) => summaryOf(decideQuery(states[state], seen, by(fspId))))).toEqual(
    expected,
  )
})
