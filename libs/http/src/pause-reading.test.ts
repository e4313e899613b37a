import { afterEach, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { openLog } from '@causeway/process'
import { pauseReadingAfter } from './pause-reading.ts'
import { serveHttp } from './server.ts'

const opened: { stop(): Promise<unknown> | void }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.stop()
})

const pause_ms = 400

/** Refuses every request; after one for /often it pauses the connection. */
async function serve(): Promise<number> {
  const server = await serveHttp({
    name: 'test server',
    host: '127.0.0.1',
    port: 0,
    log: openLog({ name: 'test', level: 'silent' }),
    handler: ({ url }, response) => {
      if (url === '/often') pauseReadingAfter(response, pause_ms)
      response.writeHead(503, { 'content-length': '0' }).end()
    },
  })
  opened.push(server)
  return Number(new URL(server.url).port)
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  opened.push({ stop: () => void socket.destroy() })
  return socket
}

/** Response time in milliseconds. */
async function ask(socket: Socket, path: string, body = ''): Promise<number> {
  const begun_ms = performance.now()
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /)
  return performance.now() - begun_ms
}

test('A connection is paused after its response, each time, and others are not', async () => {
  const port = await serve()
  const flooding = open(port)
  await ask(flooding, '/often', 'x'.repeat(200_000))
  const next = ask(flooding, '/often')
  const beside = open(port)
  for (let n = 0; n < 10; n += 1) await ask(beside, '/seldom')
  // By another clock the timer may fire a moment early.
  expect(await next).toBeGreaterThan(pause_ms / 2)
  expect(await ask(flooding, '/seldom')).toBeGreaterThan(pause_ms / 2)
})

test('A server stops at once while connections are paused', async () => {
  const port = await serve()
  await ask(open(port), '/often')
  const begun_ms = performance.now()
  await opened.shift()?.stop()
  expect(performance.now() - begun_ms).toBeLessThan(5_000)
})
