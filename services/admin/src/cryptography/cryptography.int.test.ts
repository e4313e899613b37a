import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { named } from '../access/privileges.ts'
import { refusalOf } from '../testing/identities.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'
import { connect, type Deps } from '../upstream.ts'
import { keyManagementOperations } from './keys.ts'
import { cryptographyOperations } from './operations.ts'

let admin: AdminWorld

beforeAll(async () => {
  admin = await openWorld([audit, authService])
}, 60_000)

afterAll(() => admin.stop())

async function post<Body>(path: string, body: unknown): Promise<Body> {
  const { status, json } = await admin.call('POST', path, body)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`)
  return json as Body
}

async function define(usage: string, type: string): Promise<string> {
  const body = { label: 'a key', usage, type }
  return (await post<{ keyDefinitionId: string }>('/kms-key-definition', body)).keyDefinitionId
}

test('Each operation answers in its form', async () => {
  const { keyId, kcv } = await post<{ keyId: string; kcv: string }>('/kms-aes-key-gen', {
    keyDefinitionId: await define('ENCRYPT', 'AES'),
    bits: '256',
  })
  expect(kcv).toMatch(/^[\dA-F]{10}$/)
  const text = await post<object>('/encrypt', { keyId, plaintext: 'AAEC' })
  expect(await post('/decrypt', text)).toEqual({ plaintext: 'AAEC' })
  const pair = await post<{ keyId: string; publicKey: string }>('/kms-ecc-key-gen', {
    keyDefinitionId: await define('SIGN', 'EC'),
    curve: 'Ed25519',
  })
  const signed = await post<{ signature: string }>('/signature-gen', {
    keyId: pair.keyId,
    data: 'AAEC',
  })
  expect(signed).toMatchObject({ algorithm: 'EdDSA', keyId: pair.keyId })
  const { signature } = signed
  const asked = { algorithm: 'EdDSA', data: 'AAEC', signature, publicKey: pair.publicKey }
  expect(await post('/signature-ver', asked)).toEqual({ valid: true })
  const pem = await post<{ csrPem: string }>('/kms-pem-gen', {
    keyDefinitionId: await define('TLS', 'EC'),
    subject: { commonName: 'a client' },
  })
  expect(pem.csrPem).toContain('BEGIN CERTIFICATE REQUEST')
  expect(await post('/crypto-adapter-set', { adapter: 'NODE', parameters: {} })).toMatchObject({
    active: 'NODE',
    changedDate: null,
  })
  expect((await admin.call('GET', '/GetPendingCryptoAdapter')).json).toEqual([])
  const { json } = await admin.call('GET', '/kms-keys')
  expect(json).toMatchObject({ adapter: { active: 'NODE' }, definitions: [{}, {}, {}] })
  expect(await post('/hash-gen', { data: 'AAEC', algorithm: 'argon2id' })).toMatchObject({
    algorithm: 'argon2id',
  })
  const random = { purpose: 'ID', byteLength: 16, encoding: 'base64url' }
  expect((await post<{ value: string }>('/random-number-gen', random)).value).toHaveLength(22)
})

const unknown = 'b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b'

test.each([
  ['/hash-gen', { data: 'AAEC', algorithm: 'MD5' }, '400 3101'],
  ['/hash-gen', { data: 'not base64', algorithm: 'SHA-256' }, '400 3101'],
  ['/hash-gen', { data: 'AAAA'.repeat(30_000), algorithm: 'SHA-256' }, '400 3100'],
  ['/hash-gen', { data: 'AAEC', algorithm: 'argon2id', salt: 'AAEC' }, '400 3100'],
  ['/signature-gen', { data: 'AAEC' }, '400 3102'],
  ['/signature-gen', { keyId: 'none', data: 'AAEC' }, '404 3200'],
  ['/signature-ver', { algorithm: 'ES256', data: 'AAEC', signature: 'AAEC' }, '400 3100'],
  ['/encrypt', { keyId: 'none', plaintext: 'AAEC' }, '404 3200'],
  ['/decrypt', { keyId: 'none', ciphertext: '', iv: '', tag: '' }, '404 3200'],
  ['/pin-translation', { pinBlock: 'xyz', format: 0 }, '400 3102'],
  ['/pin-translation-unlock', { keyId: 'none' }, '404 3200'],
  ['/random-number-gen', { purpose: 'ID', byteLength: 8, encoding: 'hex' }, '400 3100'],
  ['/random-number-gen', { purpose: 'ID', byteLength: 16, encoding: 'text' }, '400 3101'],
  ['/kms-key-definition', { label: 'x', usage: 'SIGN', type: 'AES' }, '400 3100'],
  ['/kms-aes-key-gen', { keyDefinitionId: 'none', bits: 256 }, '404 3200'],
  ['/kms-ecc-key-gen', { keyDefinitionId: 'none', curve: 'P-521' }, '400 3101'],
  ['/kms-load-key', { keyDefinitionId: 'none', wrappedKey: 'x', wrappingKeyId: 'x' }, '404 3200'],
  ['/crypto-adapter-set', { adapter: 'PKCS11' }, '400 3000'],
  ['/crypto-adapter-set', { adapter: 'NODE', parameters: { library: '/x.so' } }, '400 3100'],
  ['/ApproveCryptoAdapter', { requestId: unknown, decision: 'APPROVE' }, '404 3200'],
  ['/ssl-terminate', { host: 'a.example', keyId: 'none', certificatePem: 'none' }, '404 3200'],
])('%s with %j is refused with %s', async (path, body, refusal) => {
  expect(refusalOf(await admin.call('POST', path, body))).toBe(refusal)
})

test('Each operation has a privilege of its own', () => {
  const deps = connect(admin.parts.grpc) as Deps
  const own = [...named(cryptographyOperations(deps)), ...named(keyManagementOperations(deps))].map(
    ({ privilege }) => privilege,
  )
  expect(own.toSorted()).toEqual([
    'RUN_CRYPTO_ADAPTER_SET',
    'RUN_DECRYPT',
    'RUN_ENCRYPT',
    'RUN_HASH_GEN',
    'RUN_KMS_AES_KEY_GEN',
    'RUN_KMS_ECC_KEY_GEN',
    'RUN_KMS_KEY_DEFINITION',
    'RUN_KMS_LOAD_KEY',
    'RUN_KMS_PEM_GEN',
    'RUN_PIN_TRANSLATION',
    'RUN_PIN_TRANSLATION_UNLOCK',
    'RUN_RANDOM_NUMBER_GEN',
    'RUN_SIGNATURE_GEN',
    'RUN_SIGNATURE_VER',
    'RUN_SSL_TERMINATE',
    'VIEW_KMS_KEYS',
  ])
})
