import { createAuthenticator, createGenericKey } from '@causeway/fsp'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import {
  again,
  challengeOf,
  deletion,
  dfsp,
  fido,
  generic,
  notOwned,
  observed,
  owned,
  pisp,
  query,
  registration,
  scopes,
  stranger,
} from './testing/messages.ts'
import { openWorld, type ConsentsWorld } from './testing/world.ts'

const origin = 'https://app.pispx.example'

let parts: TestParts
let world: ConsentsWorld

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld(parts)
})

afterAll(async () => {
  await world.db.close()
  await parts.stop()
})

function valid(consentId: string, ceremony: { origin?: string; rpId?: string } = {}) {
  const challenge = challengeOf(consentId)
  return fido(createAuthenticator().register({ challenge, origin, ...ceremony }))
}

describe('a consent with a valid credential', () => {
  test('A consent is issued only after account-lookup has confirmed its ownership', async () => {
    const id = randomUUID()
    expect(await world.handle(registration(id, valid(id)))).toEqual([
      'ConsentOwnershipClaimed centralAuth',
    ])
    expect(await world.consent(id)).toMatchObject({ state: 'PENDING', dfsp })
    expect(await world.handle(query(id))).toEqual(['ConsentRefused bankx 6103'])
    expect(await world.handle(owned(id))).toEqual(['ConsentRegistered bankx'])
    expect(await world.consent(id)).toMatchObject({ state: 'ISSUED' })
    expect(await world.steps(id)).toEqual([
      'CREDENTIAL_VERIFIED bankx',
      'OWNERSHIP_CONFIRMED centralAuth',
    ])
  })

  test('The DFSP receives its consent as sent, except for the status of the credential', async () => {
    const id = randomUUID()
    const credential = valid(id)
    await world.handle(registration(id, credential, { body: { extra: 1 } }), owned(id))
    expect(world.published.at(-1)?.payload).toEqual({
      consentId: id,
      requesterFspId: dfsp,
      version: '1.0',
      body: { status: 'ISSUED', scopes, credential: { ...credential, status: 'VERIFIED' } },
    })
  })

  test('A credential may be GENERIC', async () => {
    const id = randomUUID()
    const key = createGenericKey('Ed25519')
    const signature = key.sign(challengeOf(id).toString('base64url'))
    const credential = generic(key.publicKey, signature)
    expect(await world.handle(registration(id, credential), owned(id))).toEqual([
      'ConsentOwnershipClaimed centralAuth',
      'ConsentRegistered bankx',
    ])
    expect(await world.consent(id)).toMatchObject({ state: 'ISSUED', sign_count: '0' })
  })

  test('A registration is refused with 6003 if account-lookup refuses, and may be repeated', async () => {
    const id = randomUUID()
    const asked = registration(id, valid(id))
    await world.handle(asked)
    expect(await world.handle(notOwned(id))).toEqual(['ConsentRefused bankx 6003'])
    expect(await world.consent(id)).toMatchObject({
      state: 'REFUSED',
      reason: 'OWNERSHIP_REFUSED',
      verifier: null,
    })
    expect(await world.handle(owned(id))).toEqual([])
    expect(await world.handle(again(asked), owned(id))).toEqual([
      'ConsentOwnershipClaimed centralAuth',
      'ConsentRegistered bankx',
    ])
  })

  test('A registration is refused with 6003 if account-lookup does not answer in time', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()]
    await world.handle(...ids.map((id) => registration(id, valid(id))))
    world.after(59_999)
    expect(await world.sweep(60_000)).toEqual([])
    world.after(1)
    expect(await world.sweep(60_000)).toEqual(ids.map(() => 'ConsentRefused bankx 6003'))
    expect(await world.sweep(60_000)).toEqual([])
    expect(await world.handle(owned(ids[0] ?? ''))).toEqual([])
    expect(await world.consent(ids[0] ?? '')).toMatchObject({ state: 'REFUSED' })
  })

  test('A registration that cannot be refused keeps no other from being refused', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()]
    const [bad = ''] = ids
    await world.handle(...ids.map((id) => registration(id, valid(id))))
    world.after(60_000)
    const refused = await world.sweep(60_000, (store) => ({
      ...store,
      change: (keys, ...rest) =>
        keys.consentIds.includes(bad)
          ? Promise.reject(new Error('it cannot be announced'))
          : store.change(keys, ...rest),
    }))
    expect(refused).toEqual(['ConsentRefused bankx 6003', 'ConsentRefused bankx 6003'])
    expect(await world.consent(bad)).toMatchObject({ state: 'PENDING' })
    expect(await world.sweep(60_000)).toEqual(['ConsentRefused bankx 6003'])
  })

  test("Associations of FSPs' parties do not issue a consent", async () => {
    const id = randomUUID()
    await world.handle(registration(id, valid(id)))
    const stolen = owned(id, { from: stranger })
    const named = { ...owned(id), payload: { ...owned(id).payload, partyIdType: 'MSISDN' } }
    expect(await world.handle(stolen, named)).toEqual([])
    expect(await world.consent(id)).toMatchObject({ state: 'PENDING' })
  })
})

