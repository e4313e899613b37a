/**
 * Verification of stored consents: credentials are checked again, signatures against the time of
 * their consent.
 */
import { randomUUID } from 'node:crypto'
import { createAuthenticator, createGenericKey } from '@causeway/fsp'
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import {
  challengeOf,
  challengeText,
  deletion,
  fido,
  generic,
  observed,
  owned,
  registration,
  signedWithFido,
  verification,
} from './testing/messages.ts'
import { lockConsent } from './store.ts'
import { openWorld, type ConsentsWorld } from './testing/world.ts'
import { verifyConsents } from './verify.ts'

const origin = 'https://app.pispx.example'
const challenge = Buffer.from(challengeText, 'base64url')

let parts: TestParts
let world: ConsentsWorld

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld(parts)
})

beforeEach(async () => {
  await world.db.query(statement('truncate consents, verifications'), [])
})

afterAll(async () => {
  await world.db.close()
  await parts.stop()
})

async function issued() {
  const id = randomUUID()
  const device = createAuthenticator()
  const attestation = device.register({ challenge: challengeOf(id), origin })
  await world.handle(observed(id), registration(id, fido(attestation)), owned(id))
  return { id, device }
}

async function issuedWithKey() {
  const id = randomUUID()
  const key = createGenericKey()
  const proof = key.sign(challengeOf(id).toString('base64url'))
  await world.handle(observed(id), registration(id, generic(key.publicKey, proof)), owned(id))
}

async function verified(consent: Awaited<ReturnType<typeof issued>>) {
  world.after(2_000)
  const id = randomUUID()
  const signed = signedWithFido(consent.device.assert({ challenge, origin }))
  expect(await world.handle(verification(id, consent.id, signed))).toHaveLength(1)
  world.after(2_000)
  return id
}

const waitsForLock = statement(`
  select count(*)::int as waiting from pg_locks where locktype = 'advisory' and not granted`)

test('A revocation that waits for its turn counts from the moment at which it is decided', async () => {
  const consent = await issued()
  let revoking: Promise<unknown> = Promise.resolve()
  await world.db.transaction(async (tx) => {
    await lockConsent(tx, consent.id)
    revoking = world.handle(deletion(consent.id))
    await eventually(async () => {
      const [row] = await world.db.query<{ waiting: number }>(waitsForLock, [])
      return row?.waiting === 1
    }, 'the revocation waits')
    world.after(5_000)
  })
  await revoking
  const [row] = await world.db.query<{ revoked_at: Date }>(
    statement('select revoked_at from consents where id = $1'),
    [consent.id],
  )
  expect(row?.revoked_at).toEqual(world.work().now())
})

test('State that results from messages alone has no differences, whatever the state of the consent', async () => {
  const [used, revoked] = [await issued(), await issued()]
  await issuedWithKey()
  await verified(used)
  await verified(revoked)
  await world.handle(deletion(revoked.id))
  expect(await verifyConsents(world.db)).toEqual({
    consents: 2,
    verifications: 2,
    differences: [],
  })
})

test('A signature that was accepted before the hub learned of a revocation is right, whatever time the DFSP names', async () => {
  const consent = await issued()
  await verified(consent)
  const before = new Date(world.work().now().getTime() - 10_000)
  await world.handle(deletion(consent.id, { revokedAt: before.toISOString() }))
  expect((await world.consent(consent.id))?.state).toBe('REVOKED')
  expect((await verifyConsents(world.db)).differences).toEqual([])
})

test.each(['verifier', 'scopes', 'credential'])(
  'A consent with the %s of another is a difference',
  async (column) => {
    const [one, other] = [await issued(), await issued()]
    const copied = statement(`
      update consents c set ${column} = o.${column}
      from consents o where c.id = $1 and o.id = $2`)
    const { id } = one
    if (column === 'scopes') {
      const changed = statement(`update consents set scopes = '[]' where id = $1`)
      await world.db.query(changed, [id])
    } else {
      await world.db.query(copied, [id, other.id])
    }
    expect((await verifyConsents(world.db)).differences).toEqual([
      `consent ${id} is ISSUED, but its registration does not prove its credential`,
    ])
  },
)

const shifts = [
  ['before the consent was issued', `set decided_at = decided_at - interval '1 hour'`],
  ['after it was revoked', `set decided_at = decided_at + interval '1 hour'`],
  ['for another FSP', `set dfsp = 'stranger'`],
  ['for a consent that does not exist', `set consent_id = 'none'`],
] as const

test.each(shifts)('A signature that was verified %s is a difference', async (_, change) => {
  const consent = await issued()
  const id = await verified(consent)
  await world.handle(deletion(consent.id))
  expect((await verifyConsents(world.db)).differences).toEqual([])
  await world.db.query(statement(`update verifications ${change} where id = $1`), [id])
  const { differences } = await verifyConsents(world.db)
  expect(differences).toEqual([
    expect.stringMatching(
      new RegExp(
        `^verification ${id} is VERIFIED, but consent .* was not in force for its FSP then$`,
      ),
    ),
  ])
})
