/** Key management with the names of the reference architecture. No answer has key material. */
import {
  keyDefinitionTypeValues,
  keyDefinitionUsageValues,
  type ManagedKey,
  type ManagedKeyAnswer,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { time, wholeNumber, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import { adapter, adapterBodyOf, adapterOperations, shownAdapter } from './adapter.ts'
import { keyId, requestId } from './fields.ts'

const usage = z.enum(keyDefinitionUsageValues)
const type = z.enum(keyDefinitionTypeValues)
const keyDefinitionId = word.max(64)

const definitionBody = z.strictObject({
  requestId,
  label: z.string().max(64),
  usage,
  type,
  /** Now when it is left out. */
  validFrom: time.exactOptional(),
  /** No end when it is left out. */
  validTo: time.exactOptional(),
})

const aesBody = z.strictObject({ requestId, keyDefinitionId, bits: wholeNumber(128, 256) })

const eccBody = z.strictObject({
  requestId,
  keyDefinitionId,
  curve: z.enum(['P-256', 'P-384', 'Ed25519']),
})

const pemBody = z.strictObject({
  requestId,
  keyDefinitionId,
  subject: z.strictObject({ commonName: word.max(64), organization: word.max(64).exactOptional() }),
  /** Host names and addresses of a server; without one there is only a request. */
  hosts: z.array(z.string().max(253)).max(20).optional(),
})

const loadBody = z.strictObject({
  requestId,
  keyDefinitionId,
  /** By an AES key: base64 (RFC 3394). By an EC key: a compact JWE (ECDH-ES, A256GCM) of its bytes. */
  wrappedKey: z.string().min(1).max(4_096),
  wrappingKeyId: keyId,
})

const listenerBody = z.strictObject({
  host: z.string().max(253),
  keyId,
  certificatePem: z.string().max(32_768),
})

const shownKey = z.strictObject({
  keyId: z.string(),
  keyDefinitionId: z.string(),
  adapter,
  /** Key check value; of secret keys. */
  kcv: z.string().nullable(),
  /** PEM; of key pairs. */
  publicKey: z.string().nullable(),
  createdDate: shownTime,
  createdBy: z.string(),
})

const shownKeys = z
  .strictObject({
    adapter: shownAdapter,
    definitions: z.array(
      z.strictObject({
        keyDefinitionId: z.string(),
        label: z.string(),
        usage,
        type,
        validFrom: shownTime,
        validTo: shownTime.nullable(),
        createdDate: shownTime,
        createdBy: z.string(),
        keys: z.array(shownKey),
      }),
    ),
  })
  .meta({ id: 'Keys' })

const ofNewKey = [
  'KEY_DEFINITION_UNKNOWN',
  'KEY_USAGE_WRONG',
  'KEY_NOT_VALID',
  'ADAPTER_UNAVAILABLE',
  'MODIFIED',
] as const

export function keyManagementOperations(deps: Deps): readonly Operation[] {
  return [
    ...definitions(deps),
    ...generation(deps),
    ...pemAndLoading(deps),
    ...adapterOperations(deps),
    ...listeners(deps),
    ...pinUnlocking(deps),
  ]
}

function definitions({ keyManagement }: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/kms-key-definition',
      definitionBody,
      {
        about: 'Defines what keys are for, and when',
        answers: { 200: z.strictObject({ keyDefinitionId: z.string() }) },
        refuses: ['MODIFIED'],
      },
      async ({ newId, body: { requestId: id = newId, ...rest }, actor }) => {
        const message = { ...rest, requestId: id, actor }
        const { definition, refusal } = await keyManagement.DefineKey(message)
        if (refusal) return refusedUpstream(refusal)
        if (!definition) throw new Error('a key was defined, but the definition was not returned')
        return answered(200, { keyDefinitionId: definition.keyDefinitionId })
      },
    ),
    reads(
      '/kms-keys',
      {
        about: 'Definitions with their keys, the newest first, at most 1,000 of each',
        answers: { 200: shownKeys },
      },
      async () => {
        const { definitions: defined, keys, adapter: state } = await keyManagement.ListKeys({})
        if (!state) throw new Error('keys were listed without the adapter')
        return answered(200, {
          adapter: adapterBodyOf(state),
          definitions: defined.map(({ createdAt, validTo, ...definition }) => ({
            ...definition,
            validTo: validTo ?? null,
            createdDate: createdAt,
            keys: keys
              .filter((key) => key.keyDefinitionId === definition.keyDefinitionId)
              .map(keyBody),
          })),
        })
      },
    ),
  ]
}

