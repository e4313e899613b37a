import { createPublicKey, generateKeyPairSync, randomUUID, type JsonWebKey } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newEvent, type Payload } from '@causeway/events'
import { readSignature, verifySignature } from '@causeway/fspiop'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { start } from '../service.ts'
import { participantKey } from '../testing/auth.ts'
import { message, quoteRequest, withHeaders } from '../testing/messages.ts'
import { newSigner, signed } from '../testing/signing.ts'
import { testSettings } from '../testing/settings.ts'
import { openWorld, send, summary, type EdgeWorld } from '../testing/world.ts'

const quote = message('POST', '/quotes', quoteRequest)
const [first, second] = [newSigner('green-1'), newSigner('green-2')]

describe('Signatures of FSPs', () => {
  let world: EdgeWorld
  beforeAll(async () => {
    world = await openWorld({ JWS_VERIFY: 'on' })
  })
  afterAll(() => world.stop())
  const ask = async (...sent: Parameters<typeof signed>) =>
    summary(await send(world.edge.url, await signed(...sent)))

  test('Signatures are verified over the received bytes, however they are split into chunks', async () => {
    world.auth.keys.set('greenbank', [participantKey('green-1', first.publicKey)])
    const note = 'ü名'.repeat(40_000)
    const body = String(quote.body).replace('{', `{ \n"more":"${note}",`)
    expect(await ask({ ...quote, body }, first)).toBe('202')
    const published = await eventually(
      () => world.received.find(({ type }) => type === 'QuoteRequestReceived'),
      'the event',
    )
    expect(published.headers['relay-body']?.toString()).toBe(body)
    const sent = await signed({ ...quote, body }, first)
    const changed = await send(world.edge.url, { ...sent, body: body.replace('"more"', '"less"') })
    expect(summary(changed)).toBe('400 3105')
    expect(changed.error?.errorDescription).toBe(
      'Invalid signature - body or protected header was changed, or another key signed',
    )
  })

  test('Signatures of a new key are accepted once it is registered, of an ended key no longer', async () => {
    expect(await ask(quote, second)).toBe('400 3105')
    const both = [
      participantKey('green-1', first.publicKey),
      participantKey('green-2', second.publicKey),
    ]
    world.auth.keys.set('greenbank', both)
    expect(await ask(quote, second)).toBe('202')
    expect(await ask(quote, first)).toBe('202')
    const validTo = new Date().toISOString()
    const ended = [participantKey('green-1', first.publicKey, { validTo }), ...both.slice(1)]
    world.auth.keys.set('greenbank', ended)
    await world.parts.bus.publish([
      newEvent('auth-service', 'ParticipantKeysUpdated', {
        participantId: 'greenbank',
        changedAt: validTo,
      }),
    ])
    await eventually(
      async () => ((await ask(quote, first)) === '400 3105' ? true : undefined),
      'the end of the first key',
    )
    expect(await ask(quote, second)).toBe('202')
  })

  test('Signatures of an encryption key are refused', async () => {
    const other = newSigner('blue-1')
    const key = participantKey('blue-1', other.publicKey, { use: 'enc' })
    world.auth.keys.set('bluewallet', [key])
    const sent = withHeaders(quote, { 'fspiop-source': 'bluewallet' })
    expect(await ask(sent, other)).toBe('400 3105')
  })

  test('Signatures that cannot be verified now are refused with 503', async () => {
    world.auth.isAway = true
    expect(await ask(quote, newSigner('green-3'))).toBe('503 2003')
    expect(await ask(quote, second)).toBe('202')
    world.auth.isAway = false
  })
})

