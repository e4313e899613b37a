import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { openLog, StartError } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterEach, describe, expect, test } from '@jest/globals'
import {
  retryAfter,
  sendFixed,
  serveHttp,
  type HttpServer,
  type HttpServerOptions,
} from './server.ts'

const log = openLog({ name: 'test', level: 'silent' })
const tooLarge = {
  status: 400,
  contentType: 'application/json',
  body: '{"error":"head too large"}',
}

let servers: HttpServer[] = []

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  servers = []
})

async function serve(options: Partial<HttpServerOptions> = {}): Promise<HttpServer> {
  const server = await serveHttp({
    name: 'test server',
    host: '127.0.0.1',
    port: 0,
    handler: (_request, response) => response.end('fine'),
    log,
    onHeadTooLarge: tooLarge,
    ...options,
  })
  servers.push(server)
  return server
}

/** A connection that can send malformed requests. */
function raw({ url }: HttpServer): { socket: Socket; received: Promise<string> } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const received = once(socket, 'close').then(() => Buffer.concat(chunks).toString())
  return { socket, received }
}

function head(bytes: number): string {
  const fixed = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: \r\n\r\n'
  return fixed.replace('X-Long: ', `X-Long: ${'a'.repeat(bytes - fixed.length)}`)
}

describe('Malformed requests:', () => {
  test('A head of 60,000 bytes is accepted', async () => {
    const { socket, received } = raw(await serve())
    socket.write(head(60_000))
    expect(await received).toMatch(/^HTTP\/1.1 200 OK[^]*fine$/)
  })

  test('A head of 70,000 bytes is refused with the given response', async () => {
    const { socket, received } = raw(await serve())
    socket.write(head(70_000))
    const answer = await received
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: application\/json\r\n/)
    expect(answer.endsWith(`\r\n\r\n${tooLarge.body}`)).toBe(true)
  })

  test('A client that continues to send after its head was refused still gets the response', async () => {
    const { socket, received } = raw(await serve())
    socket.write(head(70_000).slice(0, -4))
    socket.write('b'.repeat(2_000_000))
    expect(await received).toContain(tooLarge.body)
  })

  test('Bytes that are not HTTP are answered with 400 in the given shape', async () => {
    const shaped = raw(await serve({ onUnreadable: { ...tooLarge, body: '{"error":"what?"}' } }))
    shaped.socket.write('hello\r\n\r\n')
    expect(await shaped.received).toMatch(/^HTTP\/1.1 400 Bad Request[^]*{"error":"what\?"}$/)
    const empty = raw(await serve())
    empty.socket.write('hello\r\n\r\n')
    expect(await empty.received).toMatch(
      /^HTTP\/1.1 400 Bad Request[^]*Content-Length: 0[^]*\r\n\r\n$/,
    )
  })

  test('The response to a malformed request follows those to the requests before it', async () => {
    const begun: ServerResponse[] = []
    const { socket, received } = raw(
      await serve({
        handler: (_request, response) => begun.push(response),
        onUnreadable: { ...tooLarge, body: 'what?' },
      }),
    )
    socket.write(
      'GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nhello\r\n\r\n',
    )
    const [first, second] = await eventually(() => (begun.length === 2 ? begun : undefined), 'both')
    second?.end('the second')
    first?.end('the first')
    const bodies = (await received).matchAll(/\r\n\r\n(the first|the second|what\?)/g)
    expect([...bodies].map(([, body]) => body)).toEqual(['the first', 'the second', 'what?'])
  })

  test('A request is answered in spite of what follows it on a connection that it closes', async () => {
    const begun: ServerResponse[] = []
    const { socket, received } = raw(
      await serve({ handler: (_request, response) => begun.push(response) }),
    )
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nmore')
    const [response] = await eventually(() => (begun.length > 0 ? begun : undefined), 'the request')
    response?.end('fine')
    expect(await received).toMatch(/^HTTP\/1.1 200 OK[^]*\r\n\r\nfine$/)
  })

  test.each([
    ['without the header Host', 'GET / HTTP/1.1\r\n\r\n'],
    [
      'with an expectation that is not supported',
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n',
    ],
  ])('A request %s is refused in the given shape', async (_what, request) => {
    const { socket, received } = raw(await serve({ onUnreadable: { ...tooLarge, body: 'what?' } }))
    socket.write(request)
    expect(await received).toMatch(/^HTTP\/1.1 400 [^]*content-length: 5\r\n[^]*\r\n\r\nwhat\?$/)
  })

  test('A body with malformed chunks is answered with 400', async () => {
    const { socket, received } = raw(await serve({ handler: (request) => request.resume() }))
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n')
    expect(await received).toMatch(/^HTTP\/1.1 400 /)
  })
})