function generation({ keyManagement }: Deps): readonly Operation[] {
  const shownPair = z.strictObject({ keyId: z.string(), publicKey: z.string() })
  return [
    writes(
      'POST',
      '/kms-aes-key-gen',
      aesBody,
      {
        about: 'Generates an AES key',
        answers: { 200: z.strictObject({ keyId: z.string(), kcv: z.string() }) },
        refuses: ofNewKey,
      },
      async ({ newId, body: { requestId: id = newId, ...rest }, actor }) =>
        made(
          await keyManagement.GenerateAesKey({ ...rest, requestId: id, actor }),
          ({ keyId: made_, kcv = '' }) => ({ keyId: made_, kcv }),
        ),
    ),
    writes(
      'POST',
      '/kms-ecc-key-gen',
      eccBody,
      {
        about: 'Generates an EC key pair; the answer has the public key in PEM',
        answers: { 200: shownPair },
        refuses: ofNewKey,
      },
      async ({ newId, body: { requestId: id = newId, ...rest }, actor }) =>
        made(
          await keyManagement.GenerateEccKey({ ...rest, requestId: id, actor }),
          ({ keyId: made_, publicKey = '' }) => ({ keyId: made_, publicKey }),
        ),
    ),
  ]
}

function pemAndLoading({ keyManagement }: Deps): readonly Operation[] {
  const shownPem = z.strictObject({
    keyId: z.string(),
    certificatePem: z.string().optional(),
    csrPem: z.string(),
  })
  return [
    writes(
      'POST',
      '/kms-pem-gen',
      pemBody,
      {
        about:
          'Generates a key pair with a certificate request and, for hosts, a server certificate of ' +
          "the scheme's CA; the private key never leaves",
        answers: { 200: shownPem },
        refuses: ofNewKey,
      },
      async ({ newId, body: { requestId: id = newId, subject, hosts = [], ...rest }, actor }) => {
        const message = { ...rest, ...subject, requestId: id, hosts, actor }
        return made(
          await keyManagement.GeneratePem(message),
          ({ keyId: made_, certificate, csr: csrPem = '' }) => ({
            keyId: made_,
            ...(certificate === undefined ? {} : { certificatePem: certificate }),
            csrPem,
          }),
        )
      },
    ),
    writes(
      'POST',
      '/kms-load-key',
      loadBody,
      {
        about: 'Imports a key that another party has wrapped for the hub',
        answers: { 200: z.strictObject({ keyId: z.string(), kcv: z.string() }) },
        refuses: [...ofNewKey, 'KEY_UNKNOWN', 'CIPHERTEXT_INVALID'],
      },
      async ({ newId, body: { requestId: id = newId, ...rest }, actor }) =>
        made(
          await keyManagement.LoadKey({ ...rest, requestId: id, actor }),
          ({ keyId: made_, kcv = '' }) => ({ keyId: made_, kcv }),
        ),
    ),
  ]
}

function listeners({ keyManagement }: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/ssl-terminate',
      listenerBody,
      {
        about: 'Sets the certificate that the FSP port shows to clients that name the host',
        answers: { 200: z.strictObject({ host: z.string(), validTo: shownTime }) },
        refuses: [
          'KEY_UNKNOWN',
          'KEY_USAGE_WRONG',
          'KEY_NOT_VALID',
          'KEY_NOT_EXPORTABLE',
          'ADAPTER_UNAVAILABLE',
          'CERTIFICATE_INVALID',
        ],
      },
      async ({ body, actor }) => {
        const { validTo, refusal } = await keyManagement.SetListenerCertificate({ ...body, actor })
        if (refusal) return refusedUpstream(refusal)
        return answered(200, { host: body.host, validTo: validTo ?? '' })
      },
    ),
  ]
}

function pinUnlocking({ keyManagement }: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/pin-translation-unlock',
      z.strictObject({ keyId }),
      {
        about: 'Permits the translation of PINs again that too many refused blocks have locked',
        answers: { 204: null },
        refuses: ['KEY_UNKNOWN'],
      },
      async ({ body, actor }) => {
        const { refusal } = await keyManagement.UnlockPinTranslation({ ...body, actor })
        return refusal ? refusedUpstream(refusal) : answered(204)
      },
    ),
  ]
}

function made(
  { key, refusal }: ManagedKeyAnswer,
  body: (key: ManagedKey) => Json,
): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  return key ? answered(200, body(key)) : refused('FAULT')
}

function keyBody({ kcv, publicKey, createdAt, ...key }: ManagedKey) {
  return {
    keyId: key.keyId,
    keyDefinitionId: key.keyDefinitionId,
    adapter: key.adapter,
    kcv: kcv ?? null,
    publicKey: publicKey ?? null,
    createdDate: createdAt,
    createdBy: key.createdBy,
  } satisfies Json
}
