import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { openLog, readPem, StartError } from '@causeway/process'
import { makeTestCa, type TestCa, type TestCertificate } from '@causeway/process/testing'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { createHttpClient, type HttpClient } from './client.ts'
import { HttpFailure } from './failure.ts'
import { peerOf } from './peer.ts'
import { serveHttp, type HttpServer, type ServerTls } from './server.ts'

const log = openLog({ name: 'test', level: 'silent' })

let ca: TestCa
let strangers: TestCa
let hub: TestCertificate
let greenbank: TestCertificate
beforeAll(() => {
  ca = makeTestCa('Scheme CA')
  strangers = makeTestCa('Scheme CA')
  hub = ca.issue('Hub')
  greenbank = ca.issue('greenbank')
})

const opened: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.stop()
})

function tlsOf(own: TestCertificate, changed: Partial<ServerTls> = {}): ServerTls {
  return { ...own, ca: ca.certificate, asksClient: true, ...changed }
}

/** Responds with the name of its client's certificate. */
async function serve(tls: ServerTls | undefined): Promise<HttpServer> {
  const server = await serveHttp({
    name: 'test server',
    host: '127.0.0.1',
    port: 0,
    log,
    handler: (incoming, response) => response.end(peerOf(incoming) ?? 'nobody'),
    ...(tls === undefined ? {} : { tls }),
  })
  opened.push(server)
  return server
}

function client(own: TestCertificate, trusted = ca.certificate): HttpClient {
  const made = createHttpClient({
    connections_per_origin_max: 1,
    timeout_ms: 5_000,
    tls: { ...own, ca: trusted },
  })
  opened.push({ stop: () => made.close() })
  return made
}

async function ask(from: HttpClient, url: string): Promise<string> {
  const { body } = await from.request({ method: 'GET', url, headers: {} })
  return body.toString()
}