describe('Requests:', () => {
  test('Several requests can be sent on one connection', async () => {
    const server = await serve()
    const { socket, received } = raw(server)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect((await received).match(/HTTP\/1.1 200 OK/g)).toHaveLength(2)
  })

  test.each([
    ['http://hub.example/transfers/1?a=b', '/transfers/1?a=b'],
    ['HTTPS://HUB.EXAMPLE:4000/transfers/1', '/transfers/1'],
    ['http://hub.example', '/'],
    ['http://hub.example?a=b', '/?a=b'],
    ['http://user@[::1]:4000//x', '//x'],
    ['/http://hub.example/x', '/http://hub.example/x'],
    ['ftp://hub.example/x', 'ftp://hub.example/x'],
  ])('The target %s reaches the handler as %s', async (target, path) => {
    const server = await serve({ handler: ({ url }, response) => response.end(`for ${url}`) })
    const { socket, received } = raw(server)
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect((await received).split('\r\n\r\n')[1]).toContain(`for ${path}`)
  })

  test('A target that names the server itself is answered for OPTIONS and refused for others', async () => {
    const server = await serve()
    const options = raw(server)
    options.socket.write('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await options.received).toMatch(/^HTTP\/1.1 200 OK[^]*\r\n\r\n$/)
    const get = raw(server)
    get.socket.write('GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await get.received).toMatch(/^HTTP\/1.1 400 /)
  })

  test('A response with 503 says when to try again', async () => {
    const busy = { ...tooLarge, status: 503 }
    const handler = (_request: IncomingMessage, response: ServerResponse) =>
      sendFixed(response, busy)
    const { socket, received } = raw(await serve({ handler, onUnreadable: busy }))
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\nhello\r\n\r\n')
    expect((await received).match(/retry-after: 1\r\n/g)).toHaveLength(2)
    expect([200, 400, 401, 500].map(retryAfter)).toEqual([{}, {}, {}, {}])
  })

  test('A handler that throws is answered in the given shape', async () => {
    const handler = () => {
      throw new Error('a bug')
    }
    const { socket, received } = raw(
      await serve({ handler, onFault: { ...tooLarge, status: 503 } }),
    )
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await received).toMatch(/^HTTP\/1.1 503 [^]*head too large/)
  })

  test('A handler that throws fails its request with 500', async () => {
    const server = await serve({
      handler: () => {
        throw new Error('a bug')
      },
    })
    const { socket, received } = raw(server)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await received).toMatch(/^HTTP\/1.1 500 /)
  })

  test('A body that arrives slowly is read byte by byte', async () => {
    const handler = (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => response.end(`got ${Buffer.concat(chunks).toString()}`))
    }
    const { socket, received } = raw(await serve({ handler }))
    socket.setNoDelay(true)
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\n')
    for (const byte of 'slow') await new Promise((sent) => socket.write(byte, sent))
    expect(await received).toMatch(/got slow$/)
  })
})

describe('Start and stop:', () => {
  test('A stop finishes the request in flight, closes idle connections and accepts no new ones', async () => {
    let begun: (response: ServerResponse) => void = () => undefined
    const request = new Promise<ServerResponse>((resolve) => (begun = resolve))
    const server = await serve({ handler: (_request, response) => begun(response) })
    const idle = raw(server)
    await once(idle.socket, 'connect')
    const busy = raw(server)
    busy.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const response = await request
    const stopped = server.stop()
    await idle.received
    const late = connect(Number(new URL(server.url).port), '127.0.0.1')
    const [refusal] = (await once(late, 'error')) as [NodeJS.ErrnoException]
    expect(refusal.code).toBe('ECONNREFUSED')
    response.end('finished')
    expect(await busy.received).toMatch(/finished/)
    await stopped
  })
})

test('A port in use is refused with an error that names port and server', async () => {
  const { url } = await serve()
  const port = Number(new URL(url).port)
  const start = serve({ name: 'FSP server', port })
  await expect(start).rejects.toThrow(StartError)
  await expect(start).rejects.toThrow(
    `The FSP server cannot listen on 127.0.0.1:${port}: the port is in use.`,
  )
})
