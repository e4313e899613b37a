import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, createServer, request, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { id, message } from '../testing/messages.ts'
import type { FspiopApiSettings } from '../settings.ts'
import { openScheme, type Scheme } from '../testing/scheme.ts'
import { openWorld, send, summary, type EdgeWorld } from '../testing/world.ts'

const query = message('GET', `/transfers/${id}`)
const day_ms = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day_ms)

let scheme: Scheme
let world: EdgeWorld | undefined

beforeEach(() => {
  scheme = openScheme()
})

afterEach(async () => {
  await world?.stop()
  world = undefined
  scheme.stop()
})

type Tls = ReturnType<Scheme['client']>

async function openWith(
  file: string | undefined,
  changes: Partial<FspiopApiSettings> = {},
): Promise<EdgeWorld> {
  world = await openWorld({
    ...scheme.settings,
    EDGE_IDENTITY: 'mtls',
    EDGE_TLS_CRL_FILE: file,
    ...changes,
    EDGE_TLS_CRL_OVERDUE_D: 7,
    TLS_RENEWAL_MS: 100,
  })
  return world
}

const ask = async ({ edge }: EdgeWorld, tls: Tls) => summary(await send(edge.url, query, tls))
const serialOf = ({ certificate }: Tls) => new X509Certificate(certificate).serialNumber

test('A certificate in the revocation list of its CA is refused, also when it is added later', async () => {
  const [first, second] = [scheme.client('greenbank'), scheme.client('greenbank')]
  const dates = { thisUpdate: inDays(-1), nextUpdate: inDays(1) }
  const opened = await openWith(scheme.revoke({ ...dates, serials: [serialOf(first)] }))
  expect(await ask(opened, first)).toBe('401 3000')
  expect(await ask(opened, second)).toBe('202')
  scheme.revoke({ ...dates, serials: [serialOf(first), serialOf(second)] })
  await eventually(async () => (await ask(opened, second)) === '401 3000' || undefined, 'the list')
})

test('A list that is overdue is used for seven days with an alarm, then no certificate is accepted', async () => {
  const [revoked, good] = [scheme.client('greenbank'), scheme.client('greenbank')]
  const serials = [serialOf(revoked)]
  const dueAgo = (days: number) =>
    scheme.revoke({ thisUpdate: inDays(-30), nextUpdate: inDays(-days), serials })
  const opened = await openWith(dueAgo(6))
  expect(await ask(opened, good)).toBe('202')
  expect(await ask(opened, revoked)).toBe('401 3000')
  const metrics = await opened.parts.metrics.metrics()
  const [, overdue_s = '0'] =
    /^fspiop_api_revocation_list_overdue_seconds (\d+)/m.exec(metrics) ?? []
  expect(Number(overdue_s) * 1_000).toBeGreaterThanOrEqual(6 * day_ms - 1_000)
  dueAgo(8)
  await eventually(async () => (await ask(opened, good)) === '503 2003' || undefined, 'the end')
  expect(await ask(opened, revoked)).toBe('401 3000')
})

test('An edge does not start with a list that its CA has not signed', async () => {
  const other = openScheme()
  const file = other.revoke({ serials: [], thisUpdate: inDays(-1), nextUpdate: inDays(1) })
  await expect(openWith(file)).rejects.toThrow('none of the CAs has signed it')
  other.stop()
})

describe('At the address of the CA', () => {
  /** What the server of the CA answers: a list, or a status. */
  let answer: Buffer | number
  let server: Server
  let url: string

  beforeEach(async () => {
    const { EDGE_TLS_CERTIFICATE_FILE: cert = '', EDGE_TLS_KEY_FILE: key = '' } = scheme.settings
    server = createServer(
      { cert: readFileSync(cert), key: readFileSync(key) },
      (_asked, response) => {
        if (typeof answer === 'number') response.writeHead(answer).end()
        else response.end(answer)
      },
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `https://localhost:${(server.address() as AddressInfo).port}/ca.crl`
  })

  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  /** In DER, as authorities publish it. */
  const list = (issued_d: number, revoked: readonly Tls[]) => {
    const dates = { thisUpdate: inDays(issued_d), nextUpdate: inDays(1) }
    const pem = readFileSync(scheme.revoke({ ...dates, serials: revoked.map(serialOf) }), 'utf8')
    return Buffer.from(pem.replaceAll(/-----[^-]+-----/g, ''), 'base64')
  }
  const open = () =>
    openWith(undefined, {
      EDGE_TLS_CRL_URL: url,
      EDGE_TLS_CRL_URL_CA_FILE: scheme.settings.EDGE_TLS_CA_FILE,
    })

  test('A certificate that the list begins to name is refused on an open connection too', async () => {
    const [tls, good] = [scheme.client('greenbank'), scheme.client('greenbank')]
    answer = list(-2, [])
    const opened = await open()
    const client = keepAlive(opened.edge.url, tls)
    expect(await client.status()).toBe(202)
    answer = list(-1, [tls])
    await eventually(async () => (await client.status()) === 401 || undefined, 'the list')
    expect(new Set(client.ports).size).toBe(1)
    expect(await ask(opened, tls)).toBe('401 3000')
    expect(await ask(opened, good)).toBe('202')
    client.close()
  })

  test('An older list, a broken one and no answer bring no revoked certificate back', async () => {
    const tls = scheme.client('greenbank')
    answer = list(-1, [tls])
    let answers = 0
    server.on('request', () => answers++)
    const opened = await open()
    for (const wrong of [list(-2, []), Buffer.from('junk'), 503]) {
      answer = wrong
      const before = answers
      // The second one begins when what the first one brought was read.
      await eventually(() => Promise.resolve(answers > before + 1), 'two questions')
      expect(await ask(opened, tls)).toBe('401 3000')
    }
  })

  test('An edge does not start without a list, or with an address that is not https', async () => {
    answer = 503
    await expect(open()).rejects.toThrow(`EDGE_TLS_CRL_URL (${url}): it was answered with 503.`)
    const plain = openWith(undefined, { EDGE_TLS_CRL_URL: url.replace('https', 'http') })
    await expect(plain).rejects.toThrow('is no https address')
  })
})

/** A client with one connection, and the local port of each request. */
function keepAlive(url: string, { certificate: cert, key, ca }: Tls) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ports: (number | undefined)[] = []
  const status = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const { method, path, headers } = query
      const target = new URL(path, url)
      const sending = request(target, { agent, cert, key, ca, method, headers }, (answered) => {
        ports.push(answered.socket.localPort)
        answered.resume()
        answered.on('end', () => resolve(answered.statusCode))
      })
      sending.on('error', reject)
      sending.end()
    })
  return { status, ports, close: () => agent.destroy() }
}
