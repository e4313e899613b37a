import { consentClientChallenges, transactionClientChallenges } from '@causeway/fspiop'
import { describe, expect, test } from '@jest/globals'
import { checkAssertion, checkAttestation, credentialIdIn, presentedIn } from './fido.ts'
import { openDevice, origin, rpId, sha256, type Algorithm, type Wrong } from './testing/device.ts'
import type { FidoVerifier } from './verifier.ts'

const consent = sha256(Buffer.from('a consent'))
const consentChallenges = consentClientChallenges(consent)
const payment = sha256(Buffer.from('a payment'))
const paymentChallenges = transactionClientChallenges(payment.toString('base64url'))

/** A published example: ES256, attestation none, over the digest itself. */
const known = {
  challenges: ['ifp_VnYADji5QqF76FpgaZfGEJ6SzBH7FdQFjPVAMoE'],
  credential: {
    id: 'Eh5Kx3FpyYmdA9W1nYOI9Cm1jTleATr-V9maphu2KzQ',
    rawId: 'Eh5Kx3FpyYmdA9W1nYOI9Cm1jTleATr+V9maphu2KzQ=',
    response: {
      clientDataJSON:
        'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiaWZwX1ZuWUFEamk1UXFGNzZGcGdhWmZHRUo2U3pCSDdGZFFGalBWQU1vRSIsIm9yaWdpbiI6Imh0dHBzOi8vYXBwLnBpc3B4LmV4YW1wbGUiLCJjcm9zc09yaWdpbiI6ZmFsc2V9',
      attestationObject:
        'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikpbCVt5b+Z0Ih3TpEcydOL69SUHJGbf69z59aqhAOEjxBAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBIeSsdxacmJnQPVtZ2DiPQptY05XgE6/lfZmqYbtis0pQECAyYgASFYIJHvu880FQMbPxLHUbpXwXt2OXYkSxQdB49qpKZ+FOhKIlgg1gZ8hU2AsTfrnE9Z4DNkedviUGUkpekh4Yrj69JkPSs=',
    },
    type: 'public-key',
  },
  text: 'hAf-Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8-o',
  signature: {
    id: 'Eh5Kx3FpyYmdA9W1nYOI9Cm1jTleATr-V9maphu2KzQ',
    rawId: 'Eh5Kx3FpyYmdA9W1nYOI9Cm1jTleATr+V9maphu2KzQ=',
    response: {
      authenticatorData: 'pbCVt5b+Z0Ih3TpEcydOL69SUHJGbf69z59aqhAOEjwBAAAAAQ==',
      clientDataJSON:
        'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiaEFmLUVpOHozQlBIeGxRdWp0SlBFNXcyZDVjWkJiTEN4emVFTWtwSzgtbyIsIm9yaWdpbiI6Imh0dHBzOi8vYXBwLnBpc3B4LmV4YW1wbGUiLCJjcm9zc09yaWdpbiI6ZmFsc2V9',
      signature:
        'MEUCIQC8+rc0ShS/zNmn3h9/LeqayhqUyROzVyCYEhY49wWyNQIgTnCP2ENUEJ4ipBTDjns760jaGaKvkvTkrS+KBJFjvDE=',
    },
    type: 'public-key',
  },
}

async function verifierOf(payload: unknown, challenges = consentChallenges): Promise<FidoVerifier> {
  const check = await checkAttestation(payload, challenges)
  if (check.type !== 'VALID' || check.verifier.type !== 'FIDO') {
    throw new Error(check.type === 'INVALID' ? check.detail : check.type)
  }
  return check.verifier
}

