/**
 * The story of a payment is enough to find out why it failed: with only an id the operator finds
 * the cause, with the figures, in the answer to one call.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomBytes, randomInt } from 'node:crypto'
import type { Fsp } from './fsp/fsp.ts'
import { answered } from './operator/operator.ts'
import { agree, newQuote } from './fsp/payment.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, newTransfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let poor: Fsp
let capped: Fsp
let dead: Fsp

/** Long enough for a busy hub to deliver the request before it expires. */
const answer_ms = 8_000
const funds = 50
const cap = 40

beforeAll(async () => {
  scheme = await openSchemeOfFsps({ NOTIFICATIONS_RETRY_FIRST_MS: '100' })
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet')
  poor = await scheme.join('poorbank', { funds: String(funds) })
  capped = await scheme.join('capbank', { netDebitCap: String(cap) })
  dead = await scheme.join('deadbank')
  await dead.stop()
})

afterAll(() => scheme.stop())

interface Money {
  readonly amount: number
  readonly currency: string
}

interface Step {
  readonly type: 'MESSAGE' | 'DECISION' | 'JOURNAL' | 'DELIVERY'
  readonly at: string
  readonly says: string
  readonly from?: string
  readonly message?: string
  readonly refused?: string | null
  readonly error?: { readonly errorCode: string } | null
  readonly cause?: string
  readonly by?: string
  readonly outcome?: string
  readonly reason?: string | null
  readonly facts?: Readonly<Record<string, number | string | null>>
  readonly step?: string
  readonly amount?: Money
  readonly to?: string
  readonly state?: string
  readonly attemptsCount?: number
  readonly attempts?: readonly {
    readonly duration_ms: number
    readonly httpStatus: number | null
    readonly error: string | null
  }[]
}

interface Story {
  readonly state: string
  readonly amount: Money
  readonly cause: { readonly reason: string; readonly errorCode: string } | null
  readonly findings: readonly string[]
  readonly transaction: { readonly quoteId: string; readonly quoteIsKnown: boolean } | null
  readonly steps: readonly Step[]
}

/** Waits until the story shows the last step of the failure; it begins when the id is accepted. */
async function storyWith(
  transferId: string,
  fits: (story: Story) => boolean,
  what: string,
): Promise<Story> {
  const late = Date.now() + 20_000
  for (;;) {
    const { status, json } = await scheme.operator.call('GET', `/transfers/${transferId}/story`)
    if (status === 200 && fits(json as Story)) return json as Story
    if (Date.now() > late) throw new Error(`no ${what} in ${JSON.stringify(json, null, 1)}`)
  }
}

function no(errorCode: string) {
  return { errorInformation: { errorCode, errorDescription: 'Not today' } }
}

const amountUpTo = (max: number) => String(randomInt(1, max))

