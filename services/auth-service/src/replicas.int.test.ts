import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { statement, type Database } from '@causeway/postgres'
import { StartError } from '@causeway/process'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import { isSignature, openSeal } from '@causeway/keys/provider'
import { openTokenKeys } from './fsps/credentials/token-keys.ts'
import { openAdapters } from './cryptography/adapters.ts'
import { keys_max } from './fsps/keys/domain/key.ts'
import { openReplica, type Replica } from './testing/replica.ts'
import { fsp, openWorld, ownDatabase, type AuthServiceWorld } from './testing/world.ts'

const services = [participantLifecycle, settlements] as const

let auth: AuthServiceWorld
let replicas: Replica[] = []

beforeAll(async () => {
  auth = await openWorld(services)
  replicas = await Promise.all([openReplica(auth), openReplica(auth), openReplica(auth)])
})

afterAll(async () => {
  for (const replica of replicas) await replica.stop()
  await auth.stop()
})

/** A caller that waits for every answer. */
const call = { signal: new AbortController().signal, left_ms: () => 60_000, callers: undefined }

/** The same work in every replica at the same time. */
function everywhere<Result>(work: (replica: Replica) => Promise<Result>): Promise<Result[]> {
  return Promise.all(replicas.map(work))
}

function newPem(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

function addition(participant: string, publicKey: string) {
  const words = { use: 'sig', createdBy: 'operator' }
  return { participant, publicKey, ...words }
}

async function tokenVerifies(accessToken: string, jwksJson: string): Promise<string> {
  const keySet = createLocalJWKSet(JSON.parse(jwksJson) as JSONWebKeySet)
  const { payload } = await jwtVerify(accessToken, keySet, { audience: 'fsp-api', issuer: 'Hub' })
  return payload.sub ?? ''
}

test('Keys that are added in all replicas at once are counted together', async () => {
  const pems = Array.from({ length: keys_max }, newPem)
  const answers = await everywhere((replica) =>
    Promise.all(pems.map(() => replica.keys.AddParticipantKey(addition(fsp, newPem()), call))),
  )
  const added = answers.flat().filter((answer) => 'key' in answer)
  expect(added).toHaveLength(keys_max)
})

test('One key that is added in all replicas at once is stored once', async () => {
  await auth.createFsp('bluewallet')
  const pem = newPem()
  await everywhere((replica) => replica.keys.AddParticipantKey(addition('bluewallet', pem), call))
  const { participants } = await auth.keys.GetParticipantKeys({ names: ['bluewallet'] })
  expect(participants[0]?.keys).toHaveLength(1)
})

test('A secret of one replica is valid, and can be ended, in every other', async () => {
  const [first, ...others] = replicas
  const made = await first?.credentials.CreateClientSecret(
    { participant: fsp, createdBy: 'operator' },
    call,
  )
  const clientSecret = made?.secret?.clientSecret ?? ''
  const asked = { clientId: fsp, clientSecret }
  const { jwksJson } = await auth.credentials.GetTokenKeys({})
  for (const { credentials } of others) {
    const { token } = await credentials.IssueToken(asked, call)
    expect(await tokenVerifies(token?.accessToken ?? '', jwksJson)).toBe(fsp)
  }
  await first?.credentials.EndClientSecrets({ name: fsp, actor: 'ada' }, call)
  const refused = await everywhere(({ credentials }) => credentials.IssueToken(asked, call))
  expect(refused.map(({ refusal }) => refusal?.reason)).toEqual(replicas.map(() => 'SECRET_WRONG'))
})

function tokenKeysIn(db: Database, sealKeys: readonly string[]) {
  const seal = openSeal('KEY', sealKeys.join(','))
  const providers = openAdapters({ seal, token: undefined, initial: 'node' })
  return openTokenKeys({ db, seal, providers, life_ms: 60_000 })
}

test('When the token key has ended, all replicas create one successor, and both keys are published', async () => {
  const database = await ownDatabase(auth.parts, 4)
  const sealKey = newSealKey()
  const lives = Array.from({ length: 5 }, () => tokenKeysIn(database, [sealKey]))
  await database.query(statement('delete from token_keys'), [])
  const now = new Date()
  const firsts = await Promise.all(lives.map((keys) => keys.current(now)))
  expect(new Set(firsts.map(({ kid }) => kid)).size).toBe(1)
  const later = new Date(now.getTime() + 60_000)
  const nexts = await Promise.all(lives.map((keys) => keys.current(later)))
  const kids = new Set([...firsts, ...nexts].map(({ kid }) => kid))
  expect(kids.size).toBe(2)
  const [one] = lives
  const { keys } = JSON.parse((await one?.jwks(later)) ?? '') as JSONWebKeySet
  expect(new Set(keys.map(({ kid }) => kid))).toEqual(kids)
  const signing = statement('select kid from token_keys where private_key is not null')
  expect(await database.query(signing, [])).toEqual([{ kid: nexts[0]?.kid }])
  const muchLater = new Date(later.getTime() + 2 * 3_600_000)
  expect(JSON.parse((await one?.jwks(muchLater)) ?? '')).toEqual({ keys: [] })
  await database.close()
})

test('A replica with another secrets key does not start', async () => {
  const database = await ownDatabase(auth.parts)
  await database.query(statement('delete from token_keys'), [])
  const now = new Date()
  await tokenKeysIn(database, [newSealKey()]).current(now)
  await expect(tokenKeysIn(database, [newSealKey()]).current(now)).rejects.toThrow(StartError)
  await database.close()
})

test('The key of the seal is replaced in three steps and the signing key stays', async () => {
  const database = await ownDatabase(auth.parts, 4)
  await database.query(statement('delete from token_keys'), [])
  const [before, after] = [newSealKey(), newSealKey()]
  const open = (...list: readonly string[]) => tokenKeysIn(database, list)
  const now = new Date()
  const first = await open(before).current(now)
  const { keys } = JSON.parse(await open(before).jwks(now)) as JSONWebKeySet
  const publicKey = createPublicKey({ key: keys[0] as Record<string, string>, format: 'jwk' })
  const text = Buffer.from('a token')
  const signsAsBefore = async (replica: ReturnType<typeof open>) => {
    const { kid, sign } = await replica.current(now)
    return kid === first.kid && isSignature('ES256', publicKey, text, await sign(text))
  }
  const steps = [[before, after], [after, before], [after]]
  for (const step of steps) {
    const replica = open(...step)
    await replica.reseal(now)
    expect(await signsAsBefore(replica)).toBe(true)
  }
  await expect(open(before).current(now)).rejects.toThrow(StartError)
  expect(await signsAsBefore(open(after, before))).toBe(true)
  await database.close()
})

function newSealKey(): string {
  return randomBytes(32).toString('base64url')
}