test.each([
  [true, 'that it was seen to grant'],
  [false, 'whose grant was not seen'],
])('The flag isGranter is %s of a DFSP that registers a consent %s', async (isGranter) => {
  const id = randomUUID()
  if (isGranter) await world.handle(observed(id))
  await world.handle(registration(id, valid(id)))
  expect(world.published.at(-1)?.payload).toMatchObject({ isGranter })
})

describe('a registration is refused', () => {
  test.each([
    [
      'over another challenge',
      () => fido(createAuthenticator().register({ challenge: Buffer.alloc(32), origin })),
      '6200',
    ],
    [
      'made at an origin without https',
      (id: string) => valid(id, { origin: 'http://app.pispx.example' }),
      '6200',
    ],
    ['of another relying party', (id: string) => valid(id, { rpId: 'other.example' }), '6200'],
    ['without a payload', () => ({ credentialType: 'FIDO', status: 'PENDING' }), '6200'],
    ['that is verified already', (id: string) => ({ ...valid(id), status: 'VERIFIED' }), '3100'],
    ['of an unknown type', () => ({ credentialType: 'SMS', status: 'PENDING' }), '3101'],
  ])('A registration is refused with a credential %s', async (_case, credentialOf, code) => {
    const id = randomUUID()
    expect(await world.handle(registration(id, credentialOf(id)))).toEqual([
      `ConsentRefused bankx ${code}`,
    ])
    expect(await world.consent(id)).toMatchObject({ state: 'REFUSED', verifier: null })
    expect(await world.handle(owned(id))).toEqual([])
    expect(await world.handle(query(id))).toEqual(['ConsentRefused bankx 6103'])
  })

  test('A registration is refused if the scopes are not the signed ones', async () => {
    const id = randomUUID()
    const changed = [{ ...scopes[0], address: 'bankx.acc.2' }]
    const asked = registration(id, valid(id), { body: { scopes: changed } })
    expect(await world.handle(asked)).toEqual(['ConsentRefused bankx 6200'])
  })

  test('A registration is refused if the consent in the message is REVOKED', async () => {
    const id = randomUUID()
    const asked = registration(id, valid(id), { body: { status: 'REVOKED' } })
    expect(await world.handle(asked)).toEqual(['ConsentRefused bankx 3100'])
  })

  test("A registration is refused if another DFSP granted the consent; that DFSP's own registration then succeeds", async () => {
    const id = randomUUID()
    const credential = valid(id)
    expect(
      await world.handle(observed(id), registration(id, credential, { from: stranger })),
    ).toEqual(['ConsentRefused stranger 6104'])
    expect(await world.consent(id)).toBeUndefined()
    expect(await world.handle(registration(id, credential), owned(id))).toEqual([
      'ConsentOwnershipClaimed centralAuth',
      'ConsentRegistered bankx',
    ])
  })

  test('A registration with an id that another DFSP uses is refused; a new id is accepted', async () => {
    const id = randomUUID()
    const credential = valid(id)
    await world.handle(registration(id, credential, { from: stranger }), owned(id))
    expect(await world.handle(observed(id), registration(id, credential))).toEqual([
      'ConsentRefused bankx 3106',
    ])
    expect(await world.consent(id)).toMatchObject({ state: 'ISSUED', dfsp: stranger })
    expect(await world.handle(deletion(id), query(id))).toEqual([
      'ConsentRefused bankx 6104',
      'ConsentRefused bankx 6104',
    ])
    const other = randomUUID()
    expect(
      await world.handle(observed(other), registration(other, valid(other)), owned(other)),
    ).toEqual(['ConsentOwnershipClaimed centralAuth', 'ConsentRegistered bankx'])
  })

  test('A refused registration may be repeated under the same id', async () => {
    const id = randomUUID()
    const wrong = fido(createAuthenticator().register({ challenge: Buffer.alloc(32), origin }))
    await world.handle(registration(id, wrong))
    expect(await world.handle(registration(id, valid(id)))).toEqual([
      'ConsentOwnershipClaimed centralAuth',
    ])
  })
})