describe('a FIDO credential', () => {
  test('A FIDO credential of a known authenticator is accepted with the reported data', async () => {
    const verifier = await verifierOf(known.credential, known.challenges)
    expect(verifier).toMatchObject({
      credentialId: 'Eh5Kx3FpyYmdA9W1nYOI9Cm1jTleATr-V9maphu2KzQ',
      origin,
      rpIdHash: Buffer.from(
        'a5b095b796fe674221dd3a4473274e2faf525072466dfebdcf9f5aaa100e123c',
        'hex',
      ).toString('base64url'),
      signCount: 0,
    })
    const checked = await checkAssertion(
      known.signature,
      transactionClientChallenges(known.text),
      verifier,
    )
    expect(checked).toMatchObject({ type: 'VALID', ceremony: { origin, signCount: 1 } })
  })

  test.each<[Algorithm, string]>([
    ['ES256', 'none'],
    ['ES256', 'packed'],
    ['RS256', 'packed'],
    ['EdDSA', 'packed'],
  ])(
    'A FIDO credential with a key of %s and attestation %s verifies, and so does what it signs',
    async (algorithm, format) => {
      const device = openDevice(algorithm)
      const verifier = await verifierOf(device.register(consent, { format }))
      expect(verifier.credentialId).toBe(device.id.toString('base64url'))
      const signature = device.assert(payment)
      expect(await checkAssertion(signature, paymentChallenges, verifier)).toMatchObject({
        type: 'VALID',
      })
    },
  )

  test('A FIDO credential may sign the hexadecimal text of the challenge', async () => {
    const device = openDevice()
    const text = Buffer.from(consent.toString('hex'))
    expect(await verifierOf(device.register(text))).toMatchObject({ origin })
  })

  test('A FIDO credential is the same in base64url, in base64 and without rawId', async () => {
    const { id, response, type } = openDevice().register(consent)
    const url = (text: string) => Buffer.from(text, 'base64').toString('base64url')
    const payload = {
      id,
      type,
      response: {
        clientDataJSON: url(response.clientDataJSON),
        attestationObject: url(response.attestationObject),
      },
    }
    expect((await verifierOf(payload)).credentialId).toBe(id)
  })

  test.each<[string, Wrong, string]>([
    ['was made over another challenge', { challenge: 'AAAA' }, 'the challenge is different'],
    ['is a signature', { type: 'webauthn.get' }, 'the client data is of webauthn.get'],
    ['was made without the user', { flags: 0x44 }, 'the user was not present'],
    ['has no key', { flags: 0x01 }, 'Leftover bytes'],
    ['is of an unknown format', { format: 'invented' }, 'attestation format invented'],
    ['expires at once', { format: 'android-safetynet' }, 'attestation format android-safetynet'],
    ['has a wrong statement', { statement: new Map([['x', 1]]) }, 'it has a statement'],
    ['is of another credential', { id: Buffer.alloc(32) }, 'the attestation is of another'],
  ])('A FIDO credential that %s is invalid', async (_case, wrong, detail) => {
    const check = await checkAttestation(openDevice().register(consent, wrong), consentChallenges)
    expect(check).toEqual({ type: 'INVALID', detail: expect.stringContaining(detail) })
  })

  test('A FIDO credential with a modified attestation is invalid', async () => {
    const statement = new Map<string, number | Buffer>([
      ['alg', -7],
      ['sig', openDevice().keys.publicKey.export({ type: 'spki', format: 'der' })],
    ])
    const payload = openDevice().register(consent, { format: 'packed', statement })
    expect((await checkAttestation(payload, consentChallenges)).type).toBe('INVALID')
  })

  test('A FIDO credential whose key is not a point of its curve is invalid', async () => {
    const { response, ...names } = known.credential
    const bytes = Buffer.from(response.attestationObject, 'base64')
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
    const payload = {
      ...names,
      response: { ...response, attestationObject: bytes.toString('base64') },
    }
    expect((await checkAttestation(payload, known.challenges)).type).toBe('INVALID')
  })

  test('A FIDO credential with a key of an unsupported algorithm is invalid', async () => {
    const check = await checkAttestation(openDevice('ES256K').register(consent), consentChallenges)
    expect(check).toEqual({ type: 'INVALID', detail: 'a key of an unknown algorithm' })
  })

  test.each([
    [undefined],
    ['text'],
    [{}],
    [{ id: 'a b', response: {} }],
    [{ id: 'AAAA', response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } }],
    [{ ...openDevice().register(consent), type: 'password' }],
    [{ ...openDevice().register(consent), rawId: 'AAAA' }],
  ])('A FIDO credential that is %j is invalid', async (payload) => {
    expect((await checkAttestation(payload, consentChallenges)).type).toBe('INVALID')
  })
})

