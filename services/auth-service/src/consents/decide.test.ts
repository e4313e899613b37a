import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decide } from './decide.ts'
import type { Consent } from './domain/consent.ts'
import { noChange } from './domain/decision.ts'
import { dfsp, pisp, stranger } from './testing/messages.ts'
import {
  answerText,
  bad,
  before,
  by,
  ceremony,
  decided,
  goodCredential,
  goodSignature,
  judging,
  knownAs,
  message,
  now,
  observe,
  order,
  own,
  register,
  revoke,
  states,
  summaryOf,
  verify,
  type CheckedCommand,
  type State,
} from './testing/states.ts'

const other = { requestHash: 'other content' }
const both = 'REVOKED bankx+pispx'
const noState = ['-', '-', '-', '-', '-']

/** The result of each message in each state: none, REFUSED, PENDING, ISSUED, REVOKED. */
const table: readonly (readonly [string, CheckedCommand, readonly string[]])[] = [
  [
    'a registration with a valid credential',
    register(dfsp, {}, goodCredential),
    ['PENDING: CLAIM', 'PENDING: CLAIM', '-', 'REGISTERED bankx', 'CONSENT_REVOKED bankx'],
  ],
  [
    'a registration with other content',
    register(dfsp, other, goodCredential),
    ['PENDING: CLAIM', 'PENDING: CLAIM', 'ID_USED bankx', 'ID_USED bankx', 'ID_USED bankx'],
  ],
  [
    'a registration with an invalid credential',
    register(dfsp, other, bad),
    [
      'REFUSED: CREDENTIAL_INVALID bankx',
      'REFUSED: CREDENTIAL_INVALID bankx',
      'ID_USED bankx',
      'ID_USED bankx',
      'ID_USED bankx',
    ],
  ],
  [
    'a registration with an unchecked credential',
    register(dfsp, other),
    ['to be examined', 'to be examined', 'ID_USED bankx', 'ID_USED bankx', 'ID_USED bankx'],
  ],
  [
    'a registration with a wrong status',
    register(dfsp, { ...other, fault: 'STATUS_WRONG' }, goodCredential),
    [
      'REFUSED: STATUS_WRONG bankx',
      'REFUSED: STATUS_WRONG bankx',
      'ID_USED bankx',
      'ID_USED bankx',
      'ID_USED bankx',
    ],
  ],
  [
    'a registration by another DFSP',
    register(stranger, {}, goodCredential),
    [
      'NOT_PARTY stranger',
      'NOT_PARTY stranger',
      'ID_USED stranger',
      'ID_USED stranger',
      'ID_USED stranger',
    ],
  ],
  [
    'the ownership that account-lookup confirms',
    own('CONFIRMED'),
    ['-', '-', 'ISSUED: REGISTERED bankx', '-', '-'],
  ],
  [
    'the ownership that account-lookup refuses',
    own('REFUSED'),
    ['-', '-', 'REFUSED: OWNERSHIP_REFUSED bankx', '-', '-'],
  ],
  [
    'an ownership that account-lookup does not confirm',
    own('UNCONFIRMED'),
    ['-', '-', 'REFUSED: OWNERSHIP_UNCONFIRMED bankx', '-', '-'],
  ],
  [
    'DELETE by the DFSP',
    revoke(dfsp),
    [
      'CONSENT_UNKNOWN bankx',
      'CONSENT_UNKNOWN bankx',
      `REVOKED: CONSENT_REVOKED bankx, ${both}`,
      `REVOKED: ${both}`,
      both,
    ],
  ],
  [
    'DELETE by the PISP',
    revoke(pisp),
    [
      'CONSENT_UNKNOWN pispx',
      'CONSENT_UNKNOWN pispx',
      `REVOKED: CONSENT_REVOKED bankx, ${both}`,
      `REVOKED: ${both}`,
      both,
    ],
  ],
  [
    'DELETE by another FSP',
    revoke(stranger),
    [
      'CONSENT_UNKNOWN stranger',
      'CONSENT_UNKNOWN stranger',
      'NOT_PARTY stranger',
      'NOT_PARTY stranger',
      'NOT_PARTY stranger',
    ],
  ],
  [
    'PATCH with REVOKED by the DFSP',
    revoke(dfsp, before),
    ['-', '-', 'REVOKED: CONSENT_REVOKED bankx', 'REVOKED:', '-'],
  ],
  ['PATCH with REVOKED by the PISP', revoke(pisp, before), noState],
  ['PATCH with REVOKED by another FSP', revoke(stranger, before), noState],
  ['the same pair of FSPs, seen again', observe(dfsp, pisp), noState],
  ['another pair of FSPs', observe(stranger, pisp), noState],
  [
    'a valid signature',
    verify(dfsp, {}, goodSignature),
    [
      'CONSENT_UNKNOWN bankx',
      'CONSENT_UNKNOWN bankx',
      'CONSENT_PENDING bankx',
      'VERIFIED bankx',
      'CONSENT_REVOKED bankx',
    ],
  ],
  [
    'an invalid signature',
    verify(dfsp, {}, bad),
    [
      'CONSENT_UNKNOWN bankx',
      'CONSENT_UNKNOWN bankx',
      'CONSENT_PENDING bankx',
      'SIGNATURE_INVALID bankx',
      'CONSENT_REVOKED bankx',
    ],
  ],
  [
    'an unchecked signature',
    verify(dfsp),
    [
      'CONSENT_UNKNOWN bankx',
      'CONSENT_UNKNOWN bankx',
      'CONSENT_PENDING bankx',
      'to be examined',
      'CONSENT_REVOKED bankx',
    ],
  ],
  [
    'a signature of another type than the credential',
    verify(dfsp, { signedPayloadType: 'GENERIC' }, goodSignature),
    [
      'CONSENT_UNKNOWN bankx',
      'CONSENT_UNKNOWN bankx',
      'CONSENT_PENDING bankx',
      'SIGNATURE_INVALID bankx',
      'CONSENT_REVOKED bankx',
    ],
  ],
  [
    'a valid signature that another DFSP sends',
    verify(stranger, {}, goodSignature),
    [
      'CONSENT_UNKNOWN stranger',
      'CONSENT_UNKNOWN stranger',
      'NOT_PARTY stranger',
      'NOT_PARTY stranger',
      'CONSENT_REVOKED stranger',
    ],
  ],
  [
    'a valid signature whose counter did not increase',
    verify(dfsp, {}, { ...goodSignature, ceremony: { ...ceremony, signCount: 4 } }),
    [
      'CONSENT_UNKNOWN bankx',
      'CONSENT_UNKNOWN bankx',
      'CONSENT_PENDING bankx',
      'SIGNATURE_INVALID bankx, AUDIT',
      'CONSENT_REVOKED bankx',
    ],
  ],
  [
    'a valid signature made at another origin',
    verify(dfsp, {}, { ...goodSignature, ceremony: { ...ceremony, origin: 'https://x.example' } }),
    [
      'CONSENT_UNKNOWN bankx',
      'CONSENT_UNKNOWN bankx',
      'CONSENT_PENDING bankx',
      'SIGNATURE_INVALID bankx',
      'CONSENT_REVOKED bankx',
    ],
  ],
]

