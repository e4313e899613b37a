import { randomUUID } from 'node:crypto'
import * as authService from '@causeway/auth-service'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import * as quoting from '@causeway/quoting'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fulfil, newPayment, request, type TestPayment } from '../testing/payments.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'
import { accountOf, deposit, onboard, openScheme } from '../testing/scheme.ts'

let admin: AdminWorld

/** `call` checks every answer against the OpenAPI document. */
beforeAll(async () => {
  admin = await openWorld([
    participantLifecycle,
    settlements,
    transfers,
    quoting,
    notifications,
    authService,
  ])
  await openScheme(admin)
  for (const name of ['green', 'blue']) {
    await onboard(admin, name)
    const { id } = await accountOf(admin, name, 'SETTLEMENT')
    await admin.call('POST', `/participants/${name}/accounts/${id}`, deposit())
  }
}, 60_000)

afterAll(() => admin.stop())

interface Story {
  readonly state: string
  readonly cause: { readonly reason: string } | null
  readonly findings: readonly string[]
  readonly transaction: { readonly quoteIsKnown: boolean } | null
  readonly steps: readonly {
    readonly type: string
    readonly outcome?: string
    readonly facts?: Readonly<Record<string, unknown>>
  }[]
}

/** The story once the payment is in that state and the audit log has that many of its messages. */
function storyOf({ transferId }: TestPayment, state: string, messages = 1): Promise<Story> {
  return eventually(async () => {
    const { status, json } = await admin.call('GET', `/transfers/${transferId}/story`)
    if (status !== 200) return undefined
    const story = json as Story
    const recorded = story.steps.filter(({ type }) => type === 'MESSAGE').length
    return story.state === state && recorded >= messages ? story : undefined
  }, `${state} after ${messages} messages`)
}

test('The story of a payment that was made has the figures of each decision', async () => {
  const payment = newPayment('green', 'blue', '10')
  await request(admin, payment)
  const open = await storyOf(payment, 'RESERVED')
  expect(open.findings[0]).toMatch(/^The amount is reserved until .*; blue has not answered yet\.$/)
  await fulfil(admin, payment)
  const story = await storyOf(payment, 'COMMITTED', 2)
  expect(story).toMatchObject({
    cause: null,
    findings: ['It was paid: 10 USD to blue.'],
    thirdParty: null,
    transaction: { quoteIsKnown: false },
  })
  expect(story.steps.map(({ type, outcome = '' }) => `${type} ${outcome}`)).toEqual([
    'MESSAGE ',
    'DECISION RESERVED',
    'JOURNAL ',
    'MESSAGE ',
    'DECISION POSTED',
    'JOURNAL ',
    'DECISION COMMITTED',
  ])
  expect(story.steps[1]?.facts).toMatchObject({ amount: 10, position: 0, cover: 100, cap: 1000 })
})

test('The story of a payment beyond the cover has the missing amount', async () => {
  const payment = newPayment('green', 'blue', '500.5')
  await request(admin, payment)
  const { cause, findings } = await storyOf(payment, 'ABORTED')
  expect(cause).toMatchObject({ reason: 'COVER_SHORT', errorCode: '4001' })
  expect(findings).toEqual([
    'green owed 10 USD; with 500.5 more it would be 510.5, and its cover was 100.',
  ])
})

test('Payments are found by id, FSP, state and time', async () => {
  const ids = async (query: string) => {
    const { json } = await admin.call('GET', `/transfers?${query}`)
    return (json as { transfers: { transferId: string }[] }).transfers.map(
      ({ transferId }) => transferId,
    )
  }
  const [newest = '', oldest = ''] = await ids('fspId=blue')
  expect(await ids('')).toEqual([newest, oldest])
  expect(await ids(`transferId=${oldest}`)).toEqual([oldest])
  expect(await ids('state=ABORTED')).toEqual([newest])
  expect(await ids('fspId=green&state=COMMITTED')).toEqual([oldest])
  expect(await ids('state=RESERVED')).toEqual([])
  expect(await ids('fspId=nobody')).toEqual([])
  expect(await ids('to=2020-01-01')).toEqual([])
  expect(await ids('from=2020-01-01')).toEqual([newest, oldest])
})

test('Current activity is counted', async () => {
  const { json } = await admin.call('GET', '/transfers/activity')
  expect(json).toMatchObject({ open: 0, latency_ms: expect.anything() })
})

test('An unknown id has no story, and an invalid state is refused', async () => {
  const unknown = await admin.call('GET', `/transfers/${randomUUID()}/story`)
  expect(unknown).toMatchObject({
    status: 404,
    json: { errorInformation: { errorCode: '3208' } },
  })
  expect((await admin.call('GET', '/transfers?state=LOST')).status).toBe(400)
  expect((await admin.call('GET', '/transfers?limit=0')).status).toBe(400)
})

test('The console is served, and may load and run only its own files', async () => {
  const { status, headers, text } = await admin.call('GET', '/console/')
  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  expect(headers.get('content-security-policy')).not.toContain('unsafe')
  expect(headers.get('cache-control')).toBe('no-cache')
  const [, script = ''] = /src="([^"]+\.js)"/.exec(text) ?? []
  const answer = await admin.call('GET', script)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toContain('immutable')
})
