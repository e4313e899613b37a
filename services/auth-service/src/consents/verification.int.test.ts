import { createAuthenticator, createGenericKey, type Authenticator } from '@causeway/fsp'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  again,
  challengeOf,
  challengeText,
  deletion,
  fido,
  generic,
  owned,
  pisp,
  query,
  observed,
  registration,
  signedWithFido,
  signedWithKey,
  stranger,
  verification,
  verificationQuery,
} from './testing/messages.ts'
import { openWorld, type ConsentsWorld } from './testing/world.ts'

const origin = 'https://app.pispx.example'
const challenge = Buffer.from(challengeText, 'base64url')

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

async function issued(device: Authenticator = createAuthenticator()) {
  const id = randomUUID()
  const attestation = device.register({ challenge: challengeOf(id), origin })
  await world.handle(observed(id), registration(id, fido(attestation)), owned(id))
  return { id, device }
}

function sign(device: Authenticator, ceremony: { origin?: string; rpId?: string } = {}) {
  return signedWithFido(device.assert({ challenge, origin, ...ceremony }))
}

/** A signature over a challenge of its own. */
function signNew(device: Authenticator) {
  const own = randomBytes(32)
  const signed = signedWithFido(device.assert({ challenge: own, origin }))
  return { ...signed, challenge: own.toString('base64url') }
}

const verified = 'VerificationAnswered bankx VERIFIED'
const failed = (code: string, to = 'bankx') => `VerificationAnswered ${to} ${code}`

describe('a signature', () => {
  test('A signature of the credential is verified', async () => {
    const { id, device } = await issued()
    const request = verification(randomUUID(), id, sign(device))
    expect(await world.handle(request)).toEqual([verified])
    expect(await world.consent(id)).toMatchObject({ sign_count: '1' })
  })

  test('A signature may be in either member, and over the challenge as text', async () => {
    const { id, device } = await issued()
    const assertion = device.assert({ challenge: Buffer.from(challengeText), origin })
    const signed = { signedPayloadType: 'FIDO', fidoValue: assertion }
    expect(await world.handle(verification(randomUUID(), id, signed))).toEqual([verified])
  })

  test('A signature of a GENERIC credential is verified', async () => {
    const id = randomUUID()
    const key = createGenericKey()
    const proof = key.sign(challengeOf(id).toString('base64url'))
    await world.handle(registration(id, generic(key.publicKey, proof)), owned(id))
    const right = signedWithKey(key.sign(challengeText))
    const wrong = signedWithKey(createGenericKey().sign(challengeText))
    expect(
      await world.handle(
        verification(randomUUID(), id, right),
        verification(randomUUID(), id, wrong),
        verification(randomUUID(), id, sign(createAuthenticator())),
      ),
    ).toEqual([verified, failed('6201'), failed('6201')])
  })

  test.each<[string, (device: Authenticator) => object]>([
    [
      'over another challenge',
      (device) => signedWithFido(device.assert({ challenge: Buffer.alloc(32), origin })),
    ],
    ['of another credential', () => sign(createAuthenticator())],
    [
      'made at another origin',
      (device) => sign(device, { origin: 'https://evil.example', rpId: 'app.pispx.example' }),
    ],
    ['for another relying party', (device) => sign(device, { rpId: 'pispx.example' })],
    ['of another type', () => signedWithKey(createGenericKey().sign(challengeText))],
    ['that is missing', () => ({ signedPayloadType: 'FIDO' })],
  ])('%s is refused with 6201', async (_case, signedBy) => {
    const { id, device } = await issued()
    const request = verification(randomUUID(), id, signedBy(device))
    expect(await world.handle(request)).toEqual([failed('6201')])
    expect(await world.consent(id)).toMatchObject({ sign_count: '0' })
  })
})

describe('the signature counter', () => {
  test('The signature counter rejects a reused signature and one of a copied device, and both are audited', async () => {
    const { id, device } = await issued()
    const copy = device.clone()
    const used = sign(device)
    expect(await world.handle(verification(randomUUID(), id, used))).toEqual([verified])
    for (const signed of [used, signNew(copy)]) {
      expect(await world.handle(verification(randomUUID(), id, signed))).toEqual([
        failed('6201'),
        '/audit-log-write',
      ])
    }
    expect(await world.handle(verification(randomUUID(), id, signNew(device)))).toEqual([verified])
  })

  test('The signature counter increases with each of several signatures in one batch', async () => {
    const { id, device } = await issued()
    const requests = [1, 2, 3].map(() => verification(randomUUID(), id, signNew(device)))
    expect(await world.handle(...requests)).toEqual([verified, verified, verified])
    expect(await world.consent(id)).toMatchObject({ sign_count: '3' })
  })

  test('The signature counter of a device that does not count stays 0', async () => {
    const { id, device } = await issued(createAuthenticator({ counts: false }))
    const requests = [1, 2].map(() => verification(randomUUID(), id, signNew(device)))
    expect(await world.handle(...requests)).toEqual([verified, verified])
  })
})