describe('a FIDO signature', () => {
  const device = openDevice()

  test('A FIDO signature reports its origin and the signature counter', async () => {
    const verifier = await verifierOf(device.register(consent))
    const signature = device.assert(payment, { count: 7, crossOrigin: true, flags: 0x05 })
    expect(await checkAssertion(signature, paymentChallenges, verifier)).toEqual({
      type: 'VALID',
      ceremony: {
        origin,
        isCrossOrigin: true,
        rpIdHash: sha256(Buffer.from(rpId)).toString('base64url'),
        isUserVerified: true,
        signCount: 7,
      },
      signedHash: sha256(payment).toString('base64url'),
    })
  })

  test.each<[string, Wrong, string]>([
    ['is over another challenge', { challenge: 'AAAA' }, 'the challenge is different'],
    ['is a registration', { type: 'webauthn.create' }, 'the client data is of webauthn.create'],
    ['was made without the user', { flags: 0x04 }, 'the user was not present'],
    ['is of another credential', { id: Buffer.alloc(32) }, 'another credential signed'],
  ])('A FIDO signature that %s is invalid', async (_case, wrong, detail) => {
    const verifier = await verifierOf(device.register(consent))
    const check = await checkAssertion(device.assert(payment, wrong), paymentChallenges, verifier)
    expect(check).toEqual({ type: 'INVALID', detail })
  })

  test.each(['authenticatorData', 'clientDataJSON'] as const)(
    'A FIDO signature does not verify when %s was changed afterwards',
    async (member) => {
      const verifier = await verifierOf(device.register(consent))
      const signature = device.assert(payment)
      const other = device.assert(payment, { count: 9, origin: 'https://other.example' })
      const response = { ...signature.response, [member]: other.response[member] }
      const changed = { ...signature, response }
      expect(await checkAssertion(changed, paymentChallenges, verifier)).toEqual({
        type: 'INVALID',
        detail: 'the signature does not verify',
      })
    },
  )

  test('A FIDO signature of another key is invalid', async () => {
    const verifier = await verifierOf(device.register(consent))
    const other = openDevice().assert(payment, { id: device.id })
    expect(await checkAssertion(other, paymentChallenges, verifier)).toMatchObject({
      type: 'INVALID',
    })
  })
})

describe('what a payload names', () => {
  test('A payload names its credential and its challenge, before anything is verified', () => {
    const { id } = known.credential
    const [challenge = ''] = known.challenges
    expect(presentedIn(known.credential)).toEqual({ credentialId: id, challenge })
    expect(presentedIn(known.signature)).toEqual({ credentialId: id, challenge: known.text })
  })

  test.each([
    [undefined],
    [{}],
    [{ id: 'AAAA', response: {} }],
    [{ id: 'AAAA', response: { clientDataJSON: 'AAAA' } }],
    [{ id: '?', response: known.credential.response }],
  ])('The payload %j names nothing', (payload) => {
    expect(presentedIn(payload)).toBeUndefined()
  })

  test('An attestation object contains the id of its credential', async () => {
    const { attestationObject } = known.credential.response
    expect(await credentialIdIn(attestationObject)).toBe(known.credential.id)
    expect(await credentialIdIn('AAAA')).toBeUndefined()
    expect(await credentialIdIn('')).toBeUndefined()
  })
})
