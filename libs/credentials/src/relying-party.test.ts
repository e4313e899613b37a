import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  allowedFor,
  countFault,
  isOriginOf,
  isRelyingPartyId,
  originFault,
  relyingPartyOf,
  type RelyingPartyPolicy,
} from './relying-party.ts'
import { sha256 } from './testing/device.ts'
import type { Ceremony, FidoVerifier } from './verifier.ts'

const strict: RelyingPartyPolicy = {
  allowed: new Map(),
  acceptsNativeOrigins: false,
  acceptsLocalhost: false,
  acceptsCrossOrigin: false,
  requiresUserVerification: false,
}
const native = 'android:apk-key-hash:abc'

function at(origin: string, rpId: string, more: Partial<Ceremony> = {}): Ceremony {
  const rpIdHash = sha256(Buffer.from(rpId)).toString('base64url')
  return { origin, rpIdHash, isCrossOrigin: false, isUserVerified: false, signCount: 0, ...more }
}

function rpIdOf(ceremony: Ceremony, policy: Partial<RelyingPartyPolicy> = {}): string | undefined {
  const judged = relyingPartyOf(ceremony, { ...strict, ...policy }, undefined)
  return judged.type === 'ACCEPTED' ? judged.rpId : undefined
}

describe('for a credential without a list', () => {
  test.each([
    ['https://app.pispx.example', 'app.pispx.example'],
    ['https://app.pispx.example', 'pispx.example'],
    ['https://a.b.pispx.example:8443', 'pispx.example'],
    ['https://app.pispx.co.uk', 'pispx.co.uk'],
    ['https://app.pispx.github.io', 'pispx.github.io'],
    ['https://pay.bank.internal', 'bank.internal'],
  ])('Without a list the relying party at %s may be %s', (origin, rpId) => {
    expect(rpIdOf(at(origin, rpId))).toBe(rpId)
  })

  test.each([
    ['https://app.pispx.example', 'example'],
    ['https://app.pispx.com', 'com'],
    ['https://app.pispx.co.uk', 'co.uk'],
    ['https://pispx.github.io', 'github.io'],
    ['https://co.uk', 'co.uk'],
    ['https://github.io', 'github.io'],
    ['https://192.0.2.7', '192.0.2.7'],
    ['https://[2001:db8::7]', '[2001:db8::7]'],
    ['https://[2001:db8::7]', '2001:db8::7'],
    ['https://192.0.2.7', '0.2.7'],
    ['https://app.pispx.example.', 'pispx.example.'],
    ['https://app.pispx.example', 'other.example'],
    ['https://app.pispx.example', 'x.app.pispx.example'],
    ['https://app.pispx.example/', 'app.pispx.example'],
    ['http://app.pispx.example', 'app.pispx.example'],
    ['http://localhost', 'localhost'],
    ['no origin', 'no origin'],
    [native, 'pispx.example'],
  ])('Without a list the relying party at %s may not be %s', (origin, rpId) => {
    expect(rpIdOf(at(origin, rpId))).toBeUndefined()
  })

  test('Localhost and native apps are accepted only if the policy allows them', () => {
    expect(rpIdOf(at('http://localhost', 'localhost'), { acceptsLocalhost: true })).toBe(
      'localhost',
    )
    expect(rpIdOf(at(native, 'pispx.example'), { acceptsNativeOrigins: true })).toBe('')
    expect(
      rpIdOf(at('ftp://x.example', 'x.example'), { acceptsNativeOrigins: true }),
    ).toBeUndefined()
  })

  test('Cross-origin frames and unverified users are refused if the policy says so', () => {
    const framed = at('https://pispx.example', 'pispx.example', { isCrossOrigin: true })
    expect(rpIdOf(framed)).toBeUndefined()
    expect(rpIdOf(framed, { acceptsCrossOrigin: true })).toBe('pispx.example')
    const verifying = { requiresUserVerification: true }
    expect(rpIdOf({ ...framed, isCrossOrigin: false }, verifying)).toBeUndefined()
    const verified = at('https://pispx.example', 'pispx.example', { isUserVerified: true })
    expect(rpIdOf(verified, verifying)).toBe('pispx.example')
  })
})

