import { once } from 'node:events'
import { serveHttp } from '@causeway/http'
import { openLog } from '@causeway/process'
import { expect, test } from '@jest/globals'
import { createApp } from './pages.ts'
import type { IssuedToken } from '../security.ts'
import { readTokenRequest } from './token-page.ts'

const form = 'grant_type=client_credentials&client_id=greenbank&client_secret=s'

test('Requests for tokens in progress are bounded for all clients together', async () => {
  const waiting: ((token: IssuedToken | undefined) => void)[] = []
  const asked = new EventTarget()
  const app = createApp({
    health: () => Promise.resolve({ status: 'OK', services: [] }),
    errorsPage: '',
    openApi: {},
    jwks: { keys: [] },
    issueToken: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (waiting.length === 64) asked.dispatchEvent(new Event('full'))
      }),
    reconciliation: () => Promise.resolve(),
    reports: { list: () => Promise.resolve(), one: () => Promise.resolve() },
    onUnknownPath: (_request, response) => response.writeHead(404).end(),
    onUnreadable: (response) => response.writeHead(400).end(),
  })
  const server = await serveHttp({
    name: 'test server',
    host: '127.0.0.1',
    port: 0,
    handler: app,
    log: openLog({ name: 'test', level: 'silent' }),
  })
  const ask = async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(`${server.url}/token`, { method: 'POST', headers, body: form })
    await answer.arrayBuffer()
    return [answer.status, answer.headers.get('retry-after')] as const
  }
  try {
    const full = once(asked, 'full')
    const first = Array.from({ length: 64 }, ask)
    await full
    expect(await ask()).toEqual([503, '1'])
    for (const give of waiting.splice(0)) give({ accessToken: 't', expiresIn_s: 300 })
    for (const [status] of await Promise.all(first)) expect(status).toBe(200)
    const next = ask()
    const wait = setInterval(() => waiting.splice(0).forEach((give) => give(undefined)), 5)
    expect(await next).toEqual([401, null])
    clearInterval(wait)
  } finally {
    await server.stop()
  }
})

test('Credentials are read from one place only, and form-decoded', () => {
  const body = { grant_type: 'client_credentials' }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  expect(readTokenRequest({ authorization: basic('a%3Ab:c+d') }, body)).toEqual({
    id: 'a:b',
    secret: 'c d',
  })
  expect(readTokenRequest({ authorization: basic('a:b%c') }, body)).toEqual({
    id: 'a',
    secret: 'b%c',
  })
  expect(readTokenRequest({ authorization: basic('nocolon') }, body)).toBe('invalid_client')
  expect(readTokenRequest({ authorization: basic('a:b').replace(' ', '  ') }, body)).toEqual({
    id: 'a',
    secret: 'b',
  })
  expect(readTokenRequest({}, body)).toBe('invalid_client')
  expect(readTokenRequest({}, undefined)).toBe('invalid_request')
  expect(readTokenRequest({}, { ...body, client_id: ['a', 'b'], client_secret: 's' })).toBe(
    'invalid_request',
  )
})
