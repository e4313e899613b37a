import { describe, expect, test } from '@jest/globals'
import { createPublicKey, generateKeyPairSync, type X509Certificate } from 'node:crypto'
import { keylessKeys } from '@causeway/pki/testing'
import { checkAssertion, checkAttestation } from './fido.ts'
import { openDevice, sha256, type Wrong } from './testing/device.ts'
import { fidoU2f, packedSelf, packedWithCertificate, type Example } from './testing/examples.ts'
import { openMaker, type MadeFormat, type MakerOptions } from './testing/statements.ts'
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
    ...(example === fidoU2f ? [] : [['the AAGUID', example.aaguid + '0020', 3] as const]),
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

const madeFormats: readonly MadeFormat[] = ['packed', 'fido-u2f', 'tpm', 'android-key', 'apple']
const consent = sha256(Buffer.from('a consent'))

/** The detail of an invalid credential; undefined: it is valid. */
async function faultOf(
  wrong: Wrong,
  roots: readonly X509Certificate[] = [],
  algorithm: 'ES256' | 'RS256' | 'EdDSA' = 'ES256',
): Promise<string | undefined> {
  const payload = openDevice(algorithm).register(consent, wrong)
  const check = await checkAttestation(payload, [consent.toString('base64url')], roots)
  return check.type === 'INVALID' ? check.detail : undefined
}

const made = (format: MadeFormat, options: MakerOptions = {}): Wrong => ({
  format,
  statement: openMaker(options).statements[format],
})

describe.each(madeFormats)('an attestation of the format %s', (format) => {
  test('A statement of an unknown maker is accepted', async () => {
    expect(await faultOf(made(format))).toBeUndefined()
    expect(await faultOf({ ...made(format), aaguid: Buffer.alloc(16, 7) })).toBeUndefined()
  })

  test('The end of its certificates is not judged', async () => {
    expect(await faultOf(made(format, { to: new Date('2021-01-01T00:00:00Z') }))).toBeUndefined()
  })

  test('A statement about another challenge or another key is refused', async () => {
    expect(await faultOf(made(format, { clientDataHash: Buffer.alloc(32, 1) }))).toBeDefined()
    if (format === 'packed' || format === 'fido-u2f') return
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    expect(await faultOf(made(format, { publicKey }))).toMatch(/another key/)
  })

  test('Where roots are listed the chain ends in one of them', async () => {
    const maker = openMaker()
    const wrong = { format, statement: maker.statements[format] }
    const { root: other } = openMaker()
    expect(await faultOf(wrong, [other])).toMatch(/listed root/)
    expect(await faultOf(wrong, [other, maker.authority])).toBeUndefined()
    // It sends its own certificate alone, so that the authority is what is listed.
    if (format !== 'fido-u2f') expect(await faultOf(wrong, [maker.root])).toBeUndefined()
  })
})

test('Where roots are listed, a credential without a chain is refused', async () => {
  const { root } = openMaker()
  for (const format of ['none', 'packed']) {
    expect(await faultOf({ format }, [root])).toMatch(/listed root/)
  }
})

test('A TPM may certify an RSA key', async () => {
  expect(await faultOf(made('tpm'), [], 'RS256')).toBeUndefined()
})

test('No statement makes a key acceptable with which signatures verify that no key made', async () => {
  for (const { key } of keylessKeys()) {
    const algorithm = key.asymmetricKeyType === 'rsa' ? 'RS256' : 'EdDSA'
    expect(await faultOf({ publicKey: key }, [], algorithm)).toMatch(/^the key is /)
  }
})

test('An RSA key of a credential has 2048 to 4096 bits', async () => {
  for (const bits of [512, 1_024, 2_040, 4_104]) {
    const n = Buffer.alloc(bits / 8, 0xff).toString('base64url')
    const publicKey = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
    expect(await faultOf({ publicKey }, [], 'RS256')).toMatch(/^the key is RSA of/)
  }
})
