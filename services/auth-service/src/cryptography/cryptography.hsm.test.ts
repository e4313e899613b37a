import { wordOf } from '@causeway/approvals/testing'
import { openHsm, openSeal } from '@causeway/keys/provider'
import { makeSoftHsm } from '@causeway/keys/provider/testing'
import { statement } from '@causeway/postgres'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import { randomUUID } from 'node:crypto'
import { signedToken } from '../fsps/credentials/jwt.ts'
import { openTokenKeys } from '../fsps/credentials/token-keys.ts'
import { ownDatabase, secretsKey } from '../testing/world.ts'
import { openAdapters } from './adapters.ts'
import {
  actor,
  chooseAdapter,
  define,
  openWorld,
  outcomeOf,
  type CryptographyWorld,
} from './testing/world.ts'

const hsm = makeSoftHsm()
let world: CryptographyWorld

beforeAll(async () => {
  world = await openWorld(hsm.settings)
}, 60_000)

afterAll(async () => {
  await world.stop()
  hsm.remove()
})

const text = Buffer.from('a text')
const none = Buffer.alloc(0)

test('Keys are made in the HSM, encrypt, sign and agree there, and none is in the database', async () => {
  const keyId = await world.newKey('ENCRYPT', 'AES')
  const { ciphertext, iv, tag } = await world.calls.Encrypt({ keyId, plaintext: text, aad: none })
  const { plaintext } = await world.calls.Decrypt({ keyId, ciphertext, iv, tag, aad: none })
  expect(plaintext).toEqual(text)
  const pair = await world.newKey('SIGN', 'EC')
  const made = await world.calls.GenerateSignature({ keyId: pair, data: text })
  const { valid } = await world.calls.VerifySignature({
    keyId: pair,
    algorithm: 'ES256',
    data: text,
    signature: made.signature,
  })
  expect(valid).toBe(true)
  const { keys, adapter } = await world.keys.ListKeys({})
  expect(adapter).toMatchObject({ active: 'PKCS11', available: ['NODE', 'PKCS11'] })
  expect(keys.map(({ adapter: of }) => of)).toEqual(['PKCS11', 'PKCS11'])
})

test('A certificate request is signed by a key that never leaves the HSM, and TLS is refused', async () => {
  const keyDefinitionId = await define(world.keys, 'TLS', 'EC')
  const request = { requestId: randomUUID(), keyDefinitionId, actor }
  const subject = { commonName: 'a client', hosts: [] }
  const { key } = await world.keys.GeneratePem({ ...request, ...subject })
  expect(key?.csr).toContain('BEGIN CERTIFICATE REQUEST')
  const set = { host: 'a.example', keyId: key?.keyId ?? '', certificatePem: 'none', actor }
  expect(outcomeOf(await world.keys.SetListenerCertificate(set))).toBe('KEY_NOT_EXPORTABLE')
})

test('Another adapter makes new keys, and those of the HSM go on', async () => {
  const inHsm = await world.newKey('SIGN', 'EC')
  await chooseAdapter(world, 'NODE')
  const inDatabase = await world.newKey('SIGN', 'EC')
  const { keys } = await world.keys.ListKeys({})
  const adapterOf = (id: string) => keys.find(({ keyId }) => keyId === id)?.adapter
  expect([adapterOf(inHsm), adapterOf(inDatabase)]).toEqual(['PKCS11', 'NODE'])
  for (const keyId of [inHsm, inDatabase]) {
    const made = await world.calls.GenerateSignature({ keyId, data: text })
    expect(outcomeOf(made)).toBe('done')
  }
  await chooseAdapter(world, 'PKCS11')
})

