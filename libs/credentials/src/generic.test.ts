import { describe, expect, test } from '@jest/globals'
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { keyAtInfinity, keylessKeys } from '@causeway/pki/testing'
import { checkGenericRegistration, checkGenericSignature } from './generic.ts'
import { pairOf, sha256, type Algorithm } from './testing/device.ts'
import type { GenericVerifier } from './verifier.ts'

const challenge = Buffer.from(
  '89fa7f5676000e38b942a17be85a606997c6109e92cc11fb15d4058cf5403281',
  'hex',
)
const text = 'hAf-Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8-o'

function der(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' })
}

function signature(key: KeyObject, bytes: Buffer): Buffer {
  return key.asymmetricKeyType === 'ed25519'
    ? sign(null, sha256(bytes), key)
    : sign('sha256', bytes, key)
}

function verifierOf(credential: object): GenericVerifier {
  const check = checkGenericRegistration(credential, challenge)
  if (check.type !== 'VALID' || check.verifier.type !== 'GENERIC') throw new Error('not valid')
  return check.verifier
}

test('A known GENERIC credential verifies, and so do its signatures', () => {
  const verifier = verifierOf({
    publicKey:
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAECyvYXcP8GwR7JrHW76QAlw0hn9o_EMc_Dm7S41yYF5DrnwFFrpV5eZGY_y6vCxezZA4RQhNNlV5eCUlAksbURw',
    signature:
      'MEUCIQC7WgjYsdLo33KIQauKyKivrnMp4__S_KdvwaHq7qNQqwIgNVlTFeLYwx0C2bOoxIA3c5ntFl1G8XuPrQgbYMv_xQ0',
  })
  const signed =
    'MEUCIQDmQnFvTM8UeN3i5kjvF-m_zevBt4RsXxSV4YdbpgrfogIgPomJMAs4L6VOQYhNV-FMxAKOsVkM7PkplAo6D3pJFgY'
  expect(checkGenericSignature(signed, text, verifier).type).toBe('VALID')
  expect(checkGenericSignature(signed, `${text}A`, verifier).type).toBe('INVALID')
})

describe.each<Algorithm>(['ES256', 'ES256K', 'RS256', 'EdDSA'])(
  'a GENERIC credential with a key of %s',
  (algorithm) => {
    const { publicKey, privateKey } = pairOf(algorithm)

    test.each([
      ['the base64url text', Buffer.from(challenge.toString('base64url'))],
      ['the base64 text', Buffer.from(challenge.toString('base64'))],
      ['the hexadecimal text', Buffer.from(challenge.toString('hex'))],
      ['the digest', challenge],
      ['the hash of the text', sha256(Buffer.from(challenge.toString('base64url')))],
    ])('A GENERIC credential may sign %s of the challenge', (_form, bytes) => {
      const credential = {
        publicKey: der(publicKey).toString('base64'),
        signature: signature(privateKey, bytes).toString('base64url'),
      }
      expect(verifierOf(credential).publicKey).toBe(der(publicKey).toString('base64url'))
    })

    test('A GENERIC credential verifies its own signatures and no signature of another key', () => {
      const verifier: GenericVerifier = {
        type: 'GENERIC',
        publicKey: der(publicKey).toString('base64url'),
      }
      const bytes = Buffer.from(text)
      const own = signature(privateKey, bytes).toString('base64')
      const other = signature(pairOf(algorithm).privateKey, bytes).toString('base64')
      const decoded = signature(privateKey, Buffer.from(text, 'base64')).toString('base64')
      expect(checkGenericSignature(own, text, verifier).type).toBe('VALID')
      expect(checkGenericSignature(decoded, text, verifier).type).toBe('VALID')
      expect(checkGenericSignature(other, text, verifier).type).toBe('INVALID')
    })
  },
)

test('A GENERIC credential may be PEM, and ECDSA signatures may have 64 bytes', () => {
  const { publicKey, privateKey } = pairOf('ES256')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const bytes = Buffer.from(challenge.toString('base64url'))
  const raw = sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const credential = {
    publicKey: Buffer.from(pem).toString('base64'),
    signature: raw.toString('base64'),
  }
  expect(verifierOf(credential).publicKey).toBe(der(publicKey).toString('base64url'))
})

test.each([
  ['a short RSA key', generateKeyPairSync('rsa', { modulusLength: 1_024 })],
  ['a key on another curve', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ['a key of another algorithm', generateKeyPairSync('ed448')],
])('A GENERIC credential with %s is invalid', (_key, { publicKey, privateKey }) => {
  const bytes = Buffer.from(challenge.toString('base64url'))
  const algorithm = publicKey.asymmetricKeyType === 'ed448' ? null : 'sha256'
  const credential = {
    publicKey: der(publicKey).toString('base64'),
    signature: sign(algorithm, bytes, privateKey).toString('base64'),
  }
  expect(checkGenericRegistration(credential, challenge).type).toBe('INVALID')
})

test('No key is accepted with which signatures verify that no key made', () => {
  const bytes = Buffer.from(challenge.toString('base64url'))
  for (const { key, signatures } of keylessKeys()) {
    for (const signed of signatures(key.asymmetricKeyType === 'rsa' ? bytes : sha256(bytes))) {
      const credential = {
        publicKey: der(key).toString('base64'),
        signature: signed.toString('base64'),
      }
      const check = checkGenericRegistration(credential, challenge)
      expect(check).toMatchObject({
        type: 'INVALID',
        detail: expect.stringMatching(/^the key is /),
      })
    }
  }
})

test('A key at infinity is invalid, and does not end the process', () => {
  const credential = { publicKey: keyAtInfinity.toString('base64'), signature: 'AAAA' }
  expect(checkGenericRegistration(credential, challenge)).toEqual({
    type: 'INVALID',
    detail: 'the key is not a point of its curve',
  })
})

test.each([
  [undefined],
  [{}],
  [{ publicKey: 'AAAA', signature: 'AAAA' }],
  [{ publicKey: der(pairOf('ES256').publicKey).toString('base64'), signature: 'AAAA' }],
  [{ publicKey: der(pairOf('ES256').publicKey).toString('base64'), signature: '***' }],
])('A GENERIC credential that is %j is invalid', (credential) => {
  expect(checkGenericRegistration(credential, challenge).type).toBe('INVALID')
})
