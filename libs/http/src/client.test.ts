import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createRawServer } from 'node:net'
import { createHttpClient, type HttpClient, type HttpRequest } from './client.ts'
import { HttpFailure, httpFailure } from './failure.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

let client: HttpClient
let hasty: HttpClient
let servers: Server[] = []

beforeEach(() => {
  client = createHttpClient({ connections_per_origin_max: 2, timeout_ms: 60_000 })
  hasty = createHttpClient({ connections_per_origin_max: 2, timeout_ms: 150 })
})

afterEach(async () => {
  await Promise.all([client.close(), hasty.close()])
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  servers = []
})

async function serve(handler: Handler): Promise<{ url: string; connections: () => number }> {
  const server = createServer(handler)
  let connections = 0
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, connections: () => connections }
}

function get(url: string, more: Partial<HttpRequest> = {}) {
  return client.request({ method: 'GET', url, headers: {}, ...more })
}

function getHastily(url: string) {
  return hasty.request({ method: 'GET', url, headers: {} })
}

async function failureOf(request: Promise<unknown>): Promise<HttpFailure> {
  const error: unknown = await request.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (error instanceof HttpFailure) return error
  throw new Error(`the request did not fail with an HttpFailure but gave ${String(error)}`)
}

describe('Requests:', () => {
  test('A request has the given method, path, query, headers and the exact bytes of the body', async () => {
    const { url } = await serve((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method, url: path, headers } = request
        response.writeHead(202, {
          'X-Seen': `${method ?? ''} ${path ?? ''} ${String(headers['fspiop-source'])}`,
        })
        response.end(Buffer.concat(chunks))
      })
    })
    const answer = await client.request({
      method: 'PUT',
      url: `${url}/transfers/1?a=b%20c`,
      headers: { 'FSPIOP-Source': 'greenbank' },
      body: Buffer.from([0, 200, 255]),
    })
    expect(answer.status).toBe(202)
    expect(answer.headers['x-seen']).toBe('PUT /transfers/1?a=b%20c greenbank')
    expect([...answer.body]).toEqual([0, 200, 255])
    expect(answer.truncated).toBe(false)
  })

  test('Requests share pooled connections, at most as many as the bound', async () => {
    const { url, connections } = await serve((_request, response) => response.end('fine'))
    for (let n = 0; n < 5; n++) await get(url)
    await Promise.all(Array.from({ length: 20 }, () => get(url)))
    expect(connections()).toBe(2)
  })

  test('A burst of requests opens two connections at a time', async () => {
    const opened: Socket[] = []
    const silent = createRawServer((socket: Socket) => opened.push(socket)).listen(0)
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const wide = createHttpClient({ connections_per_origin_max: 32, timeout_ms: 300 })
    const url = `https://127.0.0.1:${port}`
    const all = Array.from({ length: 20 }, () =>
      failureOf(wide.request({ method: 'GET', url, headers: {} })),
    )
    expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(Array(20).fill('TIMEOUT'))
    await wide.close()
    expect(opened).toHaveLength(2)
    silent.close()
  })

  test('Every request of a burst is answered, over at most as many connections as the bound', async () => {
    const { url, connections } = await serve((_request, response) => response.end('fine'))
    const wide = createHttpClient({ connections_per_origin_max: 32, timeout_ms: 60_000 })
    const send = () => wide.request({ method: 'GET', url, headers: {} })
    for (let burst = 0; burst < 20; burst += 1) {
      const answers = await Promise.all(Array.from({ length: 100 }, send))
      expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200))
    }
    expect(connections()).toBeLessThanOrEqual(32)
    await wide.close()
  })

  test('With a slow server all connections are opened', async () => {
    const held: ServerResponse[] = []
    const { url } = await serve((_request, response) => {
      held.push(response)
      if (held.length === 32) for (const each of held) each.end()
    })
    const wide = createHttpClient({ connections_per_origin_max: 32, timeout_ms: 60_000 })
    const all = Array.from({ length: 32 }, () => wide.request({ method: 'GET', url, headers: {} }))
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(32).fill(200))
    await wide.close()
  })

  test('If the server closes each connection, waiting requests are sent on new ones', async () => {
    const { url, connections } = await serve((_request, response) => {
      response.writeHead(200, { connection: 'close' }).end()
    })
    const wide = createHttpClient({ connections_per_origin_max: 32, timeout_ms: 60_000 })
    const all = Array.from({ length: 100 }, () => wide.request({ method: 'GET', url, headers: {} }))
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(100).fill(200))
    expect(connections()).toBe(100)
    await wide.close()
  })

  test('A redirect is returned as a response and not followed', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/elsewhere') response.end('followed')
      else response.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect(await get(url)).toMatchObject({ status: 307, headers: { location: '/elsewhere' } })
  })

  test('A response without a body has an empty one', async () => {
    const { url } = await serve((_request, response) => response.writeHead(204).end())
    expect((await get(url)).body).toHaveLength(0)
  })
})

