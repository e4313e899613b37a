import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { newEvent } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { registered } from '../testing/auth.ts'
import { id, message, withHeaders } from '../testing/messages.ts'
import { newCa, openScheme, validFor, type Scheme } from '../testing/scheme.ts'
import { openWorld, send, summary, type EdgeWorld } from '../testing/world.ts'

const query = message('GET', `/transfers/${id}`)
const hour_ms = 3_600_000
const revokedAt = '2026-11-25T00:00:00.000Z'

let scheme: Scheme
let world: EdgeWorld

beforeAll(async () => {
  scheme = openScheme()
  world = await openWorld({
    ...scheme.settings,
    EDGE_IDENTITY: 'mtls',
    EDGE_CERTIFICATES: 'issued',
    EDGE_GATEWAY_SUBJECTS: 'gateway-1',
  })
})

afterAll(async () => {
  await world.stop()
  scheme.stop()
})

type Tls = ReturnType<Scheme['client']>

const ask = async (tls: Tls, sent = query) => summary(await send(world.edge.url, sent, tls))

function registrations(...tls: readonly Tls[]) {
  return tls.map(({ certificate }) => registered(certificate))
}

/** As auth-service announces it. */
async function announce(participantId: string): Promise<void> {
  const payload = { participantId, changedAt: new Date().toISOString() }
  await world.parts.bus.publish([newEvent('auth-service', 'ParticipantKeysUpdated', payload)])
}

/** A client that keeps its connection open, and says on which connection each answer came. */
function keepAlive(tls: Tls) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ports: (number | undefined)[] = []
  const outcome = () =>
    new Promise<string>((resolve, reject) => {
      const { certificate: cert, key, ca } = tls
      const { method, path, headers } = query
      const url = new URL(path, world.edge.url)
      const sending = request(url, { agent, cert, key, ca, method, headers }, (answer) => {
        ports.push(answer.socket.localPort)
        read(answer).then(resolve, reject)
      })
      sending.on('error', reject)
      sending.end()
    })
  return { outcome, ports, close: () => agent.destroy() }
}

async function read(answer: IncomingMessage): Promise<string> {
  for await (const _chunk of answer);
  return `${answer.statusCode} ${answer.headers.connection ?? ''}`
}

