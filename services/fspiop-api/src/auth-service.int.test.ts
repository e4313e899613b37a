import { randomBytes } from 'node:crypto'
import { settings as authSettings, start as startAuth } from '@causeway/auth-service'
import type { Calls } from '@causeway/grpc'
import { readSettings } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { credentialsService, keysService } from '@causeway/protos'
import type { TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { emptyAuth } from './testing/auth.ts'
import { id, message, withHeaders } from './testing/messages.ts'
import { newSigner, signed } from './testing/signing.ts'
import { openWorld, send, summary, type EdgeWorld } from './testing/world.ts'

const query = message('GET', `/transfers/${id}`)
const ping = message('POST', '/pings', { pingId: id })

let world: EdgeWorld
let credentials: Calls<typeof credentialsService>
let keys: Calls<typeof keysService>
let stopAuth: (() => Promise<void>) | undefined
beforeAll(async () => {
  world = await openWorld(
    { EDGE_IDENTITY: 'token', JWS_VERIFY: 'on' },
    {
      async authOf(parts: TestParts) {
        const values = { AUTH_SERVICE_SECRETS_KEY: randomBytes(32).toString('base64url') }
        const sources = [{ origin: 'flag', values }] as const
        const read = readSettings(authSettings, { sources, prefixes: [] })
        const auth = await startAuth(read.values, parts)
        stopAuth = () => auth.stop()
        return emptyAuth()
      },
    },
  )
  credentials = world.parts.grpc.client(credentialsService, 'auth-service')
  keys = world.parts.grpc.client(keysService, 'auth-service')
})
afterAll(async () => {
  await stopAuth?.()
  await world.stop()
})

/** Requests a token at the edge with the secret, as an FSP does. */
async function tokenOf(participant: string): Promise<string> {
  const { secret } = await credentials.CreateClientSecret({ participant, createdBy: 'operator' })
  if (!secret) throw new Error(`${participant} gets no secret`)
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: secret.clientId,
    client_secret: secret.clientSecret,
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const asked = { method: 'POST', path: '/token', headers, body: form.toString() }
  const { text } = await send(world.edge.url, asked)
  return (JSON.parse(text) as { access_token: string }).access_token
}

test('A token that an FSP received for its secret identifies it', async () => {
  const authorization = `Bearer ${await tokenOf('greenbank')}`
  const asked = withHeaders(query, { authorization })
  expect(summary(await send(world.edge.url, asked))).toBe('202')
  const inOther = withHeaders(asked, { 'fspiop-source': 'bluewallet' })
  expect(summary(await send(world.edge.url, inOther))).toBe('403 3100')
})

test('A registered key verifies signatures at once, and until it is ended', async () => {
  const authorization = `Bearer ${await tokenOf('greenbank')}`
  const signer = newSigner('green-1')
  const sent = withHeaders(await signed(ping, signer), { authorization })
  const ask = async () => summary(await send(world.edge.url, sent))
  expect(await ask()).toBe('400 3105')
  const publicKey = String(signer.publicKey.export({ type: 'spki', format: 'pem' }))
  await keys.AddParticipantKey({
    participant: 'greenbank',
    kid: 'green-1',
    use: 'sig',
    publicKey,
    createdBy: 'operator',
  })
  expect(await ask()).toBe('202')
  await keys.EndParticipantKey({
    participant: 'greenbank',
    kid: 'green-1',
    actor: 'ada',
  })
  await eventually(async () => ((await ask()) === '400 3105' ? true : undefined), 'its end')
})
