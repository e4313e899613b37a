import { connect } from 'node:tls'
import type { ClientTls } from '@causeway/http'
import type { Ca } from '@causeway/pki'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { participantKey, serveAuth } from '../testing/auth.ts'
import { as, ofOthers, prepare, quote } from '../testing/impostors.ts'
import {
  id,
  message,
  partyAnswer,
  transferFulfilment,
  withHeaders,
  type TestMessage,
} from '../testing/messages.ts'
import { newCa, openScheme, validFor, type Scheme } from '../testing/scheme.ts'
import { newSigner, signed } from '../testing/signing.ts'
import { openWorld, send, summary, type EdgeWorld } from '../testing/world.ts'

const fulfil = message('PUT', `/transfers/${id}`, transferFulfilment)
const query = message('GET', `/transfers/${id}`)
const hour_ms = 3_600_000

describe('Identity by client certificate', () => {
  const [green, blue] = [newSigner('green-1'), newSigner('blue-1')]
  const signers = new Map([
    ['greenbank', green],
    ['bluewallet', blue],
  ])
  let scheme: Scheme
  let world: EdgeWorld
  beforeAll(async () => {
    scheme = openScheme()
    world = await openWorld(
      {
        ...scheme.settings,
        EDGE_IDENTITY: 'mtls',
        EDGE_GATEWAY_SUBJECTS: 'gateway-1, gateway-2',
        JWS_VERIFY: 'on',
        TLS_RENEWAL_MS: 100,
      },
      {
        authOf(parts) {
          const auth = serveAuth(parts)
          const { keys } = auth
          keys.set('greenbank', [participantKey('green-1', green.publicKey)])
          keys.set('bluewallet', [participantKey('blue-1', blue.publicKey)])
          for (const name of ['sleeper', 'Hub', 'nobody']) {
            keys.set(name, [participantKey('green-1', green.publicKey)])
          }
          return auth
        },
      },
    )
  })
  afterAll(async () => {
    await world.stop()
    scheme.stop()
  })

  async function ask(tls: ClientTls, sent: TestMessage): Promise<string> {
    const source = sent.headers['fspiop-source'] ?? ''
    const whole = sent.method === 'GET' ? sent : await signed(sent, signers.get(source) ?? green)
    return summary(await send(world.edge.url, whole, tls))
  }

  test('An FSP is identified by the common name of its certificate', async () => {
    const tls = scheme.client('greenbank')
    expect(await ask(tls, prepare())).toBe('202')
    expect(await ask(tls, query)).toBe('202')
    expect(await ask(scheme.client('bluewallet'), fulfil)).toBe('200')
  })

  test.each([
    ['a POST', quote],
    ['a PUT', as('greenbank', fulfil)],
    ['a GET', query],
  ])('%s in the name of another FSP is refused', async (_title, sent) => {
    expect(await ask(scheme.client('bluewallet'), sent)).toBe('403 3100')
  })

  test('FSP names are compared case-sensitively', async () => {
    expect(await ask(scheme.client('GreenBank'), query)).toBe('403 3100')
    expect(await ask(scheme.client('greenbank'), as('GreenBank', query))).toBe('403 3100')
  })

  test("An unknown name and the hub's own name are not participants, even with a certificate of the CA", async () => {
    expect(await ask(scheme.client('nobody'), as('nobody', query))).toBe('400 3200')
    expect(await ask(scheme.client('Hub'), as('Hub', query))).toBe('400 3200')
  })

  test('An inactive FSP cannot begin anything, and can complete what it has begun', async () => {
    const tls = scheme.client('sleeper')
    expect(await ask(tls, as('sleeper', prepare()))).toBe('400 3100')
    expect(await ask(tls, as('sleeper', query))).toBe('400 3100')
    expect(await ask(tls, as('sleeper', fulfil))).toBe('200')
  })

  test('A client without a certificate of the scheme has no identity', async () => {
    const { ca } = scheme.client('greenbank')
    const none = { certificate: '', key: '', ca }
    expect(await ask(none, query)).toBe('401 3000')
    expect(await ask(none, fulfil)).toBe('401 3000')
    expect(await ask(scheme.client('greenbank', { from: newCa() }), query)).toBe('401 3000')
    for (const validity of [validFor(-2 * hour_ms, -hour_ms), validFor(hour_ms / 2, hour_ms)]) {
      expect(await ask(scheme.client('greenbank', { validity }), query)).toBe('401 3000')
    }
  })

  test('A refused identity and a refused signature are security events, an accepted message is none', async () => {
    const counted = async (type: string) => {
      const text = await world.parts.metrics.metrics()
      const line = new RegExp(
        `security_events_total\\{service="fspiop-api",type="${type}"\\} (\\d+)`,
      )
      return Number(line.exec(text)?.[1] ?? 0)
    }
    const both = async () => [await counted('IDENTITY_REFUSED'), await counted('SIGNATURE_REFUSED')]
    const [identities = 0, signatures = 0] = await both()
    expect(await ask(scheme.client('greenbank'), query)).toBe('202')
    expect(await both()).toEqual([identities, signatures])
    expect(await ask(scheme.client('bluewallet'), query)).toBe('403 3100')
    expect(await both()).toEqual([identities + 1, signatures])
    const forged = await signed(prepare(), newSigner('green-1'))
    const tls = scheme.client('greenbank')
    expect(summary(await send(world.edge.url, forged, tls))).toBe('400 3105')
    expect(await both()).toEqual([identities + 1, signatures + 1])
  })

  test('The end of the certificate of the port is a metric', async () => {
    const text = await world.parts.metrics.metrics()
    const [, end] =
      /certificate_end_timestamp_seconds\{setting="EDGE_TLS_CERTIFICATE_FILE"\} (\d+)/.exec(text) ??
      []
    expect(Number(end) * 1_000).toBeGreaterThan(Date.now())
  })

  test.each(ofOthers)('%s must be the sender', async (_title, fsp, sent) => {
    expect(await ask(scheme.client(fsp), sent)).toBe('400 3100')
  })

  test('A message signed with the key of another FSP is refused', async () => {
    const tls = scheme.client('greenbank')
    const sent = await signed(quote, blue)
    expect(summary(await send(world.edge.url, sent, tls))).toBe('400 3105')
    const disguised = await signed(quote, { ...blue, kid: 'green-1' })
    expect(summary(await send(world.edge.url, disguised, tls))).toBe('400 3105')
    expect(summary(await send(world.edge.url, quote, tls))).toBe('400 3105')
  })

  describe('Identity forwarded by a gateway', () => {
    const outcome = (value: string, sent = query) =>
      withHeaders(sent, { 'x-forwarded-client-cert': value })
    const subject = (name: string) => `Hash=ab;Subject="O=Scheme,CN=${name}";URI=`

    test('An FSP is identified by the name that the gateway forwards, in each format', async () => {
      for (const name of ['gateway-1', 'gateway-2']) {
        const tls = scheme.client(name)
        expect(await ask(tls, outcome(subject('greenbank')))).toBe('202')
        const pem = encodeURIComponent(scheme.client('greenbank').certificate)
        expect(await ask(tls, outcome(`Cert="${pem}"`))).toBe('202')
      }
    })

    test("The gateway's header is not relayed", async () => {
      const before = world.received.length
      const party = message('PUT', '/parties/MSISDN/123456789', partyAnswer)
      const sent = outcome(subject('bluewallet'), party)
      expect(await ask(scheme.client('gateway-1'), sent)).toBe('200')
      const published = await eventually(
        () => world.received.slice(before).find(({ type }) => type === 'NotifyRequested'),
        'the callback',
      )
      expect(String(published.headers['relay-headers'])).not.toContain('client-cert')
    })

    test('The forwarded name must be the sender', async () => {
      expect(await ask(scheme.client('gateway-1'), outcome(subject('bluewallet')))).toBe('403 3100')
    })

    test.each([
      ['nothing', undefined],
      ['nobody', 'Hash=ab'],
      ['two names', 'Subject="CN=greenbank,CN=bluewallet"'],
      ['two certificates', `${subject('greenbank')},${subject('bluewallet')}`],
      ['an escape', 'Subject="CN=green\\"bank"'],
      ['an invalid certificate', 'Cert="junk"'],
    ])('A gateway that forwards %s identifies no FSP', async (_title, value) => {
      const sent = value === undefined ? query : outcome(value)
      expect(await ask(scheme.client('gateway-1'), sent)).toBe('401 3000')
    })

    test('The header is ignored from clients that are not gateways', async () => {
      const claim = outcome(subject('greenbank'))
      expect(await ask(scheme.client('bluewallet'), claim)).toBe('403 3100')
      expect(await ask(scheme.client('gateway-3'), claim)).toBe('403 3100')
      const none = { certificate: '', key: '', ca: scheme.client('greenbank').ca }
      expect(await ask(none, claim)).toBe('401 3000')
      const forged = scheme.client('gateway-1', { from: newCa() })
      expect(await ask(forged, claim)).toBe('401 3000')
    })
  })

  function shownBy(ca: string): Promise<unknown> {
    const { port } = new URL(world.edge.url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: Number(port), ca }, () => {
        resolve(socket.getPeerCertificate().subject.CN)
        socket.destroy()
      })
      socket.on('error', reject)
    })
  }

  test('A renewed certificate of the server is used without a restart', async () => {
    const shown = () => shownBy(scheme.ca.certificate)
    expect(await shown()).toBe('Hub')
    scheme.renewServer('Hub renewed')
    await eventually(
      async () => ((await shown()) === 'Hub renewed' ? true : undefined),
      'the new one',
    )
    expect(await ask(scheme.client('greenbank'), query)).toBe('202')
  })

  test('While the CA is replaced under load, no request fails of FSPs that trust both CAs', async () => {
    const { ca: old } = scheme
    const next = newCa()
    const both = `${old.certificate}\n${next.certificate}`
    /** A certificate of its own for each request, so that each makes a whole handshake. */
    const askFrom = (from: Ca) => ask({ ...scheme.client('greenbank', { from }), ca: both }, query)
    const whenAnswered = (from: Ca, answer: string) =>
      eventually(async () => ((await askFrom(from)) === answer ? true : undefined), answer)
    const outcomes: string[] = []
    /** Requests with certificates of this CA until the step is done. */
    const during = async (from: Ca, step: () => Promise<unknown>) => {
      const done = new AbortController()
      const load = (async () => {
        while (!done.signal.aborted) outcomes.push(await askFrom(from))
      })()
      await step().finally(() => done.abort())
      await load
    }

    expect(await askFrom(next)).toBe('401 3000')
    await during(old, async () => {
      scheme.trust(old, next)
      await whenAnswered(next, '202')
      scheme.renewServer('Hub of the next CA', next)
      await eventually(
        async () => ((await shownBy(both)) === 'Hub of the next CA' ? true : undefined),
        'the certificate of the next CA',
      )
    })
    await during(next, async () => {
      scheme.trust(next)
      await whenAnswered(old, '401 3000')
    })
    expect(new Set(outcomes)).toEqual(new Set(['202']))
  })
})