test('Without the HSM its keys are refused, and the choice of it too', async () => {
  const keyId = await world.newKey('ENCRYPT', 'AES')
  const without = await world.restart({})
  const refused = await without.calls.Encrypt({ keyId, plaintext: text, aad: none })
  const chosen = await without.approvals.request('CryptoAdapter', { adapter: 'PKCS11' })
  expect([outcomeOf(refused), outcomeOf(chosen)]).toEqual([
    'ADAPTER_UNAVAILABLE',
    'ADAPTER_UNAVAILABLE',
  ])
  world = await without.restart(hsm.settings)
  const made = await world.calls.Encrypt({ keyId, plaintext: text, aad: none })
  expect(outcomeOf(made)).toBe('done')
})

test('New keys are made by another adapter once a second person has approved it', async () => {
  const active = async () => (await world.keys.ListKeys({})).adapter?.active
  const { approval } = await world.approvals.request('CryptoAdapter', { adapter: 'NODE' })
  const other = await world.approvals.request('CryptoAdapter', { adapter: 'NODE' })
  expect(wordOf(other)).toBe('REQUEST_PENDING')
  expect(await active()).toBe('PKCS11')
  const decided = await world.approvals.decide('CryptoAdapter', approval?.requestId ?? '')
  expect(wordOf(decided)).toBe('APPROVED')
  expect(await active()).toBe('NODE')
  await chooseAdapter(world, 'PKCS11')
})

describe('keys that sign tokens', () => {
  const claims = { iss: 'Hub', aud: 'fsp-api', sub: 'greenbank' }
  const seal = openSeal('KEY', secretsKey)
  const initial = 'pkcs11'

  async function verified(jwt: string, jwks: string): Promise<string | undefined> {
    const keys = createLocalJWKSet(JSON.parse(jwks) as JSONWebKeySet)
    return (await jwtVerify(jwt, keys, { issuer: 'Hub', audience: 'fsp-api' })).payload.sub
  }

  test('Token keys are made in the HSM, are replaced there, and tokens of earlier ones still verify', async () => {
    const db = await ownDatabase(world.parts, 2)
    const token = await openHsm(hsm.settings)
    const parts = { db, seal, life_ms: 60_000 }
    const inFile = openTokenKeys({
      ...parts,
      providers: openAdapters({ seal, token: undefined, initial: 'node' }),
    })
    const inHsm = openTokenKeys({ ...parts, providers: openAdapters({ seal, token, initial }) })
    await db.query(statement('delete from token_keys'), [])
    const now = new Date()
    const later = new Date(now.getTime() + 60_000)
    const jwts = [
      await signedToken(inFile, claims, now, 3_600),
      await signedToken(inHsm, claims, now, 3_600),
      await signedToken(inHsm, claims, later, 3_600),
    ]
    const jwks = await inFile.jwks(later)
    expect((JSON.parse(jwks) as JSONWebKeySet).keys).toHaveLength(3)
    for (const jwt of jwts) expect(await verified(jwt, jwks)).toBe('greenbank')
    const stored = statement(
      'select adapter, length(private_key) as length from token_keys order by signs_until, adapter',
    )
    expect(await db.query(stored, [])).toEqual([
      { adapter: 'NODE', length: null },
      { adapter: 'PKCS11', length: null },
      { adapter: 'PKCS11', length: 0 },
    ])
    await db.close()
    token?.close()
  })

  test('A replica without the HSM signs with a key of its own, which every other replica publishes', async () => {
    const db = await ownDatabase(world.parts, 2)
    const token = await openHsm(hsm.settings)
    const parts = { db, seal, life_ms: 60_000 }
    const withHsm = openTokenKeys({ ...parts, providers: openAdapters({ seal, token, initial }) })
    const without = openTokenKeys({
      ...parts,
      providers: openAdapters({ seal, token: undefined, initial }),
    })
    const now = new Date(Date.now() + 7_200_000)
    const [one, other] = [await withHsm.current(now), await without.current(now)]
    expect(one.kid).not.toBe(other.kid)
    const published = (JSON.parse(await withHsm.jwks(now)) as JSONWebKeySet).keys
    expect(new Set(published.map(({ kid }) => kid))).toEqual(new Set([one.kid, other.kid]))
    await db.close()
    token?.close()
  })
})
