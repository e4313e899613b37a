/**
 * Cryptography with the names of the reference architecture: hashes, signatures, encryption, PIN
 * translation, random numbers. auth-service does all of it; nothing that is sent or answered is logged.
 */
import type { Refusal } from '@causeway/protos'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { wholeNumber } from '../fields.ts'
import { writes, type Operation } from '../operation.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import { algorithm, data, extra, hexadecimal, keyId, requestId, shownBase64 } from './fields.ts'

const nothing = Buffer.alloc(0)
const ofKey = ['KEY_UNKNOWN', 'KEY_USAGE_WRONG', 'KEY_NOT_VALID', 'ADAPTER_UNAVAILABLE'] as const
/** Of what is audited, and bounded in rate. */
const ofUse = [...ofKey, 'BUSY'] as const
/** Argon2id waits for others. */
const deadline_ms = 10_000

const hashBody = z.strictObject({
  data,
  algorithm: z.enum(['SHA-256', 'SHA-512', 'argon2id']),
  /** Precedes the data; argon2id makes one when it is left out. */
  salt: extra.exactOptional(),
})

/** Either the data, or its digest: SHA-256 of ES256 and RS256, SHA-384 of ES384. */
const signed = { data: data.exactOptional(), digest: extra.exactOptional() }

const signatureBody = z.strictObject({ keyId, algorithm: algorithm.exactOptional(), ...signed })

const verificationBody = z.strictObject({
  keyId: keyId.exactOptional(),
  /** PEM, or the JSON of a JWK. */
  publicKey: z.string().max(4_096).exactOptional(),
  algorithm,
  ...signed,
  signature: extra,
})

const encryptionBody = z.strictObject({ keyId, plaintext: data, aad: extra.optional() })

const decryptionBody = z.strictObject({
  keyId,
  ciphertext: data,
  iv: extra,
  tag: extra,
  aad: extra.optional(),
})

const pinFormat = wholeNumber(0, 4)

const pinBody = z.strictObject({
  pinBlock: hexadecimal(32),
  /** ISO 9564: 0, 1, 3 (TDES) or 4 (AES). */
  format: pinFormat,
  /** As `format` when it is left out. */
  targetFormat: pinFormat.optional(),
  sourceKeyId: keyId,
  targetKeyId: keyId,
  /** 12 to 19 digits; not needed for format 1. */
  pan: z.string().max(19).exactOptional(),
})

const randomBody = z.strictObject({
  requestId,
  purpose: z.enum(['ID', 'SECRET', 'FIDO_CHALLENGE']),
  byteLength: wholeNumber(16, 64),
  encoding: z.enum(['base64url', 'hex']),
})

export function cryptographyOperations(deps: Deps): readonly Operation[] {
  return [...hashesAndSignatures(deps), ...encryption(deps), ...pinsAndRandomNumbers(deps)]
}

function hashesAndSignatures({ cryptography }: Deps): readonly Operation[] {
  const shownHash = z.strictObject({
    hash: shownBase64,
    salt: shownBase64.optional(),
    algorithm: z.string(),
  })
  const shownSignature = z.strictObject({
    signature: shownBase64,
    keyId: z.string(),
    algorithm: z.string(),
  })
  return [
    writes(
      'POST',
      '/hash-gen',
      hashBody,
      { about: 'Hashes data', answers: { 200: shownHash }, refuses: ['INVALID', 'BUSY'] },
      async ({ body }) => {
        const made = await cryptography.GenerateHash(body, { deadline_ms })
        return unlessRefused(made, () => ({
          hash: text(made.hash),
          ...(made.salt === undefined ? {} : { salt: text(made.salt) }),
          algorithm: body.algorithm,
        }))
      },
    ),
    writes(
      'POST',
      '/signature-gen',
      signatureBody,
      {
        about:
          'Signs data, or its digest, with a key of the hub; the signature is that of a JWS. Audited',
        answers: { 200: shownSignature },
        refuses: ofUse,
      },
      async ({ body, actor }) => {
        const made = await cryptography.GenerateSignature({ ...body, actor })
        return unlessRefused(made, () => ({
          signature: text(made.signature),
          keyId: body.keyId,
          algorithm: made.algorithm,
        }))
      },
    ),
    writes(
      'POST',
      '/signature-ver',
      verificationBody,
      {
        about: 'Whether a signature is one of a key of the hub, or of a public key',
        answers: { 200: z.strictObject({ valid: z.boolean() }) },
        refuses: ofKey,
      },
      async ({ body }) => {
        const found = await cryptography.VerifySignature(body)
        return unlessRefused(found, () => ({ valid: found.valid }))
      },
    ),
  ]
}