describe('a registration that comes again', () => {
  test('A redelivered registration gets no second answer, in any state of the consent', async () => {
    const id = randomUUID()
    const asked = registration(id, valid(id))
    const wrong = registration(id, fido({}))
    await world.handle(wrong, asked)
    expect(await world.handle(asked, wrong)).toEqual([])
    await world.handle(owned(id))
    expect(await world.handle(asked, wrong)).toEqual([])
    await world.handle(deletion(id))
    expect(await world.handle(asked, wrong)).toEqual([])
  })

  test('A registration with the same content is answered once, and again when the consent is issued', async () => {
    const id = randomUUID()
    const asked = registration(id, valid(id))
    expect(await world.handle(asked, again(asked))).toEqual(['ConsentOwnershipClaimed centralAuth'])
    expect(await world.handle(owned(id))).toEqual(['ConsentRegistered bankx'])
    expect(await world.handle(again(asked))).toEqual(['ConsentRegistered bankx'])
    await world.handle(deletion(id))
    expect(await world.handle(again(asked))).toEqual(['ConsentRefused bankx 6103'])
  })

  test.each(['PENDING', 'ISSUED', 'REVOKED'])(
    'A repeated registration with other content or of another DFSP is refused with 3106 when it is %s',
    async (state) => {
      const id = randomUUID()
      const credential = valid(id)
      await world.handle(registration(id, credential))
      if (state !== 'PENDING') await world.handle(owned(id))
      if (state === 'REVOKED') await world.handle(deletion(id))
      expect(
        await world.handle(
          registration(id, credential, { body: { more: true } }),
          registration(id, credential, { from: stranger }),
        ),
      ).toEqual(['ConsentRefused bankx 3106', 'ConsentRefused stranger 3106'])
      expect(await world.consent(id)).toMatchObject({ state, dfsp })
    },
  )
})

test.each([
  ['DELETE', undefined, ['ConsentRefused bankx 6103']],
  ['PATCH with REVOKED', '2026-01-15T11:00:00.000Z', []],
])(
  '%s of a consent that is not there yet ends none that is registered before the event comes again',
  async (_message, revokedAt, expected) => {
    const id = randomUUID()
    const revocation = deletion(id, revokedAt === undefined ? {} : { revokedAt })
    expect(await world.handle(revocation)).toEqual(expected)
    await world.handle(registration(id, valid(id)), owned(id))
    expect(await world.handle(revocation)).toEqual([])
    expect(await world.consent(id)).toMatchObject({ state: 'ISSUED' })
  },
)

describe('the policy of origins', () => {
  test('The policy of origins is that of the PISP to which the consent was granted', async () => {
    const allowed = new Map([[pisp, { origins: [origin], rpIds: ['pispx.example'] }]])
    world.setPolicy({ allowed })
    const [right, wrong, other] = [randomUUID(), randomUUID(), randomUUID()]
    const listed = (id: string) => valid(id, { rpId: 'pispx.example' })
    const elsewhere = (id: string) =>
      valid(id, { origin: 'https://other.pispx.example', rpId: 'pispx.example' })
    expect(
      await world.handle(
        observed(right),
        registration(right, listed(right)),
        observed(wrong),
        registration(wrong, elsewhere(wrong)),
        observed(other, { pispId: 'pispy' }),
        registration(other, elsewhere(other)),
      ),
    ).toEqual(
      expect.arrayContaining([
        'ConsentOwnershipClaimed centralAuth',
        'ConsentRefused bankx 6200',
        'ConsentOwnershipClaimed centralAuth',
      ]),
    )
    expect(await world.consent(right)).toMatchObject({ state: 'PENDING' })
    expect(await world.consent(wrong)).toMatchObject({ state: 'REFUSED' })
    expect(await world.consent(other)).toMatchObject({ state: 'PENDING' })
    world.setPolicy({})
  })
})

describe('an issued consent', () => {
  test('An issued consent is shown to its DFSP and its PISP, and to no other FSP', async () => {
    const id = randomUUID()
    await world.handle(observed(id), registration(id, valid(id)), owned(id))
    expect(await world.handle(query(id))).toEqual(['ConsentRegistered bankx'])
    expect(await world.handle(query(id, { from: pisp }))).toEqual(['ConsentRegistered pispx'])
    expect(await world.handle(query(id, { from: stranger }))).toEqual([
      'ConsentRefused stranger 6104',
    ])
    expect(await world.handle(query(randomUUID()))).toEqual(['ConsentRefused bankx 6103'])
  })

  test('An issued consent is also found by the id of its request', async () => {
    const [id, consentRequestId] = [randomUUID(), randomUUID()]
    await world.handle(registration(id, valid(id), { body: { consentRequestId } }), owned(id))
    expect(await world.handle(query(consentRequestId))).toEqual(['ConsentRegistered bankx'])
    expect(world.published.at(-1)?.payload).toMatchObject({ consentId: consentRequestId })
  })

  test('An issued consent retains the first pair of DFSP and PISP', async () => {
    const id = randomUUID()
    await world.handle(observed(id), observed(id), observed(id, { pispId: 'pispy' }))
    expect(await world.steps(id)).toEqual(['PARTIES_OBSERVED bankx', 'PARTIES_CONFLICT bankx'])
    await world.handle(registration(id, valid(id)), owned(id))
    expect(await world.handle(query(id, { from: 'pispy' }))).toEqual(['ConsentRefused pispy 6104'])
  })

  test('A later observation cannot change the DFSP of an issued consent', async () => {
    const id = randomUUID()
    await world.handle(registration(id, valid(id)), observed(id, { dfspId: stranger }))
    expect(await world.steps(id)).toContain('PARTIES_CONFLICT stranger')
    await world.handle(owned(id))
    expect(await world.handle(query(id, { from: pisp }))).toEqual(['ConsentRefused pispx 6104'])
  })
})
