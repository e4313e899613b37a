import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@causeway/fsp'
import type { Handlers } from '@causeway/grpc'
import { statement } from '@causeway/postgres'
import type { ConsentSearch, consentsService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { serveConsents } from './serve.ts'
import {
  again,
  challengeOf,
  challengeText,
  deletion,
  fido,
  observed,
  owned,
  query,
  registration,
  signedWithFido,
  verification,
} from './testing/messages.ts'
import { openWorld, type ConsentsWorld } from './testing/world.ts'

const origin = 'https://app.pispx.example'
const challenge = Buffer.from(challengeText, 'base64url')
const remains = statement(`
  select consent_request_id, scopes, (select count(*)::int from revoked_credentials r
    where r.consent_id = c.id) as withdrawn from consents c where id = $1`)

/** As if they were registered and issued in months that are archived; months are those of UTC. */
const ageStatement = statement(`
  update consents set registered_at = '2020-04-01T01:30:00+02:00', issued_at = '2020-04-01T00:00:00Z'
  where id = $1`)

let parts: TestParts
let world: ConsentsWorld
let served: Handlers<typeof consentsService>

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld(parts)
  served = serveConsents({ db: world.db, bus: parts.bus, now: () => world.work().now() })
})

afterAll(async () => {
  await world.db.close()
  await parts.stop()
})

const call = { signal: new AbortController().signal, left_ms: () => 2_000, callers: ['admin'] }

const anything: ConsentSearch = { limit: 50 }

async function issued() {
  const id = randomUUID()
  const device = createAuthenticator()
  const attestation = device.register({ challenge: challengeOf(id), origin })
  const asked = registration(id, fido(attestation), { body: { consentRequestId: randomUUID() } })
  await world.handle(observed(id), asked, owned(id))
  return { id, device, asked }
}

function erase(consentId: string) {
  return served.EraseConsent({ consentId, erasedBy: 'olivia' }, call)
}

test('An operator sees every step of a consent, newest first, and no credential', async () => {
  const { id, device } = await issued()
  for (const signer of [device, createAuthenticator()]) {
    world.after(1_000)
    const signed = signedWithFido(signer.assert({ challenge, origin }))
    await world.handle(verification(randomUUID(), id, signed))
  }
  world.after(1_000)
  await world.handle(deletion(id))
  const { record } = await served.GetConsentRecord({ consentId: id }, call)
  expect(record?.summary).toMatchObject({
    consentId: id,
    state: 'REVOKED',
    dfspId: 'bankx',
    pispId: 'pispx',
    revokedBy: 'bankx',
  })
  expect(record?.summary?.credentialType).toBeUndefined()
  expect(record?.steps.map(({ type, detail }) => [type, detail])).toEqual([
    ['REVOKED', ''],
    ['SIGNATURE_REFUSED', 'SIGNATURE_INVALID: another credential signed'],
    ['SIGNATURE_VERIFIED', ''],
    ['OWNERSHIP_CONFIRMED', ''],
    ['CREDENTIAL_VERIFIED', 'FIDO'],
    ['PARTIES_OBSERVED', 'bankx and pispx'],
  ])
  expect((await served.GetConsentRecord({ consentId: randomUUID() }, call)).record).toBeNull()
})

test('Consents are found by id, FSP, state and time, in pages', async () => {
  world.after(3_600_000)
  const from = world.work().now().toISOString()
  const ids: string[] = []
  for (let n = 0; n < 3; n++) {
    world.after(1_000)
    ids.unshift((await issued()).id)
  }
  await world.handle(deletion(ids[1] ?? ''))
  const search = async (asked: Partial<ConsentSearch>) => {
    const { consents, next } = await served.SearchConsents({ ...anything, ...asked }, call)
    return { ids: consents.map(({ consentId }) => consentId), next }
  }
  expect(await search({ from })).toEqual({ ids, next: undefined })
  expect((await search({ from, fspId: 'pispx' })).ids).toEqual(ids)
  expect((await search({ from, fspId: 'stranger' })).ids).toEqual([])
  expect((await search({ from, state: 'REVOKED' })).ids).toEqual([ids[1]])
  expect((await search({ consentId: ids[2] ?? '' })).ids).toEqual([ids[2]])
  expect((await search({ from, to: from })).ids).toEqual([])
  const first = await search({ from, limit: 2 })
  expect(first.ids).toEqual(ids.slice(0, 2))
  expect(await search({ from, limit: 2, after: first.next ?? '' })).toEqual({
    ids: ids.slice(2),
    next: undefined,
  })
})

test('The erasure of an ended consent retains its state and history, and its id cannot be reused', async () => {
  const { id, asked } = await issued()
  expect((await erase(id)).refusal?.reason).toBe('CONSENT_IN_FORCE')
  await world.handle(deletion(id))
  expect(await world.withdrawn(id)).toEqual(['FIDO'])
  expect(await erase(id)).toEqual({})
  expect(await erase(id)).toEqual({})
  expect(await world.db.query(remains, [id])).toEqual([
    { consent_request_id: null, scopes: null, withdrawn: 0 },
  ])
  expect((await world.steps(id)).filter((step) => step.startsWith('ERASED'))).toEqual([
    'ERASED olivia',
  ])
  expect(await world.handle(query(id), again(asked), again(deletion(id)))).toEqual(
    expect.arrayContaining([
      'ConsentRefused bankx 6103',
      'ConsentRefused bankx 6103',
      'ConsentRevoked bankx,pispx',
    ]),
  )
  expect((await erase(randomUUID())).refusal?.reason).toBe('CONSENT_UNKNOWN')
})

test('An operator sees which months of the history of a consent are archived', async () => {
  const { id } = await issued()
  const archivedOf = async () =>
    (await served.GetConsentRecord({ consentId: id }, call)).record?.archivedMonths
  expect(await archivedOf()).toEqual([])
  await world.db.query(ageStatement, [id])
  expect(await archivedOf()).toEqual(['2020-03', '2020-04'])
})