const cases = table.flatMap(([name, sent, expected]) =>
  order.map((state, at) => [name, state, expected[at] ?? '', sent] as const),
)

describe('a consent', () => {
  test.each(cases)('A consent is changed by %s, being %s: %s', (_name, state, expected, sent) => {
    expect(summaryOf(decided(state, sent))).toBe(expected)
  })

  test.each(cases)(
    'A consent is not changed by a processed %s, being %s',
    (_n, state, _e, sent) => {
      expect(decided(state, sent, { handled: ['next'] })).toEqual(noChange)
    },
  )

  test('A consent has a credential exactly while it is PENDING or ISSUED', () => {
    for (const [, state, , sent] of cases) {
      const decision = decided(state, sent)
      if (decision.type !== 'DECISION' || decision.consent === undefined) continue
      const { consent, withdrawn } = decision
      expect('verifier' in consent).toBe(consent.state === 'PENDING' || consent.state === 'ISSUED')
      expect(withdrawn !== undefined).toBe(consent.state === 'REVOKED')
    }
  })

  test('A consent whose PISP is unknown may be revoked by any sender that names its DFSP', () => {
    const naming = (destination?: string) =>
      message({ type: 'REVOKE', revocation: { ...by('pispy'), destination, relayedAt: undefined } })
    expect(summaryOf(decided('ISSUED', naming(dfsp), { isUnseen: true }))).toBe(
      'REVOKED: REVOKED bankx+pispy',
    )
    expect(summaryOf(decided('ISSUED', naming(), { isUnseen: true }))).toBe('NOT_PARTY pispy')
    expect(summaryOf(decided('ISSUED', naming(dfsp)))).toBe('NOT_PARTY pispy')
  })

  test('A consent is revoked at the time that the DFSP reports, but never in the future', () => {
    const later = new Date('2026-01-15T13:00:00.000Z')
    expect(decided('ISSUED', revoke(dfsp, before))).toMatchObject({
      consent: { revokedAt: before },
    })
    expect(decided('ISSUED', revoke(dfsp, later))).toMatchObject({ consent: { revokedAt: now } })
  })
})

