/** FIDO credentials on PostgreSQL, at two replicas. */
import { randomUUID } from 'node:crypto'
import { onEvents, type DomainEvent } from '@causeway/events'
import { createAuthenticator, type Authenticator } from '@causeway/fsp'
import type { Calls, HandledCall } from '@causeway/grpc'
import { statement, type Database } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import type {
  FidoAssertionPurpose,
  FidoChallengeCreationPurpose,
  fidoService,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { authSettings, ownDatabase } from '../../testing/world.ts'
import type { RelyingParty } from './domain/relying-party.ts'
import { relyingPartyOf } from './relying-party.ts'
import { serveFido } from './serve.ts'

type Fido = Calls<typeof fidoService>
type Audited = DomainEvent<'/audit-log-write'>['payload']

const origin = 'http://localhost:4100'
const call: HandledCall = {
  signal: new AbortController().signal,
  left_ms: () => 60_000,
  callers: ['admin'],
}

let parts: TestParts
let databases: readonly Database[] = []
let replicas: readonly Fido[] = []
const audited: Audited[] = []

beforeAll(async () => {
  parts = await openTestParts()
  databases = [await ownDatabase(parts, 4), await ownDatabase(parts, 4)]
  const relyingParty = relyingPartyOf(authSettings())
  replicas = databases.map((db) => openReplica(db, relyingParty))
  await onEvents(parts.bus, 'test', ['/audit-log-write'], (events) => {
    audited.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
})

afterAll(async () => {
  await Promise.all(databases.map((db) => db.close()))
  await parts.stop()
})

function openReplica(db: Database, relyingParty: RelyingParty): Fido {
  const handlers = serveFido({ db, bus: parts.bus, relyingParty, challengeLife_ms: 60_000 })
  return {
    CreateFidoChallenge: (request) => handlers.CreateFidoChallenge(request, call),
    RegisterFidoCredential: (request) => handlers.RegisterFidoCredential(request, call),
    VerifyFidoAssertion: (request) => handlers.VerifyFidoAssertion(request, call),
  }
}

let userId = ''
let device: Authenticator

beforeEach(async () => {
  userId = `user-${randomUUID()}`
  device = createAuthenticator()
  expect(await register(device, await challengeFor('REGISTER'))).toMatchObject({
    credential: { credentialId: expect.any(String), publicKey: expect.any(String) },
  })
})

const replica = (at: number): Fido => {
  const found = replicas[at % replicas.length]
  if (found === undefined) throw new Error('there is no replica')
  return found
}

async function challengeFor(
  purpose: FidoChallengeCreationPurpose,
  { id = '', hash = '' } = {},
  user = userId,
  at = 0,
): Promise<string> {
  const wanted = { purpose, userId: user, transactionId: id, transactionHash: hash }
  const { challenge, refusal } = await replica(at).CreateFidoChallenge(wanted)
  if (!challenge) throw new Error(refusal?.reason)
  return challenge.challenge
}

function register(key: Authenticator, challenge: string, user = userId, at = 1) {
  const ceremony = { challenge: Buffer.from(challenge, 'base64url'), origin }
  const attestationJson = JSON.stringify(key.register(ceremony))
  return replica(at).RegisterFidoCredential({
    userId: user,
    challenge,
    attestationJson,
    actor: 'component',
  })
}

function signed(key: Authenticator, challenge: string, at = origin): string {
  return JSON.stringify(key.assert({ challenge: Buffer.from(challenge, 'base64url'), origin: at }))
}

interface Verification {
  readonly purpose: FidoAssertionPurpose
  readonly id: string
  readonly hash: string
  readonly at: number
}

async function verify(
  challenge: string,
  assertionJson: string,
  { purpose = 'AUTHENTICATE', id = '', hash = '', at = 1 }: Partial<Verification> = {},
): Promise<string> {
  const { verified, refusal } = await replica(at).VerifyFidoAssertion({
    purpose,
    challenge,
    assertionJson,
    transactionId: id,
    transactionHash: hash,
    actor: 'component',
  })
  return verified ? `${verified.userId} ${verified.signCount}` : (refusal?.reason ?? '')
}

/** Waits for the audit entry of a failed attempt with this fault. */
async function isAudited(subject: string, fault: RegExp): Promise<void> {
  await eventually(
    () => audited.find((each) => each.subject === subject && fault.test(faultIn(each))),
    `a failed attempt of ${subject}: ${fault}`,
  )
}

function faultIn({ labels }: Audited): string {
  return labels.find(({ key }) => key === 'fault')?.value ?? ''
}

test('A user signs a challenge of one replica, and another replica verifies it', async () => {
  const challenge = await challengeFor('AUTHENTICATE')
  expect(await verify(challenge, signed(device, challenge))).toBe(`${userId} 1`)
})

test('A registration and a signature are audited with the component that asked', async () => {
  const challenge = await challengeFor('AUTHENTICATE')
  await verify(challenge, signed(device, challenge))
  const entries = await eventually(() => {
    const found = audited.filter(({ subject }) => subject === `fido-users/${userId}`)
    return found.length >= 2 ? found : undefined
  }, 'two audit entries')
  expect(
    entries.map(({ actionType, actionSuccessful, securityContext }) => [
      actionType,
      actionSuccessful,
      securityContext.userId,
    ]),
  ).toEqual([
    ['RegisterFidoCredential', true, 'component'],
    ['AuthenticateWithFido', true, 'component'],
  ])
})

describe('a refused authentication', () => {
  test.each<[string, (challenge: string) => Promise<string>, RegExp]>([
    [
      'that is repeated',
      async (challenge) => {
        const assertion = signed(device, challenge)
        expect(await verify(challenge, assertion)).toBe(`${userId} 1`)
        return verify(challenge, assertion, { at: 0 })
      },
      /used before/,
    ],
    [
      'after a failed attempt with the same challenge',
      async (challenge) => {
        const stranger = signed(createAuthenticator(), challenge)
        expect(await verify(challenge, stranger)).toBe('PROOF_INVALID')
        return verify(challenge, signed(device, challenge))
      },
      /used before/,
    ],
    [
      'of an authenticator that is not registered',
      (challenge) => verify(challenge, signed(createAuthenticator(), challenge)),
      /not registered/,
    ],
    [
      'at another origin',
      (challenge) => verify(challenge, signed(device, challenge, 'http://localhost.evil.example')),
      /relying party|origin/,
    ],
    [
      'over another challenge',
      async (challenge) => verify(challenge, signed(device, await challengeFor('AUTHENTICATE'))),
      /challenge is different/,
    ],
    [
      'with the challenge of a transaction',
      async () => {
        const other = await challengeFor('AUTHORIZE', { id: 't-1', hash: 'h-1' })
        return verify(other, signed(device, other))
      },
      /another purpose/,
    ],
    ['that is not readable', (challenge) => verify(challenge, '{'), /not registered/],
  ])('An authentication %s is refused', async (_case, attempt, fault) => {
    const challenge = await challengeFor('AUTHENTICATE')
    expect(await attempt(challenge)).toBe('PROOF_INVALID')
    await isAudited(`fido-users/${userId}`, fault)
  })

  test('An authentication with the challenge of another user is refused', async () => {
    const other = `user-${randomUUID()}`
    const own = createAuthenticator()
    await register(own, await challengeFor('REGISTER', {}, other), other)
    const challenge = await challengeFor('AUTHENTICATE', {}, other)
    expect(await verify(challenge, signed(device, challenge))).toBe('PROOF_INVALID')
    await isAudited(`fido-users/${userId}`, /another user/)
  })

  test('An authentication after the end of its challenge is refused', async () => {
    const challenge = await challengeFor('AUTHENTICATE')
    const expire = `update challenges set expires_at = now() - interval '1 s' where challenge = $1`
    await databases[0]?.query(statement(expire), [challenge])
    expect(await verify(challenge, signed(device, challenge))).toBe('PROOF_INVALID')
    await isAudited(`fido-users/${userId}`, /expired/)
  })

  test('A copied authenticator whose counter does not increase is refused', async () => {
    const copy = device.clone()
    const first = await challengeFor('AUTHENTICATE')
    expect(await verify(first, signed(device, first))).toBe(`${userId} 1`)
    const second = await challengeFor('AUTHENTICATE')
    expect(await verify(second, signed(copy, second))).toBe('PROOF_INVALID')
    await isAudited(`fido-users/${userId}`, /counter/)
  })

  test('A challenge that was not made here is refused', async () => {
    const challenge = Buffer.from(randomUUID()).toString('base64url')
    expect(await verify(challenge, signed(device, challenge))).toBe('PROOF_INVALID')
  })
})

test('An authenticator that does not count signs again and again', async () => {
  const passkey = createAuthenticator({ counts: false })
  await register(passkey, await challengeFor('REGISTER'))
  for (const _ of [1, 2]) {
    const challenge = await challengeFor('AUTHENTICATE')
    expect(await verify(challenge, signed(passkey, challenge))).toBe(`${userId} 0`)
  }
})

test('A transaction is authorized once, with exactly its id and its hash', async () => {
  const transaction = { id: randomUUID(), hash: 'a'.repeat(64) }
  const authorize = async (presented: { readonly id: string; readonly hash: string }) => {
    const challenge = await challengeFor('AUTHORIZE', transaction)
    const purpose = { purpose: 'AUTHORIZE' as const, ...presented }
    return verify(challenge, signed(device, challenge), purpose)
  }
  expect(await authorize({ ...transaction, id: randomUUID() })).toBe('PROOF_INVALID')
  expect(await authorize({ ...transaction, hash: 'b'.repeat(64) })).toBe('PROOF_INVALID')
  expect(await authorize({ id: '', hash: '' })).toBe('PROOF_INVALID')
  expect(await authorize(transaction)).toBe(`${userId} 4`)
})

describe('a refused registration', () => {
  test('A registered authenticator is not registered again, nor for another user', async () => {
    const again = await register(device, await challengeFor('REGISTER'))
    expect(again.refusal?.reason).toBe('CREDENTIAL_EXISTS')
    const other = `user-${randomUUID()}`
    const stolen = await register(device, await challengeFor('REGISTER', {}, other), other)
    expect(stolen.refusal?.reason).toBe('CREDENTIAL_EXISTS')
  })

  test('A registration with the challenge of another user is refused', async () => {
    const challenge = await challengeFor('REGISTER', {}, `user-${randomUUID()}`)
    const answer = await register(createAuthenticator(), challenge)
    expect(answer.refusal?.reason).toBe('PROOF_INVALID')
  })

  test('A challenge registers one authenticator', async () => {
    const challenge = await challengeFor('REGISTER')
    expect(await register(createAuthenticator(), challenge)).toHaveProperty('credential')
    const again = await register(createAuthenticator(), challenge, userId, 0)
    expect(again.refusal?.reason).toBe('PROOF_INVALID')
  })

  test('A user has at most ten authenticators', async () => {
    for (let n = 1; n < 10; n += 1) {
      await register(createAuthenticator(), await challengeFor('REGISTER'))
    }
    const eleventh = await register(createAuthenticator(), await challengeFor('REGISTER'))
    expect(eleventh.refusal?.reason).toBe('CREDENTIALS_FULL')
  })
})

test('A user has at most a hundred open challenges, and another user is not affected', async () => {
  const open = Array.from({ length: 100 }, () => challengeFor('AUTHENTICATE'))
  const [first = ''] = await Promise.all(open)
  await expect(challengeFor('AUTHENTICATE')).rejects.toThrow('BUSY')
  expect(await challengeFor('REGISTER', {}, `user-${randomUUID()}`)).toMatch(/^[\w-]{43}$/)
  expect(await verify(first, signed(device, first))).toBe(`${userId} 1`)
  expect(await challengeFor('AUTHENTICATE')).toMatch(/^[\w-]{43}$/)
})

test('A user without an authenticator gets no challenge to sign', async () => {
  await expect(challengeFor('AUTHENTICATE', {}, 'stranger')).rejects.toThrow('CREDENTIAL_UNKNOWN')
})

const attempts = fc.array(
  fc.record({
    /** Which of the challenges is answered. */
    challenge: fc.nat(3),
    /** Which signature over it: from the device or its copy, made earlier or later. */
    signature: fc.nat(2),
    replica: fc.nat(1),
    /** Attempts of one group run at once. */
    group: fc.nat(3),
  }),
  { minLength: 1, maxLength: 12 },
)

test('In any interleaving each challenge is accepted at most once, and no counter is accepted twice', async () => {
  await fc.assert(
    fc.asyncProperty(attempts, async (all) => {
      const own = createAuthenticator()
      const user = `user-${randomUUID()}`
      await register(own, await challengeFor('REGISTER', {}, user), user)
      const copy = own.clone()
      const challenges = await Promise.all(
        [0, 1, 2, 3].map((at) => challengeFor('AUTHENTICATE', {}, user, at)),
      )
      const signatures = challenges.map((each) => [own, copy, own].map((key) => signed(key, each)))
      const accepted: { readonly challenge: number; readonly count: number }[] = []
      for (const group of [0, 1, 2, 3]) {
        const atOnce = all.filter((each) => each.group === group)
        const counts = await Promise.all(
          atOnce.map(async ({ challenge, signature, replica: at }) => {
            const assertion = signatures[challenge]?.[signature] ?? ''
            const outcome = await verify(challenges[challenge] ?? '', assertion, { at })
            return outcome === 'PROOF_INVALID' ? [] : [{ challenge, count: countIn(outcome) }]
          }),
        )
        const highest = Math.max(0, ...accepted.map(({ count }) => count))
        const now = counts.flat()
        for (const { count } of now) expect(count).toBeGreaterThan(highest)
        accepted.push(...now)
      }
      const used = accepted.map(({ challenge }) => challenge)
      const counted = accepted.map(({ count }) => count)
      expect(new Set(used).size).toBe(used.length)
      expect(new Set(counted).size).toBe(counted.length)
      expect(await storedCount(user)).toBe(Math.max(0, ...counted))
    }),
    { numRuns: 25 },
  )
}, 120_000)

function countIn(outcome: string): number {
  return Number(outcome.split(' ')[1])
}

async function storedCount(user: string): Promise<number | undefined> {
  const [db] = databases
  const text = `select sign_count::int as count from fido_credentials where user_id = $1`
  const [row] = (await db?.query<{ readonly count: number }>(statement(text), [user])) ?? []
  return row?.count
}