/** Ways to fail; each makes one payment fail and returns its id, nothing else. */
const failures = {
  'rejected by the payee FSP': async () => {
    const { transferId, request } = newTransfer(payer, payee, { amount: amountUpTo(50) })
    await payer.send('POST', '/transfers', request)
    await payee.await(about(transferId, 'POST'))
    await payee.send('PUT', `/transfers/${transferId}/error`, no('5104'))
    return transferId
  },
  'no answer before the expiry': async () => {
    const { transferId, request } = newTransfer(payer, payee, { expires_ms: answer_ms })
    await payer.send('POST', '/transfers', request)
    return transferId
  },
  'an answer after the expiry': async () => {
    const transfer = newTransfer(payer, payee, { expires_ms: answer_ms })
    const { transferId, request } = transfer
    await payer.send('POST', '/transfers', request)
    const isRefused = about(transferId, 'PUT', true)
    const first = await payee.await(isRefused, { timeout_ms: 20_000 })
    const after = payee.received.indexOf(first) + 1
    await payee.send('PUT', `/transfers/${transferId}`, committed(transfer))
    await payee.await(isRefused, { after })
    return transferId
  },
  'more than the cover': async () => {
    const amount = String(funds + randomInt(1, 1_000))
    const { transferId, request } = newTransfer(poor, payee, { amount })
    await poor.send('POST', '/transfers', request)
    return transferId
  },
  'more than the net debit cap': async () => {
    const amount = String(cap + randomInt(1, 1_000))
    const { transferId, request } = newTransfer(capped, payee, { amount })
    await capped.send('POST', '/transfers', request)
    return transferId
  },
  'a payee FSP that is unknown': async () => {
    const { request } = newTransfer(payer, payee)
    await payer.send('POST', '/transfers', { ...request, payeeFsp: 'nobank' })
    return request.transferId
  },
  'a fulfilment that does not match': async () => {
    const { transferId, request } = newTransfer(payer, payee)
    await payer.send('POST', '/transfers', request)
    await payee.await(about(transferId, 'POST'))
    const fulfilment = randomBytes(32).toString('base64url')
    await payee.send('PUT', `/transfers/${transferId}`, {
      ...committed(newTransfer(payer, payee)),
      fulfilment,
    })
    return transferId
  },
  'a payee FSP that cannot be reached': async () => {
    const { transferId, request } = newTransfer(payer, dead, { expires_ms: answer_ms })
    await payer.send('POST', '/transfers', request)
    return transferId
  },
  'the same id with another content': async () => {
    const { transferId, request } = newTransfer(payer, payee)
    await payer.send('POST', '/transfers', request)
    await payee.await(about(transferId, 'POST'))
    const amount = { currency: 'USD', amount: '11' }
    await payer.send('POST', '/transfers', { ...request, amount })
    return transferId
  },
} as const

type Failure = keyof typeof failures

const decisionOf = ({ steps }: Story, by: string) =>
  steps.find((step) => step.type === 'DECISION' && step.by === by)

/** The cause as an operator reads it from a story; undefined while the story does not show it. */
function diagnose(story: Story): Failure | undefined {
  const { cause, steps } = story
  const refused = steps.find((step) => typeof step.refused === 'string')
  const facts = decisionOf(story, 'ledger')?.facts ?? {}
  const needed = Number(facts['position']) + story.amount.amount
  switch (cause?.reason) {
    case undefined:
      return refused?.refused === 'CONTENT_MODIFIED' && refused.message === 'POST /transfers'
        ? 'the same id with another content'
        : undefined
    case 'REJECTED':
      return steps.some(({ error }) => error?.errorCode === cause.errorCode)
        ? 'rejected by the payee FSP'
        : undefined
    case 'COVER_SHORT':
      return needed > Number(facts['cover']) ? 'more than the cover' : undefined
    case 'CAP_SHORT':
      return needed > Number(facts['cap']) ? 'more than the net debit cap' : undefined
    case 'PAYEE_UNKNOWN':
      return 'a payee FSP that is unknown'
    case 'INVALID_FULFILMENT': {
      const judged = decisionOf(story, 'transfers')?.facts ?? {}
      return judged['hashOfFulfilment'] === judged['condition']
        ? undefined
        : 'a fulfilment that does not match'
    }
    case 'TIMEOUT':
      return diagnoseSilence(steps)
    default:
      return undefined
  }
}

