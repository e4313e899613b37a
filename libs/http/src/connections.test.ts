import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect as connectPlain } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { openLog } from '@causeway/process'
import {
  makeTestCa,
  type TestCa,
  type TestCertificate,
  eventually,
} from '@causeway/process/testing'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import type { ConnectionBounds } from './connections.ts'
import { noteClient, peerOf } from './peer.ts'
import { serveHttp, type HttpServer } from './server.ts'

let ca: TestCa
let hub: TestCertificate
beforeAll(() => {
  ca = makeTestCa('Scheme CA')
  hub = ca.issue('Hub')
})

const opened: { stop(): Promise<unknown> | void }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.stop()
})

async function serve(changed: Partial<ConnectionBounds>): Promise<HttpServer> {
  const server = await serveHttp({
    name: 'test server',
    host: '127.0.0.1',
    port: 0,
    log: openLog({ name: 'test', level: 'silent' }),
    handler: (incoming, response) => {
      const token = incoming.headers.authorization
      if (token !== undefined) noteClient(incoming, token)
      response.end(peerOf(incoming) ?? token ?? 'nobody')
    },
    tls: { ...hub, ca: ca.certificate, asksClient: true },
    connections: { total_max: 100, per_client_max: 100, gateways: new Set(), ...changed },
  })
  opened.push(server)
  return server
}

interface Client {
  /** The response to a request on the connection, or to the connection itself: status and body. */
  ask(token?: string): Promise<string>
  readonly socket: Socket
}

async function clientOf({ url }: HttpServer, own?: TestCertificate): Promise<Client> {
  const { port } = new URL(url)
  const identity = own === undefined ? {} : { cert: own.certificate, key: own.key }
  const socket = connectTls({
    host: '127.0.0.1',
    port: Number(port),
    ca: ca.certificate,
    ...identity,
  })
  opened.push({ stop: () => void socket.destroy() })
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  return {
    socket,
    async ask(token) {
      const authorization = token === undefined ? '' : `Authorization: ${token}\r\n`
      socket.write(`GET / HTTP/1.1\r\nHost: hub\r\n${authorization}\r\n`)
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      const text = chunk.toString()
      return `${text.slice(9, 12)} ${text.slice(text.indexOf('\r\n\r\n') + 4)}`.trim()
    },
  }
}

test('A client has a bounded number of connections, and others are not affected', async () => {
  const server = await serve({ per_client_max: 2 })
  const greenbank = ca.issue('greenbank')
  const first = await clientOf(server, greenbank)
  const second = await clientOf(server, greenbank)
  expect([await first.ask(), await second.ask()]).toEqual(['200 greenbank', '200 greenbank'])
  expect(await (await clientOf(server, greenbank)).ask()).toBe('503')
  expect(await (await clientOf(server, ca.issue('bluewallet'))).ask()).toBe('200 bluewallet')
  first.socket.destroy()
  const again = await eventually(async () => {
    const answer = await (await clientOf(server, greenbank)).ask()
    return answer === '503' ? undefined : answer
  }, 'a connection in the place of the one that was closed')
  expect(again).toBe('200 greenbank')
})

test('A gateway may use all connections', async () => {
  const server = await serve({ per_client_max: 1, gateways: new Set(['gateway']) })
  const gateway = ca.issue('gateway')
  for (let at = 0; at < 5; at++) {
    expect(await (await clientOf(server, gateway)).ask()).toBe('200 gateway')
  }
})

test('With too many connections, those without a client are closed first, then those of the oldest idle client', async () => {
  const server = await serve({ total_max: 4 })
  const greenbank = await clientOf(server, ca.issue('greenbank'))
  expect(await greenbank.ask()).toBe('200 greenbank')
  const silent = connectPlain(Number(new URL(server.url).port), '127.0.0.1')
  opened.push({ stop: () => void silent.destroy() })
  await once(silent, 'connect')
  const strangers = [await clientOf(server), await clientOf(server)]
  for (const stranger of strangers) expect(await stranger.ask()).toBe('200 nobody')
  const ended = [silent, ...strangers.map(({ socket }) => socket)].map((socket) =>
    once(socket, 'close'),
  )
  const clients: Client[] = []
  for (const name of ['bluewallet', 'redcredit', 'yellowpay']) {
    const client = await clientOf(server, ca.issue(name))
    expect(await client.ask()).toBe(`200 ${name}`)
    clients.push(client)
  }
  await Promise.all(ended)
  expect(await greenbank.ask()).toBe('200 greenbank')
  const left = once(greenbank.socket, 'close')
  expect(await (await clientOf(server, ca.issue('newcomer'))).ask()).toBe('200 newcomer')
  await left
  for (const client of clients) expect(await client.ask()).toMatch(/^200 /)
})

test('A client that is authenticated by its requests displaces only its own connections', async () => {
  const server = await serve({ total_max: 4 })
  const first = await clientOf(server)
  expect(await first.ask('bluewallet')).toBe('200 bluewallet')
  const greedy: Client[] = []
  for (let at = 0; at < 3; at++) {
    const client = await clientOf(server)
    expect(await client.ask('greedy')).toBe('200 greedy')
    greedy.push(client)
  }
  const ended = greedy.slice(0, 2).map(({ socket }) => once(socket, 'close'))
  for (let at = 0; at < 2; at++) {
    expect(await (await clientOf(server)).ask('greedy')).toBe('200 greedy')
  }
  await Promise.all(ended)
  expect(await first.ask('bluewallet')).toBe('200 bluewallet')
})

test("A gateway's idle connections make room last", async () => {
  const server = await serve({ total_max: 3, gateways: new Set(['gateway']) })
  const gateway = ca.issue('gateway')
  const kept = [await clientOf(server, gateway), await clientOf(server, gateway)]
  for (const client of kept) expect(await client.ask()).toBe('200 gateway')
  const bluewallet = await clientOf(server, ca.issue('bluewallet'))
  expect(await bluewallet.ask()).toBe('200 bluewallet')
  const left = once(bluewallet.socket, 'close')
  expect(await (await clientOf(server, ca.issue('redcredit'))).ask()).toBe('200 redcredit')
  await left
  for (const client of kept) expect(await client.ask()).toBe('200 gateway')
})