describe('Certificates of the CA', () => {
  test('A certificate of the CA identifies its FSP once it is registered, and not before', async () => {
    const tls = scheme.client('greenbank')
    world.auth.certificates.set('greenbank', [])
    await announce('greenbank')
    expect(await ask(tls)).toBe('401 3000')
    world.auth.certificates.set('greenbank', registrations(tls))
    await announce('greenbank')
    await eventually(async () => (await ask(tls)) === '202' || undefined, 'the registration')
  })

  test('A certificate of the CA identifies no FSP when it is registered for another one', async () => {
    const tls = scheme.client('sleeper')
    world.auth.certificates.set('bluewallet', registrations(tls))
    await announce('bluewallet')
    expect(await ask(tls, withHeaders(query, { 'fspiop-source': 'sleeper' }))).toBe('401 3000')
  })

  test('A certificate of the CA identifies its FSP no longer once it is revoked, on an open connection too, which ends', async () => {
    const [tls, other] = [scheme.client('greenbank'), scheme.client('greenbank')]
    world.auth.certificates.set('greenbank', registrations(tls, other))
    await announce('greenbank')
    const client = keepAlive(tls)
    await eventually(
      async () => (await client.outcome()).startsWith('202') || undefined,
      'the registration',
    )
    client.ports.splice(0)
    expect(await client.outcome()).toBe('202 keep-alive')
    world.auth.certificates.set('greenbank', [
      registered(tls.certificate, { revokedAt }),
      registered(other.certificate),
    ])
    await announce('greenbank')
    const ended = await eventually(async () => {
      const outcome = await client.outcome()
      return outcome.startsWith('401') ? outcome : undefined
    }, 'the revocation')
    expect(ended).toBe('401 close')
    expect(new Set(client.ports).size).toBe(1)
    expect(await ask(other)).toBe('202')
    client.close()
  })

  test('A certificate of the CA identifies its FSP no longer once it has ended, on a connection that began before', async () => {
    const tls = scheme.client('greenbank', { validity: validFor(-hour_ms, 3_000) })
    world.auth.certificates.set('greenbank', registrations(tls))
    await announce('greenbank')
    const client = keepAlive(tls)
    await eventually(
      async () => (await client.outcome()).startsWith('202') || undefined,
      'the registration',
    )
    client.ports.splice(0)
    await eventually(
      async () => (await client.outcome()).startsWith('401') || undefined,
      'the end of the certificate',
    )
    expect(new Set(client.ports).size).toBe(1)
    client.close()
  })

  test('A certificate of the CA that nobody registered is not asked about for each request', async () => {
    const tls = scheme.client('bluewallet')
    world.auth.certificates.set('bluewallet', [])
    const sent = withHeaders(query, { 'fspiop-source': 'bluewallet' })
    await announce('bluewallet')
    expect(await ask(tls, sent)).toBe('401 3000')
    const { certificates: before } = world.auth.asked
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => ask(tls, sent)))
    expect(new Set(outcomes)).toEqual(new Set(['401 3000']))
    // Once more, where the five seconds after a reading end in between.
    expect(world.auth.asked.certificates - before).toBeLessThanOrEqual(2)
  })

  test('A certificate of the CA is not judged while auth-service does not answer', async () => {
    const tls = scheme.client('bluewallet')
    await announce('bluewallet')
    world.auth.isAway = true
    const sent = withHeaders(query, { 'fspiop-source': 'bluewallet' })
    await eventually(async () => (await ask(tls, sent)) === '503 2003' || undefined, 'the outage')
    world.auth.isAway = false
  })
})

describe('Certificates that a gateway forwards', () => {
  const through = (value: string) =>
    ask(scheme.client('gateway-1'), withHeaders(query, { 'x-forwarded-client-cert': value }))
  const pemOf = ({ certificate }: Tls) => `Cert="${encodeURIComponent(certificate)}"`
  const hashOf = ({ certificate }: Tls) => registered(certificate).fingerprint

  test('A forwarded certificate identifies its FSP while it is registered, by the certificate or its hash', async () => {
    const tls = scheme.client('greenbank')
    world.auth.certificates.set('greenbank', registrations(tls))
    await announce('greenbank')
    await eventually(async () => (await through(pemOf(tls))) === '202' || undefined, 'registered')
    expect(await through(`Hash=${hashOf(tls)};Subject="CN=greenbank"`)).toBe('202')
    expect(await through('Subject="CN=greenbank"')).toBe('401 3000')
    expect(await through(`Hash=${'0'.repeat(64)};Subject="CN=greenbank"`)).toBe('401 3000')
    world.auth.certificates.set('greenbank', [registered(tls.certificate, { revokedAt })])
    await announce('greenbank')
    await eventually(async () => (await through(pemOf(tls))) === '401 3000' || undefined, 'revoked')
    expect(await through(`Hash=${hashOf(tls)};Subject="CN=greenbank"`)).toBe('401 3000')
  })

  test('A forwarded certificate identifies nobody when another CA issued it, or when it is not valid now', async () => {
    const wrong = [
      scheme.client('greenbank', { from: newCa() }),
      scheme.client('greenbank', { validity: validFor(-2 * hour_ms, -hour_ms) }),
      scheme.client('greenbank', { validity: validFor(hour_ms / 2, hour_ms) }),
    ]
    const right = scheme.client('greenbank')
    world.auth.certificates.set('greenbank', registrations(right, ...wrong))
    await announce('greenbank')
    await eventually(async () => (await through(pemOf(right))) === '202' || undefined, 'registered')
    for (const tls of wrong) expect(await through(pemOf(tls))).toBe('401 3000')
  })
})
