import { describe, expect, test } from '@jest/globals'
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { createAuthenticator, createGenericKey } from './authenticator.ts'

const challenge = randomBytes(32)
const origin = 'https://app.pisp.example'

const bytes = (base64: string) => Buffer.from(base64, 'base64')
const hashOf = (data: Buffer | string) => createHash('sha256').update(data).digest()

function clientDataOf({ response }: { readonly response: { readonly clientDataJSON: string } }) {
  return JSON.parse(bytes(response.clientDataJSON).toString()) as unknown
}

describe('an attestation', () => {
  test('An attestation names the challenge, the origin and the kind of the ceremony', () => {
    const credential = createAuthenticator().register({ challenge, origin })
    expect(credential.type).toBe('public-key')
    expect(bytes(credential.rawId).toString('base64url')).toBe(credential.id)
    expect(clientDataOf(credential)).toEqual({
      type: 'webauthn.create',
      challenge: challenge.toString('base64url'),
      origin,
      crossOrigin: false,
    })
  })

  test('An attestation without a statement is a CBOR map encoded as WebAuthn requires', () => {
    const device = createAuthenticator()
    const credential = device.register({ challenge, origin })
    const object = bytes(credential.response.attestationObject)
    const { x = '', y = '' } = device.publicKey.export({ format: 'jwk' })
    const expected = Buffer.concat([
      // {"fmt": "none", "attStmt": {}, "authData": 164 bytes
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158a4', 'hex'),
      hashOf('app.pisp.example'),
      // User present and verified, credential included; counter 0; no model; an id of 32 bytes.
      Buffer.from(`45${'00'.repeat(4)}${'00'.repeat(16)}0020`, 'hex'),
      bytes(credential.rawId),
      // {1: 2, 3: -7, -1: 1, -2: 32 bytes, -3: 32 bytes}
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
    expect(object.toString('hex')).toBe(expected.toString('hex'))
  })

  test('A packed attestation carries a signature of the credential over its data', () => {
    const device = createAuthenticator({ attestation: 'packed' })
    const { response } = device.register({ challenge, origin })
    const object = bytes(response.attestationObject)
    const statement = object.indexOf('calg') + 4
    // -7, then "sig" and a byte string whose length is one byte.
    expect(object.subarray(statement, statement + 6).toString('hex')).toBe('266373696758')
    const signature = object.subarray(statement + 7, statement + 7 + Number(object[statement + 6]))
    const authData = object.subarray(-164)
    const signed = Buffer.concat([authData, hashOf(bytes(response.clientDataJSON))])
    expect(verify('sha256', signed, device.publicKey, signature)).toBe(true)
  })
})

describe('an assertion', () => {
  test('An assertion is signed by the registered key over authenticator data and client data', () => {
    const device = createAuthenticator()
    const { response } = device.assert({ challenge, origin, rpId: 'pisp.example' })
    const authData = bytes(response.authenticatorData)
    const signed = Buffer.concat([authData, hashOf(bytes(response.clientDataJSON))])
    expect(verify('sha256', signed, device.publicKey, bytes(response.signature))).toBe(true)
    expect(authData.subarray(0, 32)).toEqual(hashOf('pisp.example'))
    expect(authData[32]).toBe(0x05)
    expect(clientDataOf({ response })).toMatchObject({ type: 'webauthn.get' })
  })

  const countIn = ({ response }: { readonly response: { readonly authenticatorData: string } }) =>
    bytes(response.authenticatorData).readUInt32BE(33)

  test('The signature counter increases by one, and that of a cloned device falls behind', () => {
    const device = createAuthenticator()
    expect(countIn(device.assert({ challenge, origin }))).toBe(1)
    const clone = device.clone()
    expect(countIn(device.assert({ challenge, origin }))).toBe(2)
    expect(countIn(device.assert({ challenge, origin }))).toBe(3)
    expect(countIn(clone.assert({ challenge, origin }))).toBe(2)
  })

  test('A device that verifies no user detects only that one is present', () => {
    const device = createAuthenticator({ verifiesUser: false })
    const { response } = device.assert({ challenge, origin })
    expect(bytes(response.authenticatorData)[32]).toBe(0x01)
  })

  test('A device that does not count has the counter 0', () => {
    const device = createAuthenticator({ counts: false })
    device.assert({ challenge, origin })
    expect(countIn(device.assert({ challenge, origin }))).toBe(0)
  })
})

describe('a generic key', () => {
  test.each(['P-256', 'RSA-2048', 'Ed25519'] as const)(
    'A generic key of kind %s signs the hash of the text of the challenge',
    (kind) => {
      const key = createGenericKey(kind)
      const publicKey = createPublicKey({ key: bytes(key.publicKey), type: 'spki', format: 'der' })
      const text = challenge.toString('base64url')
      const signature = bytes(key.sign(text))
      const isRight =
        kind === 'Ed25519'
          ? verify(null, hashOf(text), publicKey, signature)
          : verify('sha256', Buffer.from(text), publicKey, signature)
      expect(isRight).toBe(true)
    },
  )
})