describe('a challenge', () => {
  const audited = [failed('6201'), '/audit-log-write']

  test('A signature proves one request: for another one it is refused, whether or not its device counts', async () => {
    for (const counts of [true, false]) {
      const { id, device } = await issued(createAuthenticator({ counts }))
      const used = verification(randomUUID(), id, sign(device))
      expect(await world.handle(used)).toEqual([verified])
      expect(await world.handle(again(used))).toEqual([verified])
      expect(await world.handle(verification(randomUUID(), id, sign(device)))).toEqual(audited)
      expect(await world.handle(again(used))).toEqual([verified])
    }
  })

  test('A challenge is the same in every text of it', async () => {
    const { id, device } = await issued(createAuthenticator({ counts: false }))
    expect(await world.handle(verification(randomUUID(), id, sign(device)))).toEqual([verified])
    const padded = { ...sign(device), challenge: challenge.toString('base64') }
    expect(await world.handle(verification(randomUUID(), id, padded))).toEqual(audited)
    const hex = { ...sign(device), challenge: challenge.toString('hex') }
    expect(await world.handle(verification(randomUUID(), id, hex))).toEqual(audited)
  })

  test('A GENERIC signature proves one request, also over the text of a text', async () => {
    const id = randomUUID()
    const key = createGenericKey()
    const proof = key.sign(challengeOf(id).toString('base64url'))
    await world.handle(registration(id, generic(key.publicKey, proof)), owned(id))
    const signed = signedWithKey(key.sign(challengeText))
    const wrapped = { ...signed, challenge: Buffer.from(challengeText).toString('base64url') }
    const requests = [signed, signed, wrapped].map((one) => verification(randomUUID(), id, one))
    expect(await world.handle(...requests)).toEqual([verified, ...audited, ...audited])
  })

  test('A challenge may be verified for each of several consents, and after a failed attempt', async () => {
    for (const { id, device } of [await issued(), await issued()]) {
      const wrong = sign(createAuthenticator())
      const [first, second] = [wrong, sign(device)].map((one) =>
        verification(randomUUID(), id, one),
      )
      if (first === undefined || second === undefined) throw new Error('no request')
      expect(await world.handle(first, second)).toEqual([failed('6201'), verified])
    }
  })
})

describe('a verification request', () => {
  test('A verification request for an unknown, pending or revoked consent is refused with 6103', async () => {
    const device = createAuthenticator()
    const pending = randomUUID()
    const attestation = device.register({ challenge: challengeOf(pending), origin })
    await world.handle(registration(pending, fido(attestation)))
    const { id: revoked, device: other } = await issued()
    await world.handle(deletion(revoked))
    for (const [id, signer] of [
      [randomUUID(), device],
      [pending, device],
      [revoked, other],
    ] as const) {
      expect(await world.handle(verification(randomUUID(), id, sign(signer)))).toEqual([
        failed('6103'),
      ])
    }
  })

  test('A verification request of an FSP that is not the DFSP is refused with 6104', async () => {
    const { id, device } = await issued()
    for (const from of [pisp, stranger]) {
      const request = verification(randomUUID(), id, sign(device), { from })
      expect(await world.handle(request)).toEqual([failed('6104', from)])
    }
  })

  test('A redelivered verification request gets no second answer', async () => {
    const { id, device } = await issued()
    const request = verification(randomUUID(), id, sign(device))
    await world.handle(request)
    expect(await world.handle(request)).toEqual([])
  })

  test('A verification request with the same content gets the same answer', async () => {
    const { id, device } = await issued()
    const right = verification(randomUUID(), id, sign(device))
    const wrong = verification(randomUUID(), id, sign(createAuthenticator()))
    await world.handle(right, wrong)
    expect(await world.handle(again(right), again(wrong))).toEqual([verified, failed('6201')])
    expect(await world.consent(id)).toMatchObject({ sign_count: '1' })
  })

  test('A verification request with a used id and another content, FSP or consent is refused with 3106', async () => {
    const { id, device } = await issued()
    const { id: otherId } = await issued()
    const requestId = randomUUID()
    const signed = sign(device)
    const request = verification(requestId, id, signed)
    expect(
      await world.handle(
        request,
        verification(requestId, id, sign(device)),
        verification(requestId, otherId, signed),
        verification(requestId, id, signed, { from: stranger }),
      ),
    ).toEqual([verified, failed('3106'), failed('3106'), failed('3106', 'stranger')])
  })

  test('A verified request is not verified again once the consent is revoked', async () => {
    const { id, device } = await issued()
    const request = verification(randomUUID(), id, sign(device))
    await world.handle(request, deletion(id))
    const { verificationRequestId } = request.payload
    expect(await world.handle(again(request))).toEqual([failed('6103')])
    expect(await world.handle(verificationQuery(verificationRequestId))).toEqual([failed('6103')])
  })

  test('A verification request is shown to its DFSP and to no other FSP', async () => {
    const { id, device } = await issued()
    const [right, wrong] = [randomUUID(), randomUUID()]
    await world.handle(
      verification(right, id, sign(device)),
      verification(wrong, id, sign(createAuthenticator())),
    )
    expect(await world.handle(verificationQuery(right))).toEqual([verified])
    expect(await world.handle(verificationQuery(wrong))).toEqual([failed('6201')])
    expect(await world.handle(verificationQuery(right, { from: pisp }))).toEqual([
      failed('6104', 'pispx'),
    ])
    expect(await world.handle(verificationQuery(randomUUID()))).toEqual([failed('3200')])
  })
})