function encryption({ cryptography }: Deps): readonly Operation[] {
  const shownText = z.strictObject({
    ciphertext: shownBase64,
    iv: shownBase64,
    tag: shownBase64,
    keyId: z.string(),
  })
  return [
    writes(
      'POST',
      '/encrypt',
      encryptionBody,
      {
        about: 'Encrypts data with AES-GCM',
        answers: { 200: shownText },
        refuses: ofKey,
      },
      async ({ body: { aad = nothing, ...rest } }) => {
        const made = await cryptography.Encrypt({ ...rest, aad })
        return unlessRefused(made, () => ({
          ciphertext: text(made.ciphertext),
          iv: text(made.iv),
          tag: text(made.tag),
          keyId: rest.keyId,
        }))
      },
    ),
    writes(
      'POST',
      '/decrypt',
      decryptionBody,
      {
        about: 'Decrypts what /encrypt answered. Audited',
        answers: { 200: z.strictObject({ plaintext: shownBase64 }) },
        refuses: [...ofUse, 'CIPHERTEXT_INVALID'],
      },
      async ({ body: { aad = nothing, ...rest }, actor }) => {
        const read = await cryptography.Decrypt({ ...rest, aad, actor })
        return unlessRefused(read, () => ({ plaintext: text(read.plaintext) }))
      },
    ),
  ]
}

function pinsAndRandomNumbers({ cryptography }: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/pin-translation',
      pinBody,
      {
        about:
          'Encrypts a PIN block under the key of another zone; no PIN is answered. Audited; a block belongs ' +
          'to the account number that it was translated for, and refused blocks lock the source key',
        answers: {
          200: z.strictObject({ pinBlock: z.string(), format: z.int().min(0).max(4) }),
        },
        refuses: [...ofUse, 'PIN_BLOCK_INVALID', 'KEY_LOCKED'],
      },
      async ({ body: { format, targetFormat = format, ...rest }, actor }) => {
        const asked = { ...rest, sourceFormat: format, targetFormat, actor }
        const made = await cryptography.TranslatePin(asked)
        return unlessRefused(made, () => ({
          pinBlock: made.pinBlock.toString('hex').toUpperCase(),
          format: targetFormat,
        }))
      },
    ),
    writes(
      'POST',
      '/random-number-gen',
      randomBody,
      {
        about: 'Random bytes; each call answers new ones',
        answers: { 200: z.strictObject({ requestId: z.string(), value: z.string() }) },
        refuses: ['ADAPTER_UNAVAILABLE'],
      },
      async ({ body: { requestId: id = randomUUID(), byteLength, encoding } }) => {
        const made = await cryptography.GenerateRandomNumber({ byteLength })
        return unlessRefused(made, () => ({
          requestId: id,
          value: made.value.toString(encoding),
        }))
      },
    ),
  ]
}

function text(bytes: Buffer): string {
  return bytes.toString('base64')
}

function unlessRefused(
  { refusal }: { readonly refusal?: Refusal | null },
  body: () => Parameters<typeof answered>[1],
): OperationResult {
  return refusal ? refusedUpstream(refusal) : answered(200, body())
}
