import { describe, expect, test } from '@jest/globals'
import { type Credential, type Scope } from '../consent.ts'
import {
  holds,
  judgeCredential,
  type Link,
  payableLinks,
  revoked,
  signedLink,
  type VerifiedLink,
  verified,
  withCredential,
  withoutCredential,
} from './link.ts'

const scopes: readonly Scope[] = [
  { address: 'bank.amara.1', actions: ['ACCOUNTS_TRANSFER'] },
  { address: 'bank.amara.2', actions: ['ACCOUNTS_GET_BALANCE'] },
]

const granted: Link = {
  consentId: '7d34f91d-6a2c-4a0e-9c1b-5f8e2b7a4c10',
  consentRequestId: '0c0a6d3e-5d0c-4c57-9a1b-3f1f0a7d2e11',
  pispId: 'pispx',
  userId: 'amara@bank',
  scopes,
  granted_ms: 0,
  expires_ms: 1_000,
  state: 'GRANTED',
}

const credential: Credential = {
  credentialType: 'GENERIC',
  genericPayload: { publicKey: 'AAAA', signature: 'BBBB' },
}
const another: Credential = {
  credentialType: 'GENERIC',
  genericPayload: { publicKey: 'AAAA', signature: 'CCCC' },
}

const checking = withCredential(granted, credential)
const linked = verified(checking, undefined, 500)
const ended = revoked(linked, '2027-03-02T08:15:30.123Z')

describe('a credential that a PISP sends', () => {
  test.each([
    ['verified for a consent that has none', granted, 'CHECK'],
    ['waited for while its verification is pending', checking, 'WAIT'],
    ['confirmed again after it was verified', linked, 'CONFIRM'],
  ])('A credential is %s', (_what, link, type) => {
    expect(judgeCredential(link, 'pispx', credential, scopes)).toEqual({ type })
  })

  test.each([
    ['for an unknown consent', undefined, 'pispx', credential, scopes, '6103'],
    ['for a consent that was revoked', ended, 'pispx', credential, scopes, '6103'],
    ["for another PISP's consent", granted, 'pispy', credential, scopes, '6104'],
    ['in place of the one being verified', checking, 'pispx', another, scopes, '3106'],
    ['in place of the one that was verified', linked, 'pispx', another, scopes, '3106'],
    ['with other scopes', granted, 'pispx', credential, scopes.slice(0, 1), '6101'],
    ['with scopes in another order', granted, 'pispx', credential, scopes.toReversed(), '6101'],
  ])('A credential %s is refused', (_what, link, pispId, sent, sentScopes, errorCode) => {
    const refusal = { type: 'REFUSE', error: { errorCode } }
    expect(judgeCredential(link, pispId, sent, sentScopes)).toMatchObject(refusal)
  })

  test('A credential that was found wrong may be followed by another', () => {
    const again = withoutCredential(checking)
    expect(again).toEqual(granted)
    expect(judgeCredential(again, 'pispx', another, scopes)).toEqual({ type: 'CHECK' })
  })
})

describe('a consent', () => {
  test('A consent that is revoked while its credential is being verified stays revoked', () => {
    const gone = revoked(checking, '2027-03-02T08:15:30.123Z')
    expect(verified(gone, undefined, 500)).toBe(gone)
    expect(withoutCredential(gone)).toBe(gone)
  })

  test('A consent retains the time of its first revocation', () => {
    expect(revoked(ended, '2028-01-01T00:00:00.000Z')).toBe(ended)
  })

  test.each([
    ['was verified', linked, 999, true],
    ['has expired', linked, 1_000, false],
    ['never expires', { ...linked, expires_ms: undefined }, 1e15, true],
    ['was only granted', granted, 0, false],
    ['has a pending credential', checking, 0, false],
    ['was revoked', ended, 0, false],
  ])('A consent is valid at the right times: one that %s', (_what, link, now_ms, expected) => {
    expect(holds(link, now_ms)).toBe(expected)
  })
})

describe('a payment from an account', () => {
  const choose = (links: readonly Link[], pispId = 'pispx', address = 'bank.amara.1') =>
    payableLinks(links, pispId, address, 600)

  test('A payment is made under the consents of its PISP, the newest first', () => {
    const newer = { ...linked, consentId: 'newer', verified_ms: 550 }
    expect(choose([ended, linked, newer])).toEqual({ links: [newer, linked] })
  })

  test.each([
    ['is linked to nothing', [], 'bank.amara.1', '6103'],
    ['has a consent that was revoked', [ended], 'bank.amara.1', '6103'],
    ['has a consent without a credential', [granted, checking], 'bank.amara.1', '6103'],
    ['has a consent for reading only', [linked], 'bank.amara.2', '6103'],
    ['is of another PISP', [{ ...linked, pispId: 'pispy' }], 'bank.amara.1', '6104'],
  ])('A payment from an account that %s is refused', (_what, links, address, errorCode) => {
    expect(choose(links, 'pispx', address)).toMatchObject({ error: { errorCode } })
  })
})

describe('of several consents on an account, a payment is made under', () => {
  const fido = (id: string): VerifiedLink => {
    if (linked.state !== 'VERIFIED') throw new Error('it is not verified')
    const response = { clientDataJSON: '', attestationObject: '' }
    const fidoPayload = { id, rawId: id, response, type: 'public-key' } as const
    return { ...linked, consentId: id, credential: { credentialType: 'FIDO', fidoPayload } }
  }
  const generic: VerifiedLink = { ...fido('none'), credential }
  const assertion = (id: string) => ({
    signedPayloadType: 'FIDO' as const,
    fidoSignedPayload: {
      id,
      rawId: id,
      response: { authenticatorData: '', clientDataJSON: '', signature: '' },
      type: 'public-key' as const,
    },
  })

  test('Of several consents a payment uses the one whose FIDO key has signed, in either base64 alphabet', () => {
    expect(signedLink([fido('AAAA'), fido('-_-_')], assertion('+/+/')).consentId).toBe('-_-_')
  })

  test('Of several consents a payment uses the newest of its kind when the key is unknown', () => {
    expect(signedLink([generic, fido('AAAA'), fido('BBBB')], assertion('CCCC')).consentId).toBe(
      'AAAA',
    )
    const signed = { signedPayloadType: 'GENERIC', genericSignedPayload: 'AAAA' } as const
    expect(signedLink([fido('AAAA'), generic], signed)).toBe(generic)
  })

  test('Of several consents a payment uses the newest of all when none is of its kind', () => {
    expect(signedLink([generic], assertion('AAAA'))).toBe(generic)
  })
})