test('A signature over a challenge that was verified for another request is refused and audited', () => {
  const signed = verify(dfsp, {}, goodSignature)
  expect(summaryOf(decided('ISSUED', signed))).toBe('VERIFIED bankx')
  expect(summaryOf(decided('ISSUED', signed, { isProven: true }))).toBe(
    'SIGNATURE_INVALID bankx, AUDIT',
  )
})

describe('of a pair of FSPs', () => {
  test.each<[State, string, string]>([
    ['none', dfsp, 'PARTIES_OBSERVED'],
    ['none', stranger, 'PARTIES_OBSERVED'],
    ['REFUSED', stranger, 'PARTIES_OBSERVED'],
    ['PENDING', dfsp, 'PARTIES_OBSERVED'],
    ['PENDING', stranger, 'PARTIES_CONFLICT'],
    ['ISSUED', stranger, 'PARTIES_CONFLICT'],
    ['REVOKED', stranger, 'PARTIES_CONFLICT'],
  ])(
    'The first pair of FSPs is retained, being %s, if its DFSP %s is possible: %s',
    (state, fspId, step) => {
      const decision = decided(state, observe(fspId, pisp), { isUnseen: true })
      expect(decision).toMatchObject({ step: { type: step, fspId } })
      expect('parties' in decision).toBe(step === 'PARTIES_OBSERVED')
    },
  )
})

test('In any order of messages, a verification needs a valid credential and signature and an issued consent', () => {
  const messages = fc.array(fc.nat(table.length - 1), { maxLength: 30 })
  fc.assert(
    fc.property(fc.constantFrom(...order), messages, (start, sent) => {
      let consent: Consent | undefined = states[start]
      let hasClaimed = start === 'PENDING' || start === 'ISSUED'
      for (const at of sent) {
        const [, one] = table[at] ?? table[0] ?? []
        if (one === undefined) continue
        const decision = decide(one.command, knownAs(consent, {}), one.checks, judging, now)
        if (decision.type === 'UNEXAMINED') continue
        const published = decision.answers.map(answerText)
        if (published.includes('VERIFIED bankx')) {
          expect([consent?.state, one.checks.signature]).toEqual(['ISSUED', goodSignature])
        }
        // No change follows the end.
        if (consent?.state === 'REVOKED') expect(decision.consent).toBeUndefined()
        if (published.includes('CLAIM')) {
          hasClaimed = true
          expect(one.checks.credential).toEqual(goodCredential)
        }
        consent = decision.consent ?? consent
        if (consent?.state === 'ISSUED') expect(hasClaimed).toBe(true)
        const finals = published.filter((text) => text !== 'CLAIM' && text !== 'AUDIT')
        expect(new Set(finals).size).toBe(finals.length)
      }
    }),
    { numRuns: 500 },
  )
})
