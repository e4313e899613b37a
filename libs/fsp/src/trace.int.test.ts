import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import { createFsp, type Fsp } from './index.ts'
import type { StandInRequest } from './testing/hub-stand-in.ts'
import { openScheme, type Scheme } from './testing/scheme.ts'

const amara = { type: 'MSISDN', id: '12025550101', name: 'Amara Example' } as const
const mei = { type: 'MSISDN', id: '12025550111', name: 'Mei Example' } as const

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeEach(async () => {
  scheme = await openScheme()
  const open = (name: string) => {
    const fsp = createFsp({
      name,
      hubUrl: scheme.hub.url,
      secret: randomBytes(32),
      onLookUp: () => mei,
    })
    scheme.join(fsp)
    return fsp
  }
  payer = open('payerfsp')
  payee = open('payeefsp')
  expect(await payee.associate(mei)).toMatchObject({ state: 'DONE' })
})

afterEach(async () => {
  await Promise.all([payer.close(), payee.close()])
  await scheme.stop()
})

const pay = () =>
  payer.pay({
    payer: amara,
    to: { type: mei.type, id: mei.id },
    amount: { currency: 'USD', amount: '10' },
    expiration: new Date(Date.now() + 10_000),
  })

/** The hub gives each message that it relays the trace headers that `of` returns. */
function relayWith(of: (message: StandInRequest) => Readonly<Record<string, string>>): void {
  scheme.passOn((message) => ({ ...message, headers: { ...message.headers, ...of(message) } }))
}

interface Ids {
  readonly quoteId?: string
  readonly transferId?: string
}

/** The trace headers of what an FSP has sent, by method and path. */
function tracesOf(fsp: string): ReadonlyMap<string, readonly unknown[]> {
  const sent = scheme.hub.taken.filter(({ headers }) => headers['fspiop-source'] === fsp)
  return new Map(
    sent.map(({ method, path, headers }) => [
      `${method} ${path}`,
      [headers['traceparent'], headers['tracestate']],
    ]),
  )
}

test('What a payee FSP answers is in the trace of each message that it answers', async () => {
  const given = new Map<string, readonly string[]>()
  relayWith(({ method, path, body }) => {
    if (method !== 'POST') return {}
    const { quoteId, transferId = quoteId } = JSON.parse(body.toString()) as Ids
    const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`
    const tracestate = `hub=${given.size}`
    given.set(`PUT ${path}/${transferId}`, [traceparent, tracestate])
    return { traceparent, tracestate }
  })
  const results = await Promise.all([pay(), pay()])
  expect(results).toMatchObject([{ state: 'COMMITTED' }, { state: 'COMMITTED' }])
  // Of each payment a quote and a transfer.
  expect(given.size).toBe(4)
  const answers = tracesOf('payeefsp')
  for (const [answer, trace] of given) expect(answers.get(answer)).toEqual(trace)
})

test('A payer FSP begins no trace, and does not continue that of an answer', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  relayWith(() => ({ traceparent }))
  expect(await pay()).toMatchObject({ state: 'COMMITTED' })
  for (const headers of tracesOf('payerfsp').values()) {
    expect(headers).toEqual([undefined, undefined])
  }
})

test('A malformed trace is not continued, and the message is answered', async () => {
  relayWith(() => ({ traceparent: '00-none' }))
  expect(await pay()).toMatchObject({ state: 'COMMITTED' })
  for (const headers of tracesOf('payeefsp').values()) {
    expect(headers).toEqual([undefined, undefined])
  }
})

test('An answer has the version that its request asked for, and other messages the current one', async () => {
  relayWith(({ method, headers }) =>
    method === 'POST' ? { accept: String(headers['accept']).replace('1.1', '1.0') } : {},
  )
  await pay()
  const versions = scheme.hub.taken
    .filter(({ headers, path }) => headers['fspiop-source'] === 'payeefsp' && /quo|tra/.test(path))
    .map(({ headers }) => /version=(.*)/.exec(String(headers['content-type']))?.[1])
  expect(versions).toEqual(['1.0', '1.0'])
  expect(scheme.hub.taken.at(-2)?.headers['content-type']).toMatch(/version=1\.1$/)
})