describe('for a credential with a list of origins', () => {
  const listed = {
    origins: ['https://app.pispx.example', 'https://other.example', native],
    rpIds: ['pispx.example'],
  }

  test('The list is that of the PISP, or that of the DFSP if the PISP is unknown', () => {
    const policy = { ...strict, allowed: new Map([['pispx', listed]]) }
    expect(allowedFor(policy, 'pispx', 'bankx')).toBe(listed)
    expect(allowedFor(policy, 'pispy', 'pispx')).toBeUndefined()
    expect(allowedFor(policy, undefined, 'pispx')).toBe(listed)
  })

  test.each([
    ['https://app.pispx.example', 'pispx.example', 'ACCEPTED'],
    [native, 'pispx.example', 'ACCEPTED'],
    ['https://other.pispx.example', 'pispx.example', 'REFUSED'],
    ['https://app.pispx.example', 'app.pispx.example', 'REFUSED'],
    ['https://other.example', 'pispx.example', 'REFUSED'],
  ])('%s with the relying party %s is %s', (origin, rpId, type) => {
    expect(relyingPartyOf(at(origin, rpId), strict, listed).type).toBe(type)
  })

  test('A signature may come from any listed origin', () => {
    const verifier = verifierAt('https://app.pispx.example')
    expect(originFault(at(native, 'pispx.example'), verifier, strict, listed)).toBeUndefined()
    expect(originFault(at('https://x.example', 'pispx.example'), verifier, strict, listed)).toBe(
      'its origin is not on the list',
    )
  })
})

describe('a signature', () => {
  const verifier = verifierAt('https://app.pispx.example')

  test('A signature must come from the origin and relying party of its credential', () => {
    const here = at('https://app.pispx.example', 'pispx.example')
    expect(originFault(here, verifier, strict, undefined)).toBeUndefined()
    const elsewhere = at('https://evil.example', 'pispx.example')
    expect(originFault(elsewhere, verifier, strict, undefined)).toBe(
      'it was made at another origin',
    )
    const other = at('https://app.pispx.example', 'app.pispx.example')
    expect(originFault(other, verifier, strict, undefined)).toBe('it is for another relying party')
  })

  test.each([
    [0, 0, undefined],
    [0, 1, undefined],
    [4, 5, undefined],
    [4, 4, 'the signature counter did not increase'],
    [4, 3, 'the signature counter did not increase'],
    [4, 0, 'the signature counter did not increase'],
  ])('A signature after counter %i with counter %i is wrong for: %s', (stored, received, fault) => {
    expect(countFault(stored, received)).toBe(fault)
  })
})

function verifierAt(origin: string): FidoVerifier {
  const { rpIdHash } = at(origin, 'pispx.example')
  const credentialId = 'AAAA'
  const publicKey = 'AAAA'
  return { type: 'FIDO', credentialId, publicKey, rpIdHash, rpId: '', origin, signCount: 0 }
}

test.each([
  ['localhost', true],
  ['operator.hub.example', true],
  ['pispx.github.io', true],
  ['com', false],
  ['co.uk', false],
  ['github.io', false],
  ['127.0.0.1', false],
  ['[::1]', false],
  ['Hub.example', false],
  ['hub.example.', false],
  ['hub.example:443', false],
  ['https://hub.example', false],
  ['', false],
])('"%s" can be the id of a relying party: %s', (id, expected) => {
  expect(isRelyingPartyId(id)).toBe(expected)
})

test('An accepted relying party is a registrable domain at or above the host of the origin', () => {
  const label = fc.constantFrom(
    'a',
    'b',
    'app',
    'co',
    'uk',
    'com',
    'github',
    'io',
    '10',
    'localhost',
  )
  const labels = fc.array(label, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(labels, fc.nat(4), (all, from) => {
      const host = all.join('.')
      const wanted = all.slice(from).join('.')
      const rpId = rpIdOf(at(`https://${host}`, wanted))
      if (rpId === undefined) return
      expect(rpId).toBe(wanted)
      expect(isRelyingPartyId(rpId)).toBe(true)
      expect(isOriginOf(`https://${host}`, rpId)).toBe(true)
    }),
  )
})
