import { describe, expect, test } from '@jest/globals'
import { checkAssertion, checkAttestation } from './fido.ts'
import { fidoU2f, packedSelf, packedWithCertificate, type Example } from './testing/examples.ts'
import type { FidoVerifier } from './verifier.ts'

const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')

function attestationOf({ registration }: Example, changed: Partial<Example['registration']> = {}) {
  const { credentialId, clientDataJSON, attestationObject } = { ...registration, ...changed }
  return {
    id: base64url(credentialId),
    response: {
      clientDataJSON: base64url(clientDataJSON),
      attestationObject: base64url(attestationObject),
    },
    type: 'public-key',
  }
}

function check(example: Example, changed: Partial<Example['registration']> = {}) {
  return checkAttestation(attestationOf(example, changed), [
    base64url(example.registration.challenge),
  ])
}

async function verifierOf(example: Example): Promise<FidoVerifier> {
  const checked = await check(example)
  if (checked.type !== 'VALID' || checked.verifier.type !== 'FIDO') {
    throw new Error(checked.type === 'INVALID' ? checked.detail : 'it is not of FIDO')
  }
  return checked.verifier
}

/** The example with one bit changed, in the bytes at the given distance from the marker. */
function flipped(hex: string, marker: string, bytes: number): string {
  const at = hex.indexOf(marker) / 2 + bytes
  if (!Number.isInteger(at) || at < bytes) throw new Error(`there is no ${marker}`)
  const changed = Buffer.from(hex, 'hex')
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
  return changed.toString('hex')
}

/** The keys `sig` and `x5c` as CBOR: texts of three letters. */
const [signatureKey, chainKey] = ['63736967', '63783563']

describe.each<[string, Example]>([
  ['packed, signed by itself', packedSelf],
  ['packed, with a certificate', packedWithCertificate],
  ['fido-u2f', fidoU2f],
])('the published credential with an attestation that is %s', (_name, example) => {
  const { attestationObject, credentialId } = example.registration

  test('A published credential is valid, and so is the published signature with it', async () => {
    const verifier = await verifierOf(example)
    expect(verifier).toMatchObject({
      credentialId: base64url(credentialId),
      origin: 'https://example.org',
      rpIdHash: base64url('bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b5'),
      signCount: 0,
    })
    const { challenge, ...signed } = example.assertion
    const payload = {
      id: base64url(credentialId),
      response: {
        clientDataJSON: base64url(signed.clientDataJSON),
        authenticatorData: base64url(signed.authenticatorData),
        signature: base64url(signed.signature),
      },
    }
    expect(await checkAssertion(payload, [base64url(challenge)], verifier)).toMatchObject({
      type: 'VALID',
      ceremony: { origin: 'https://example.org', signCount: 0 },
    })
    expect(await checkAssertion(payload, ['AAAA'], verifier)).toEqual({
      type: 'INVALID',
      detail: 'the challenge is different',
    })
  })

  test.each([
    ['the signature', signatureKey, 20],
    // These are adjacent in the authenticator's data.
    ['the AAGUID', example.aaguid + '0020', 3],
    ['the id of the credential in the attestation', example.aaguid + '0020', 20],
    ['the key of the credential', credentialId, 60],
  ])('A published credential is invalid when %s was changed', async (_what, marker, bytes) => {
    const changed = { attestationObject: flipped(attestationObject, marker, bytes) }
    expect((await check(example, changed)).type).toBe('INVALID')
  })

  test('An attestation is invalid for another challenge, and without its statement', async () => {
    expect(await checkAttestation(attestationOf(example), ['AAAA'])).toEqual({
      type: 'INVALID',
      detail: 'the challenge is different',
    })
    const unsigned = attestationObject.replace(signatureKey, '63736968')
    expect((await check(example, { attestationObject: unsigned })).type).toBe('INVALID')
  })
})

test.each<[string, Example]>([
  ['packed', packedWithCertificate],
  ['fido-u2f', fidoU2f],
])('A %s attestation is signed by the key of its certificate', async (_name, example) => {
  const { attestationObject } = example.registration
  // The key follows its curve in the certificate.
  const other = flipped(attestationObject, '06082a8648ce3d030107034200', 20)
  expect(other.includes(chainKey)).toBe(true)
  expect((await check(example, { attestationObject: other })).type).toBe('INVALID')
})

test('A fido-u2f attestation is signed for its relying party', async () => {
  const { attestationObject } = fidoU2f.registration
  const other = flipped(attestationObject, 'bfabc37432958b06', 0)
  expect((await check(fidoU2f, { attestationObject: other })).type).toBe('INVALID')
})
