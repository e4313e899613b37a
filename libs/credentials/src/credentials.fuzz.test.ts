/** Credentials and signatures of authenticators that are almost valid: nothing throws, and none is believed. */
import { consentClientChallenges, transactionClientChallenges } from '@causeway/fspiop'
import { changedBytes, changedJson, changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { checkAssertion, checkAttestation, credentialIdIn, presentedIn } from './fido.ts'
import { checkGenericRegistration, checkGenericSignature } from './generic.ts'
import { openDevice, sha256 } from './testing/device.ts'
import { fidoU2f, packedSelf, packedWithCertificate } from './testing/examples.ts'
import { openMaker } from './testing/statements.ts'

const consent = sha256(Buffer.from('a consent'))
const challenges = consentClientChallenges(consent)
const payment = sha256(Buffer.from('a payment'))
const paymentChallenges = transactionClientChallenges(payment.toString('base64url'))
const device = openDevice()
const registered = device.register(consent, { format: 'packed' })
const asserted = device.assert(payment)

const numRuns = 200
const base64 = (bytes: Buffer) => bytes.toString('base64')
const bytesOf = (text: string) => Buffer.from(text, 'base64')

/** The payload with changed bytes in one part, or with changed members. */
function changed(payload: { readonly response: object }): fc.Arbitrary<unknown> {
  const parts = Object.entries(payload.response as Readonly<Record<string, string>>)
  const ofPart = fc.constantFrom(...parts).chain(([name, text]) =>
    changedBytes([bytesOf(text)]).map((bytes) => ({
      ...payload,
      response: { ...payload.response, [name]: base64(bytes) },
    })),
  )
  return fc.oneof(ofPart, changedJson(payload))
}

test('A changed attestation of any format is judged', async () => {
  const published = [fidoU2f, packedSelf, packedWithCertificate].map(({ registration }) =>
    Buffer.from(registration.attestationObject, 'hex'),
  )
  const made = Object.entries(openMaker().statements).map(([format, statement]) =>
    bytesOf(device.register(consent, { format, statement }).response.attestationObject),
  )
  const objects = [...published, ...made]
  const other = changedBytes(objects).map((bytes) => ({
    ...registered,
    response: { ...registered.response, attestationObject: base64(bytes) },
  }))
  await fc.assert(
    fc.asyncProperty(fc.oneof(changed(registered), other), async (payload) => {
      const check = await checkAttestation(payload, challenges)
      if (check.type === 'INVALID') expect(check.detail.length).toBeLessThan(500)
      presentedIn(payload)
    }),
    { numRuns },
  )
})

test('A changed assertion is believed only if the authenticator signed the same', async () => {
  const check = await checkAttestation(registered, challenges)
  if (check.type !== 'VALID' || check.verifier.type !== 'FIDO') throw new Error(check.type)
  const { verifier } = check
  await fc.assert(
    fc.asyncProperty(changed(asserted), async (payload) => {
      const judged = await checkAssertion(payload, paymentChallenges, verifier)
      if (judged.type !== 'VALID') return
      const { response } = payload as typeof asserted
      expect(bytesOf(response.clientDataJSON)).toEqual(bytesOf(asserted.response.clientDataJSON))
      const { authenticatorData } = asserted.response
      expect(bytesOf(response.authenticatorData)).toEqual(bytesOf(authenticatorData))
    }),
    { numRuns },
  )
})

test('A member of more than 16,384 characters is refused for its length, before any of it is decoded', async () => {
  const refused = async (
    payload: object,
    name: string,
    check: (of: object) => Promise<unknown>,
  ) => {
    const response = { ...(payload as typeof registered).response, [name]: 'A'.repeat(16_388) }
    expect(await check({ ...payload, response })).toEqual({
      type: 'INVALID',
      detail: `malformed: response.${name}`,
    })
  }
  const attested = await checkAttestation(registered, challenges)
  if (attested.type !== 'VALID' || attested.verifier.type !== 'FIDO') throw new Error(attested.type)
  const { verifier } = attested
  for (const name of ['clientDataJSON', 'attestationObject']) {
    await refused(registered, name, (payload) => checkAttestation(payload, challenges))
  }
  for (const name of ['clientDataJSON', 'authenticatorData', 'signature']) {
    await refused(asserted, name, (payload) => checkAssertion(payload, paymentChallenges, verifier))
  }
  const object = bytesOf(registered.response.attestationObject)
  expect(await credentialIdIn(base64(object))).toBeDefined()
  expect(
    await credentialIdIn(base64(Buffer.concat([object, Buffer.alloc(12_288)]))),
  ).toBeUndefined()
})

test('The id of a credential is read from an attestation object, or there is none', async () => {
  const object = bytesOf(registered.response.attestationObject)
  await fc.assert(
    fc.asyncProperty(changedBytes([object]), async (bytes) => {
      const id = await credentialIdIn(base64(bytes))
      if (id !== undefined) expect(id).toMatch(/^[\w-]*$/)
    }),
    { numRuns },
  )
})

test('A changed credential of another kind is judged', () => {
  const publicKey = base64(device.keys.publicKey.export({ type: 'spki', format: 'der' }))
  const credential = { publicKey, signature: base64(Buffer.alloc(70, 1)) }
  const verifier = {
    type: 'GENERIC',
    publicKey: Buffer.from(publicKey, 'base64').toString('base64url'),
  } as const
  fc.assert(
    fc.property(
      changedJson(credential),
      changedText([credential.signature]),
      (payload, signature) => {
        expect(checkGenericRegistration(payload, consent).type).toBe('INVALID')
        const challenge = payment.toString('base64url')
        expect(checkGenericSignature(signature, challenge, verifier).type).toBe('INVALID')
      },
    ),
    { numRuns },
  )
})