function diagnoseSilence(steps: readonly Step[]): Failure | undefined {
  if (steps.some(({ refused }) => refused === 'TOO_LATE')) return 'an answer after the expiry'
  const request = steps.find((step) => step.cause === 'TransferPrepared')
  if (request === undefined) return undefined
  const wasReached = request.attempts?.some(({ httpStatus }) => httpStatus !== null) === true
  if (wasReached) return 'no answer before the expiry'
  return request.state === 'FAILED' ? 'a payee FSP that cannot be reached' : undefined
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

test('The cause of every failed payment is found in its story alone', async () => {
  const kinds = Object.keys(failures) as readonly Failure[]
  const drawn = shuffled([...kinds, ...shuffled(kinds).slice(0, 4)])
  const failed = await Promise.all(
    drawn.map(async (kind) => ({ kind, transferId: await failures[kind]() })),
  )
  for (const { kind, transferId } of failed) {
    const story = await storyWith(transferId, (each) => diagnose(each) !== undefined, kind)
    expect({ kind: diagnose(story), findings: story.findings }).toEqual({
      kind,
      findings: expect.arrayContaining([expect.stringMatching(/./)]),
    })
  }
}, 120_000)

test('The story lists each delivery attempt to an FSP that cannot be reached', async () => {
  // Another FSP than the one whose circuit is open by now.
  const away = await scheme.join('awaybank')
  await away.stop()
  const { transferId, request: sent } = newTransfer(payer, away, { expires_ms: answer_ms })
  await payer.send('POST', '/transfers', sent)
  const story = await storyWith(
    transferId,
    ({ steps }) => diagnoseSilence(steps) === 'a payee FSP that cannot be reached',
    'dead letter',
  )
  const request = story.steps.find(({ type, to }) => type === 'DELIVERY' && to === away.name)
  expect(request?.attempts).toHaveLength(request?.attemptsCount ?? 0)
  expect(request?.attemptsCount).toBeGreaterThan(0)
  for (const attempt of request?.attempts ?? []) {
    expect(attempt).toMatchObject({ httpStatus: null, error: expect.stringMatching(/./) })
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(0)
  }
})

test('The story of a committed payment has every step from the quote to the last callback, in order', async () => {
  const { transfer, quote } = await agree(payer, payee, newQuote(payer, payee))
  const { transferId, request } = transfer
  await payer.send('POST', '/transfers', request)
  await payee.await(about(transferId, 'POST'))
  await payee.send('PUT', `/transfers/${transferId}`, committed(transfer))
  await payer.await(about(transferId, 'PUT'))
  const story = await storyWith(
    transferId,
    ({ steps }) => steps.filter(({ type }) => type === 'DELIVERY').length === 4,
    'four deliveries',
  )
  expect(story).toMatchObject({ state: 'COMMITTED', cause: null })
  expect(story.transaction).toMatchObject({ quoteId: quote.quoteId, quoteIsKnown: true })
  const times = story.steps.map(({ at }) => Date.parse(at))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  const messages = story.steps.flatMap(({ type, message }) => (type === 'MESSAGE' ? message : []))
  expect(messages).toEqual(['POST /quotes', 'POST /transfers', 'PUT /transfers/{ID}'])
  const journal = story.steps.flatMap(({ type, step }) => (type === 'JOURNAL' ? step : []))
  expect(journal).toEqual(['RESERVE', 'POST'])
  for (const { type, state, attempts } of story.steps) {
    if (type !== 'DELIVERY') continue
    expect(state).toBe('DELIVERED')
    expect(attempts?.map(({ httpStatus }) => httpStatus)).toEqual([expect.any(Number)])
  }
})

test('An id that the hub has never accepted has no story', async () => {
  const { transferId } = newTransfer(payer, payee)
  const { status, json } = await scheme.operator.call('GET', `/transfers/${transferId}/story`)
  expect(status).toBe(404)
  expect(json).toMatchObject({ errorInformation: { errorCode: '3208' } })
})

interface Page {
  readonly transfers: readonly { readonly transferId: string; readonly state: string }[]
  readonly next: string | null
}

test('A search returns all transfers of an FSP, page by page, the newest first', async () => {
  const ids: string[] = []
  const search = async (query: string) =>
    answered<Page>(scheme.operator.call('GET', `/transfers?${query}`))
  for (let after = ''; ;) {
    const page = await search(`fspId=capbank&limit=1${after}`)
    ids.push(...page.transfers.map(({ transferId }) => transferId))
    if (page.next === null) break
    after = `&after=${encodeURIComponent(page.next)}`
  }
  const all = await search('fspId=capbank')
  expect(ids.length).toBeGreaterThan(0)
  expect(ids).toEqual(all.transfers.map(({ transferId }) => transferId))
  const aborted = await search('state=ABORTED&limit=3')
  expect(aborted.transfers.map(({ state }) => state)).toEqual(['ABORTED', 'ABORTED', 'ABORTED'])
  expect(await search(`transferId=${ids[0] ?? ''}`)).toMatchObject({
    transfers: [{ transferId: ids[0] }],
    next: null,
  })
})