describe('Signatures of the hub', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hub-key-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  function keyFile(name: string, text: string): string {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const pem = { type: 'pkcs8', format: 'pem' } as const
  const rsa = (modulusLength: number) =>
    String(generateKeyPairSync('rsa', { modulusLength }).privateKey.export(pem))
  const curve = (namedCurve: string) =>
    String(generateKeyPairSync('ec', { namedCurve }).privateKey.export(pem))

  async function callback(world: EdgeWorld) {
    const transferId = randomUUID()
    await world.parts.bus.publish([
      newEvent('transfers', 'TransferPrepareRequestTimedout', {
        transferId,
        payerFsp: 'greenbank',
        payerVersion: '1.1',
        errorInformation: { errorCode: '3303', errorDescription: 'Transfer expired' },
      }),
    ])
    const published = await eventually(
      () =>
        world.received.find(({ key, type }) => key === transferId && type === 'NotifyRequested'),
      'the callback',
    )
    const { headers, transport } = published.payload as Payload<'NotifyRequested'>
    return { headers, transport, body: published.headers['relay-body'] as Buffer, transferId }
  }

  async function jwks(world: EdgeWorld): Promise<readonly JsonWebKey[]> {
    const path = '/.well-known/jwks.json'
    const answer = await send(world.edge.url, { method: 'GET', path, headers: {} })
    expect(answer.status).toBe(200)
    return (JSON.parse(answer.text) as { keys: JsonWebKey[] }).keys
  }

  test.each([
    ['RSA', 'RS256', rsa(2_048)],
    ['P-256', 'ES256', curve('P-256')],
  ] as const)(
    'A signature with a key of %s verifies with the published key',
    async (_title, alg, text) => {
      const file = keyFile(`${alg}.pem`, text)
      const world = await openWorld({
        JWS_SIGN: 'on',
        JWS_SIGNING_KEY_FILE: file,
        AUTH_SERVICE_PARTICIPANT: '',
      })
      try {
        const { headers, body, transferId } = await callback(world)
        const [shown, ...others] = await jwks(world)
        expect(others).toEqual([])
        expect(shown).toMatchObject({ alg, use: 'sig' })
        expect(shown).not.toHaveProperty('d')
        const kid = String(shown?.['kid'])
        const key = createPublicKey({ key: shown ?? {}, format: 'jwk' })
        const parsed = readSignature(headers['fspiop-signature'] ?? '', [alg])
        if ('code' in parsed) throw new Error(parsed.detail)
        expect(parsed.kid).toBe(kid)
        expect(Object.fromEntries(parsed.parameters)).toEqual({
          'FSPIOP-URI': `/transfers/${transferId}/error`,
          'FSPIOP-HTTP-Method': 'PUT',
          'FSPIOP-Source': 'Hub',
          'FSPIOP-Destination': 'greenbank',
          Date: headers['date'],
        })
        const received = { method: 'PUT', target: `/transfers/${transferId}/error`, headers, body }
        const verifying = [{ kid, key, validFrom: undefined, validTo: undefined }]
        const now = new Date()
        expect(verifySignature(parsed, received, verifying, { now })).toBeUndefined()
        const other = { ...received, body: Buffer.from('{}') }
        expect(verifySignature(parsed, other, verifying, { now })?.code).toBe('3105')
      } finally {
        await world.stop()
      }
    },
  )

  test('While the signing key is replaced, every callback carries a signature that a published key verifies', async () => {
    const files = [keyFile('before.pem', rsa(2_048)), keyFile('after.pem', curve('P-256'))]
    const [before = '', after = ''] = files
    const signing = { JWS_SIGN: 'on', AUTH_SERVICE_PARTICIPANT: '' } as const
    // The time of the replacement is set before the start, and must come after it on a busy machine too.
    const begun_ms = Date.now()
    await (await openWorld({ ...signing, JWS_SIGNING_KEY_FILE: before })).stop()
    const start_ms = Date.now() - begun_ms
    const switchAt = new Date(Date.now() + 2_000 + 4 * start_ms).toISOString()
    const world = await openWorld({
      ...signing,
      JWS_SIGNING_KEY_FILE: `${before},${after}@${switchAt}`,
    })
    try {
      const published = await jwks(world)
      const kids = published.map(({ kid }) => String(kid))
      const verifying = published.map((key, at) => ({
        kid: kids[at] ?? '',
        key: createPublicKey({ key, format: 'jwk' }),
        validFrom: undefined,
        validTo: undefined,
      }))
      const signedBy: string[] = []
      while (signedBy.filter((kid) => kid === kids[1]).length < 20) {
        const sent = await Promise.all(Array.from({ length: 10 }, () => callback(world)))
        for (const { headers, body, transferId } of sent) {
          const parsed = readSignature(headers['fspiop-signature'] ?? '', ['RS256', 'ES256'])
          if ('code' in parsed) throw new Error(parsed.detail)
          const received = {
            method: 'PUT',
            target: `/transfers/${transferId}/error`,
            headers,
            body,
          }
          expect(verifySignature(parsed, received, verifying, { now: new Date() })).toBeUndefined()
          signedBy.push(String(parsed.kid))
        }
      }
      expect(signedBy[0]).toBe(kids[0])
      expect(published).toHaveLength(2)
    } finally {
      await world.stop()
    }
  })

  test("The hub's key is published together with that of the auth service, which signs its own messages", async () => {
    const world = await openWorld({
      JWS_SIGN: 'on',
      JWS_SIGNING_KEY_FILE: keyFile('of-hub.pem', rsa(2_048)),
      JWS_AUTH_SERVICE_SIGNING_KEY_FILE: keyFile('of-auth.pem', rsa(2_048)),
    })
    try {
      const consentId = randomUUID()
      await world.parts.bus.publish([
        newEvent('auth-service', 'ConsentRefused', {
          consentId,
          requesterFspId: 'greenbank',
          version: '1.0',
          errorInformation: { errorCode: '6103', errorDescription: 'Consent not valid' },
        }),
      ])
      const published = await eventually(
        () =>
          world.received.find(({ key, type }) => key === consentId && type === 'NotifyRequested'),
        'the callback',
      )
      const { headers } = published.payload as Payload<'NotifyRequested'>
      expect(headers['fspiop-source']).toBe('centralAuth')
      const parsed = readSignature(headers['fspiop-signature'] ?? '', ['RS256'])
      if ('code' in parsed) throw new Error(parsed.detail)
      const [ofHub, ofAuth] = await jwks(world)
      expect(parsed.kid).toBe(ofAuth?.['kid'])
      expect(ofHub?.['kid']).not.toBe(ofAuth?.['kid'])
      const key = createPublicKey({ key: ofAuth ?? {}, format: 'jwk' })
      const verifying = [{ kid: String(parsed.kid), key, validFrom: undefined, validTo: undefined }]
      const body = published.headers['relay-body'] as Buffer
      const received = { method: 'PUT', target: `/consents/${consentId}/error`, headers, body }
      expect(verifySignature(parsed, received, verifying, { now: new Date() })).toBeUndefined()
    } finally {
      await world.stop()
    }
  })

  test('A hub that does not sign sends no signatures and publishes no keys', async () => {
    const world = await openWorld()
    try {
      expect((await callback(world)).headers).not.toHaveProperty('fspiop-signature')
      expect(await jwks(world)).toEqual([])
    } finally {
      await world.stop()
    }
  })

  test.each([
    ['is not named', '', /JWS_SIGNING_KEY_FILE is not set/],
    ['is not there', join(folder, 'nothing.pem'), /JWS_SIGNING_KEY_FILE: .*ENOENT/],
    ['is not PEM', keyFile('junk.pem', 'junk'), /holds no private key in PEM/],
    ['is too short', keyFile('short.pem', rsa(1_024)), /holds a key that cannot sign/],
    [
      'is a second one without a time',
      `${keyFile('one.pem', curve('P-256'))},${keyFile('two.pem', curve('P-256'))}`,
      /names no time from which it signs/,
    ],
    ['is of another curve', keyFile('p384.pem', curve('P-384')), /holds a key that cannot sign/],
  ])('An edge with a key that %s does not start', async (_title, file, published) => {
    const world = await openWorld()
    try {
      const settings = { ...testSettings, JWS_SIGN: 'on', JWS_SIGNING_KEY_FILE: file } as const
      await expect(start(settings, world.parts)).rejects.toThrow(published)
    } finally {
      await world.stop()
    }
  })
})