describe('A server with TLS:', () => {
  test('Server and client identify each other by their certificates', async () => {
    const { url } = await serve(tlsOf(hub))
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const green = client(greenbank)
    expect([await ask(green, url), await ask(green, url)]).toEqual(['greenbank', 'greenbank'])
    expect(await ask(client(ca.issue('blüewallet')), url)).toBe('blüewallet')
  })

  /** What a client with these bounds agrees on with the server. */
  function agreed({ url }: HttpServer, bounds: ConnectionOptions): Promise<string> {
    const { port } = new URL(url)
    const options = { host: '127.0.0.1', port: Number(port), ca: ca.certificate, ...bounds }
    return new Promise((resolve) => {
      const socket = connect(options, () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
        socket.destroy()
      })
      socket.on('error', () => resolve('nothing'))
    })
  }

  test('Only cipher suites with forward secrecy and authenticated encryption are agreed on', async () => {
    const server = await serve(tlsOf(hub))
    const tls12 = { maxVersion: 'TLSv1.2' } as const
    const weak = ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'AES128-GCM-SHA256']
    for (const ciphers of weak) expect(await agreed(server, { ...tls12, ciphers })).toBe('nothing')
    expect(await agreed(server, tls12)).toBe('TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384')
    expect(await agreed(server, {})).toBe('TLSv1.3 TLS_AES_256_GCM_SHA384')
  })

  test('A server may accept TLS 1.3 alone, and a list of its own', async () => {
    const modern = await serve(tlsOf(hub, { minVersion: 'TLSv1.3' }))
    expect(await agreed(modern, { maxVersion: 'TLSv1.2' })).toBe('nothing')
    expect(await agreed(modern, {})).toContain('TLSv1.3')
    const ciphers = 'TLS_CHACHA20_POLY1305_SHA256:ECDHE-ECDSA-CHACHA20-POLY1305'
    const listed = await serve(tlsOf(hub, { ciphers }))
    expect(await agreed(listed, {})).toBe('TLSv1.3 TLS_CHACHA20_POLY1305_SHA256')
    listed.renewTls(tlsOf(hub, { ciphers }))
    expect(await agreed(listed, { maxVersion: 'TLSv1.2' })).toBe(
      'TLSv1.2 ECDHE-ECDSA-CHACHA20-POLY1305',
    )
  })

  test('A client without a certificate of the CA is admitted without an identity', async () => {
    const { url } = await serve(tlsOf(hub))
    expect(await ask(client(strangers.issue('greenbank')), url)).toBe('nobody')
    const ended = ca.issue('greenbank', { until: new Date(Date.now() - 1_000) })
    expect(await ask(client(ended), url)).toBe('nobody')
    expect(await ask(client({ certificate: '', key: '' }), url)).toBe('nobody')
  })

  test('A client that names a host sees its certificate and is identified; others see that of the server', async () => {
    const server = await serve(tlsOf(hub))
    const port = Number(new URL(server.url).port)
    const shownTo = async (servername: string) => {
      const own = { cert: greenbank.certificate, key: greenbank.key }
      const at = { host: '127.0.0.1', port, ca: ca.certificate, rejectUnauthorized: false }
      const socket = connect({ ...at, ...own, servername })
      await once(socket, 'secureConnect')
      const name = socket.getPeerX509Certificate()?.subject ?? ''
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      await once(socket, 'close')
      return [/CN=(.*)/.exec(name)?.[1], Buffer.concat(chunks).toString().includes('greenbank')]
    }
    const [one, two] = [ca.issue('one'), ca.issue('two')]
    server.setHosts([{ host: 'a.example', ...one }])
    expect(await shownTo('a.example')).toEqual(['one', true])
    expect(await shownTo('A.EXAMPLE')).toEqual(['one', true])
    expect(await shownTo('b.example')).toEqual(['Hub', true])
    expect(() => server.setHosts([{ host: 'a.example', ...two, key: one.key }])).toThrow(/key/)
    expect(await shownTo('a.example')).toEqual(['one', true])
    server.setHosts([{ host: 'a.example', ...two }])
    expect(await shownTo('a.example')).toEqual(['two', true])
    server.setHosts([])
    expect(await shownTo('a.example')).toEqual(['Hub', true])
  })

  test('No certificate is requested if the option is off', async () => {
    const { url } = await serve(tlsOf(hub, { asksClient: false }))
    expect(await ask(client(greenbank), url)).toBe('nobody')
  })

  /** For each request, on a connection of its own: whether it resumed an earlier session. */
  function resuming(url: string, trusted: string) {
    const agent = new Agent({ keepAlive: false, maxCachedSessions: 10 })
    const options = { agent, cert: greenbank.certificate, key: greenbank.key, ca: trusted }
    return () =>
      new Promise<readonly [string, boolean]>((resolve, reject) => {
        const asking = request(url, options, (response) => {
          const reused = (response.socket as TLSSocket).isSessionReused()
          response.on('data', (chunk: Buffer) => resolve([chunk.toString(), reused]))
        })
        asking.on('error', reject).end()
      })
  }

  test('A client that resumes its session is identified', async () => {
    const { url } = await serve(tlsOf(hub))
    const asking = resuming(url, ca.certificate)
    expect(await asking()).toEqual(['greenbank', false])
    expect(await asking()).toEqual(['greenbank', true])
  })

  test('A session of another CA cannot be resumed', async () => {
    const server = await serve(tlsOf(hub))
    const next = makeTestCa('Next Scheme CA')
    const asking = resuming(server.url, ca.certificate + next.certificate)
    expect(await asking()).toEqual(['greenbank', false])
    server.renewTls(tlsOf(next.issue('Hub'), { ca: next.certificate }))
    expect(await asking()).toEqual(['nobody', false])
  })

  test('TLS older than 1.2 is refused', async () => {
    const { url } = await serve(tlsOf(hub))
    const { port } = new URL(url)
    const at = { host: '127.0.0.1', port: Number(port), ca: ca.certificate }
    const old = connect({ ...at, maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1' })
    await expect(once(old, 'secureConnect')).rejects.toThrow(/./)
    const known = connect({ ...at, maxVersion: 'TLSv1.2' })
    await once(known, 'secureConnect')
    expect(known.getProtocol()).toBe('TLSv1.2')
    known.destroy()
  })

  test('A client that connects without TLS does not stop the server', async () => {
    const { url } = await serve(tlsOf(hub))
    const socket = connectPlain(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(socket, 'close')
    expect(Buffer.concat(chunks).toString()).not.toContain('nobody')
    expect(await ask(client(greenbank), url)).toBe('greenbank')
  })

  test('A stop does not wait for unfinished handshakes', async () => {
    const server = await serve(tlsOf(hub))
    opened.pop()
    const silent = connectPlain(Number(new URL(server.url).port), '127.0.0.1')
    await once(silent, 'connect')
    const green = client(greenbank)
    expect(await ask(green, server.url)).toBe('greenbank')
    const ended = once(silent.resume(), 'close')
    await server.stop()
    await ended
  })

  test('A renewed certificate is presented to the next client, and no connection is closed', async () => {
    const server = await serve(tlsOf(hub))
    const before = client(greenbank)
    expect(await ask(before, server.url)).toBe('greenbank')
    server.renewTls(tlsOf(strangers.issue('Hub anew'), { ca: strangers.certificate }))
    expect(await ask(before, server.url)).toBe('greenbank')
    await expect(ask(client(greenbank), server.url)).rejects.toThrow(HttpFailure)
    const blue = strangers.issue('bluewallet')
    expect(await ask(client(blue, strangers.certificate), server.url)).toBe('bluewallet')
    expect(await ask(client(greenbank, strangers.certificate), server.url)).toBe('nobody')
  })

  test('TLS cannot be added to a server that was opened without it', async () => {
    const server = await serve(undefined)
    expect(() => server.renewTls(tlsOf(hub))).toThrow('without TLS')
    expect(await ask(client(greenbank), server.url)).toBe('nobody')
  })
})

describe('A client with TLS:', () => {
  test('A client sends nothing to a server without a certificate of its CA', async () => {
    const { url } = await serve(tlsOf(strangers.issue('Hub')))
    await expect(ask(client(greenbank), url)).rejects.toThrow(HttpFailure)
    const ended = await serve(tlsOf(ca.issue('Hub', { until: new Date(Date.now() - 1_000) })))
    await expect(ask(client(greenbank), ended.url)).rejects.toThrow(HttpFailure)
  })

  test('A client sends nothing to a server of another name', async () => {
    const { url } = await serve(tlsOf(hub))
    await expect(ask(client(greenbank), url.replace('127.0.0.1', 'localhost'))).rejects.toThrow(
      HttpFailure,
    )
  })
})

test('A PEM file is read, and the setting of an invalid one is named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pem-'))
  const file = join(folder, 'hub.crt')
  writeFileSync(file, hub.certificate)
  expect(await readPem('THE_FILE', file)).toBe(hub.certificate)
  rmSync(folder, { recursive: true })
  await expect(readPem('THE_FILE', file)).rejects.toThrow(StartError)
  await expect(readPem('THE_FILE', file)).rejects.toThrow(/^THE_FILE: .*ENOENT.*hub\.crt/)
  await expect(readPem('THE_FILE', '')).rejects.toThrow(/^THE_FILE is not set\.$/)
})