describe('Bounds:', () => {
  test('Of a body that never ends the first 64 KiB are returned and the connection is closed', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const { url } = await serve((_request, response) => {
      closed = once(response, 'close')
      const more = () => {
        while (response.write('x'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    const answer = await get(url)
    expect(answer.body).toHaveLength(65_536)
    expect(answer.truncated).toBe(true)
    await closed
  })

  test('A missing response is a TIMEOUT', async () => {
    const { url } = await serve(() => undefined)
    expect((await failureOf(getHastily(url))).kind).toBe('TIMEOUT')
  })

  test('A request may have less time than its client', async () => {
    const { url } = await serve(() => undefined)
    const short = client.request({ method: 'GET', url, headers: {}, timeout_ms: 20 })
    const { kind, message } = await failureOf(short)
    expect([kind, message]).toEqual(['TIMEOUT', 'no whole answer within 20 ms'])
  })

  test('A body that stops in its middle is a TIMEOUT', async () => {
    const { url } = await serve((_request, response) => response.writeHead(200).write('half'))
    expect((await failureOf(getHastily(url))).kind).toBe('TIMEOUT')
  })

  test('The wait for a connection counts towards the time-out', async () => {
    const { url } = await serve(() => undefined)
    const failures = ['/1', '/2', '/3'].map((path) => failureOf(getHastily(url + path)))
    const kinds = (await Promise.all(failures)).map(({ kind }) => kind)
    expect(kinds).toEqual(['TIMEOUT', 'TIMEOUT', 'TIMEOUT'])
  })

  test('A request that is aborted while it waits for a connection is never sent', async () => {
    const seen: string[] = []
    const held: ServerResponse[] = []
    const waiting = new AbortController()
    const { url } = await serve((request, response) => {
      seen.push(request.url ?? '')
      if (seen.length > 2) response.end()
      else held.push(response)
      if (seen.length === 2) waiting.abort()
    })
    const busy = ['/1', '/2'].map((path) => get(url + path))
    await failureOf(get(`${url}/3`, { signal: waiting.signal }))
    for (const response of held) response.end()
    await Promise.all(busy)
    await get(`${url}/4`)
    expect(seen).toEqual(['/1', '/2', '/4'])
  })
})

describe('Failures:', () => {
  test('An address without a listening process is REFUSED', async () => {
    const { url } = await serve((_request, response) => response.end())
    const [server] = servers
    server?.close()
    const failures = await Promise.all(Array.from({ length: 20 }, () => failureOf(get(url))))
    expect(failures.map(({ kind }) => kind)).toEqual(Array(20).fill('REFUSED'))
  })

  test('A connection that ends before the response is a RESET', async () => {
    const { url } = await serve((request) => request.socket.destroy())
    expect((await failureOf(get(url))).kind).toBe('RESET')
  })

  test('An https request to a port with plain HTTP fails as TLS', async () => {
    const { url } = await serve((_request, response) => response.end())
    expect((await failureOf(get(url.replace('http:', 'https:')))).kind).toBe('TLS')
  })

  test('A name that does not exist fails as DNS, and the first of several addresses decides the kind', () => {
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND x.invalid'), {
      code: 'ENOTFOUND',
    })
    expect(httpFailure(unknown).kind).toBe('DNS')
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    expect(httpFailure(new AggregateError([refused, refused])).kind).toBe('REFUSED')
  })

  test('A response that is not HTTP fails as OTHER', async () => {
    const raw = createRawServer((socket: Socket) => socket.end('what?\r\n\r\n')).listen(0)
    await once(raw, 'listening')
    const { port } = raw.address() as AddressInfo
    expect((await failureOf(get(`http://127.0.0.1:${port}`))).kind).toBe('OTHER')
    raw.close()
  })

  test('An aborted request fails as OTHER, before it is sent and while it waits', async () => {
    const { url } = await serve(() => undefined)
    expect((await failureOf(get(url, { signal: AbortSignal.abort() }))).kind).toBe('OTHER')
    const abort = new AbortController()
    const request = failureOf(get(url, { signal: abort.signal }))
    abort.abort()
    expect((await request).message).toContain('aborted')
  })

  test('An invalid URL and a header that cannot be sent fail as OTHER', async () => {
    expect((await failureOf(get('not a url'))).kind).toBe('OTHER')
    const { url } = await serve((_request, response) => response.end())
    expect((await failureOf(get(url, { headers: { 'x-a': 'b\r\nc: d' } }))).kind).toBe('OTHER')
  })

  test('A client that is closed fails its requests in flight and those that wait for a connection', async () => {
    const { url } = await serve(() => undefined)
    const wide = createHttpClient({ connections_per_origin_max: 8, timeout_ms: 60_000 })
    const requests = Array.from({ length: 20 }, () =>
      failureOf(wide.request({ method: 'GET', url, headers: {} })),
    )
    await wide.close()
    expect((await Promise.all(requests)).map(({ kind }) => kind)).toEqual(Array(20).fill('OTHER'))
  })
})