describe('DELETE of an issued consent', () => {
  test.each([undefined, pisp])(
    'DELETE of an issued consent by %s revokes it, and both parties get a callback',
    async (from) => {
      const { id } = await issued()
      const request = deletion(id, from === undefined ? {} : { from })
      expect(await world.handle(request)).toEqual(['ConsentRevoked bankx,pispx'])
      expect(await world.consent(id)).toMatchObject({ state: 'REVOKED', verifier: null })
      expect(await world.withdrawn(id)).toEqual(['FIDO'])
      expect(await world.handle(query(id, from === undefined ? {} : { from }))).toEqual([
        `ConsentRefused ${from ?? 'bankx'} 6103`,
      ])
    },
  )

  test('A repeated DELETE sends both callbacks again, with the time of the first', async () => {
    const { id } = await issued()
    const request = deletion(id)
    await world.handle(request)
    const first = world.published.at(-1)?.payload
    world.after(5_000)
    expect(await world.handle(request)).toEqual([])
    expect(await world.handle(again(request))).toEqual(['ConsentRevoked bankx,pispx'])
    expect(world.published.at(-1)?.payload).toEqual(first)
  })

  test('DELETE by another FSP is refused with 6104, and of an unknown consent with 6103', async () => {
    const { id } = await issued()
    expect(await world.handle(deletion(id, { from: stranger }))).toEqual([
      'ConsentRefused stranger 6104',
    ])
    expect(await world.consent(id)).toMatchObject({ state: 'ISSUED' })
    expect(await world.handle(deletion(randomUUID()))).toEqual(['ConsentRefused bankx 6103'])
  })

  test('DELETE by a PISP that the hub has not observed needs the DFSP as destination', async () => {
    const id = randomUUID()
    const attestation = createAuthenticator().register({ challenge: challengeOf(id), origin })
    await world.handle(registration(id, fido(attestation)), owned(id))
    expect(await world.handle(deletion(id, { from: pisp }))).toEqual(['ConsentRefused pispx 6104'])
    const named = deletion(id, { from: pisp, destinationFspId: 'bankx' })
    expect(await world.handle(named)).toEqual(['ConsentRevoked bankx,pispx'])
  })

  test('DELETE of a consent that waits for account-lookup also ends its registration', async () => {
    const id = randomUUID()
    const attestation = createAuthenticator().register({ challenge: challengeOf(id), origin })
    await world.handle(observed(id), registration(id, fido(attestation)))
    expect(await world.handle(deletion(id, { from: pisp }))).toEqual([
      'ConsentRefused bankx 6103',
      'ConsentRevoked bankx,pispx',
    ])
    expect(await world.handle(owned(id))).toEqual([])
    expect(await world.consent(id)).toMatchObject({ state: 'REVOKED' })
  })
})

describe('PATCH with REVOKED that the hub has relayed', () => {
  const revokedAt = '2026-01-15T11:59:00.000Z'

  test('A relayed PATCH of the DFSP revokes the consent from its time, without callbacks', async () => {
    const { id } = await issued()
    expect(await world.handle(deletion(id, { revokedAt }))).toEqual([])
    expect(await world.consent(id)).toMatchObject({ state: 'REVOKED' })
    await world.handle(deletion(id))
    expect(world.published.at(-1)?.payload).toMatchObject({ consentId: id, revokedAt })
  })

  test('A relayed PATCH of the PISP or another FSP, or for an unknown consent, changes nothing', async () => {
    const { id } = await issued()
    for (const from of [pisp, stranger]) {
      expect(await world.handle(deletion(id, { from, revokedAt }))).toEqual([])
    }
    expect(await world.handle(deletion(randomUUID(), { revokedAt }))).toEqual([])
    expect(await world.consent(id)).toMatchObject({ state: 'ISSUED' })
  })
})
