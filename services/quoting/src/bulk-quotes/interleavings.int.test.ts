/**
 * Messages about bulk quotes in any order and number, with crashes between any two steps: every bulk quote
 * ends once, its payer FSP gets exactly one result, with each item in its place, and the same result for
 * a query.
 */
import { randomUUID } from 'node:crypto'
import type { OutgoingMessage } from '@causeway/bus'
import { derivedId } from '@causeway/events'
import { statement } from '@causeway/postgres'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  bulkItem,
  bulkQueryEvent,
  bulkRejectEvent,
  bulkRequestEvent,
  bulkResponseEvent,
  bulkResult,
  bulkUnreachedReport,
  type BulkItem,
  type BulkResult,
} from '../testing/bulk-messages.ts'
import { useFlows } from '../testing/flows.ts'
import { holdBulks } from '../testing/held-bulks.ts'
import { payee, payer, started, stranger } from '../testing/messages.ts'
import { answersIn } from '../testing/world.ts'
import type { BulkRequestEvent, BulkResponseEvent } from './contract.ts'
import type { ConsumedBulkEvent } from './handle.ts'

const flows = useFlows()

const expiry = '2026-01-15T12:01:00.000Z'
const rules = [
  { id: 'large', type: 'AMOUNT', currency: 'USD', max: '100' },
  { id: 'fees', type: 'FEE', currency: 'USD', maxFee: '1' },
]
const tooMuch = { amount: { currency: 'USD', amount: '101' } }
const tooDear = { payeeFspFee: { currency: 'USD', amount: '1.01' } }
const refusal = { errorCode: '5103', errorDescription: 'no' }

/** The requests of the payer FSP. */
const contents = {
  plain: [bulkItem('a'), bulkItem('b')],
  mixed: [bulkItem('a'), bulkItem('b', tooMuch), bulkItem('c')],
  'all too large': [bulkItem('a', tooMuch), bulkItem('c', tooMuch)],
  late: [bulkItem('a')],
} as const satisfies Record<string, readonly BulkItem[]>
type Content = keyof typeof contents

const outcomes = ['agreed', 'too dear', 'refused', 'silent'] as const
type ItemOutcome = (typeof outcomes)[number]

type Incoming =
  | { readonly kind: 'request'; readonly bulk: number; readonly content: Content }
  | {
      readonly kind: 'answer'
      readonly bulk: number
      readonly outcomes: readonly ItemOutcome[]
    }
  | {
      readonly kind: 'refusal' | 'answer of another' | 'question' | 'report'
      readonly bulk: number
    }

type Step =
  | {
      readonly type: 'event'
      readonly incoming: Incoming
      readonly redelivers: boolean
      readonly gates_max: number
    }
  | { readonly type: 'sweep'; readonly gates_max: number }
  | { readonly type: 'time'; readonly ms: number }
  | { readonly type: 'go on'; readonly choices: readonly number[] }

const bulk = fc.nat(1)
const incoming: fc.Arbitrary<Incoming> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      bulk,
      content: fc.constantFrom<Content>('plain', 'mixed', 'mixed', 'all too large', 'late'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      bulk,
      outcomes: fc.array(fc.constantFrom(...outcomes), { minLength: 3, maxLength: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'refusal' as const,
        'answer of another' as const,
        'question' as const,
        'report' as const,
      ),
      bulk,
    }),
  },
)
/** How many gates are passed before the process crashes; most do not. */
const gates_max = fc.oneof(
  { weight: 2, arbitrary: fc.constant(1_000) },
  { weight: 1, arbitrary: fc.nat(8) },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('event' as const),
      incoming,
      redelivers: fc.boolean(),
      gates_max,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('sweep' as const), gates_max }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.nat(45_000) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('go on' as const),
      choices: fc.array(fc.nat(7), { minLength: 1, maxLength: 12 }),
    }),
  },
)

const runs = 60
const { numRuns = 100 } = fc.readConfigureGlobal()
const timeout_ms = 60_000 + 10 * runs * numRuns

function resultOf(quoteId: string, outcome: ItemOutcome): BulkResult[] {
  switch (outcome) {
    case 'agreed':
      return [bulkResult(quoteId)]
    case 'too dear':
      return [bulkResult(quoteId, tooDear)]
    case 'refused':
      return [{ quoteId, errorInformation: refusal }]
    case 'silent':
      return []
  }
}

/** Answered from the last item to the first. */
function answerTo(
  id: string,
  { outcomes: of }: Extract<Incoming, { readonly kind: 'answer' }>,
  time: string,
): BulkResponseEvent {
  const ids = ['c', 'b', 'a']
  const results = ids.flatMap((quoteId, at) => resultOf(quoteId, of[at] ?? 'silent'))
  return bulkResponseEvent(id, results, { time })
}

function eventOf(id: string, one: Incoming, time: string): ConsumedBulkEvent {
  switch (one.kind) {
    case 'request': {
      const expiration = one.content === 'late' ? started : expiry
      return bulkRequestEvent(id, contents[one.content], { expiration })
    }
    case 'answer':
      return answerTo(id, one, time)
    case 'answer of another':
      return bulkResponseEvent(id, [bulkResult('a')], { time, requesterFspId: stranger })
    case 'refusal':
      return bulkRejectEvent(id)
    case 'question':
      return bulkQueryEvent(id, payer)
    case 'report':
      return bulkUnreachedReport(id)
  }
}

interface Played {
  readonly ids: readonly string[]
  readonly issued: readonly ConsumedBulkEvent[]
  /** Bulk quotes that the payee FSP answered in time, after it had received the request. */
  readonly inTime: ReadonlySet<string>
  readonly failures: readonly unknown[]
}

async function play(steps: readonly Step[]): Promise<Played> {
  const { world } = flows
  world.after(Date.parse(started) - Date.parse(world.iso()))
  const hold = holdBulks(world)
  const ids = [randomUUID(), randomUUID()]
  const issued = new Map<ConsumedBulkEvent, Incoming>()
  const inTime = new Set<string>()

  async function deliver({
    incoming: one,
    redelivers,
    gates_max: gates,
  }: Step & { type: 'event' }) {
    const id = ids[one.bulk] ?? ''
    const isAsked = published(id).some(({ type }) => type === 'BulkQuoteRequestAccepted')
    // There is no report about an event that has not been announced.
    if (one.kind === 'report' && !isAsked) return
    const same = [...issued].filter(
      ([, { kind, bulk: of }]) => kind === one.kind && of === one.bulk,
    )
    const event = (redelivers ? same.at(-1)?.[0] : undefined) ?? eventOf(id, one, world.iso())
    if (!issued.has(event) && one.kind === 'answer' && isAsked && world.iso() < expiry) {
      inTime.add(id)
    }
    issued.set(event, one)
    await hold.deliver(event, gates)
  }

  for (const one of steps) {
    switch (one.type) {
      case 'event':
        await deliver(one)
        break
      case 'sweep':
        await hold.sweep(one.gates_max)
        break
      case 'time':
        world.after(one.ms)
        break
      case 'go on':
        for (const choice of one.choices) await hold.letThrough(choice)
    }
  }
  await hold.finish()
  return { ids, issued: [...issued.keys()], inTime, failures: hold.failures }
}

function published(id: string): readonly OutgoingMessage[] {
  return flows.world.published.filter(({ key }) => key === id)
}

const readBulk = statement(`
  select id, state, reason, request_event_id::text, outcome_event_id::text, completed_at
  from bulk_quotes where id = $1`)

interface Row {
  readonly id: string
  readonly state: string
  readonly reason: string | null
  readonly request_event_id: string
  readonly outcome_event_id: string | null
  readonly completed_at: Date | null
}

async function rowOf(id: string): Promise<Row | undefined> {
  const [row] = await flows.world.db.query<Row>(readBulk, [id])
  return row
}

const ends = new Set([
  'BulkQuoteResponseAccepted',
  'BulkQuoteRejectAccepted',
  'BulkQuoteItemsRefused',
  'InvalidBulkQuoteRequest',
  'InvalidFSPInBulkQuoteRequest',
])

/** The results for the payer FSP, each message once, without errors about a used id. */
function endsOf(id: string): readonly OutgoingMessage[] {
  const found = published(id).filter(
    (message) => ends.has(message.type) && !answersIn([message])[0]?.endsWith(' 3106'),
  )
  return [...new Map(found.map((message) => [message.id, message])).values()]
}

function expectedEnds({ id, state, reason }: Row, issued: readonly ConsumedBulkEvent[]) {
  switch (state) {
    case 'ACCEPTED':
      return ['BulkQuoteResponseAccepted']
    case 'EXPIRED':
      return issued.some((event) => event.name.endsWith('Report') && entityOf(event) === id)
        ? ['InvalidFSPInBulkQuoteRequest']
        : []
    default:
      return [
        reason === 'REFUSED'
          ? 'BulkQuoteRejectAccepted'
          : reason === 'ITEMS'
            ? 'BulkQuoteItemsRefused'
            : reason === 'UNDELIVERED'
              ? 'InvalidFSPInBulkQuoteRequest'
              : 'InvalidBulkQuoteRequest',
      ]
  }
}

function entityOf({ payload }: ConsumedBulkEvent): string | undefined {
  return 'reports' in payload ? payload.reports[0]?.entityId : payload.bulkQuoteId
}

function relayed(message: OutgoingMessage | undefined): string {
  return String(message?.headers['relay-body'])
}

/** `<id> <code>` of each result, in order. */
function resultsIn(message: OutgoingMessage | undefined): readonly string[] {
  const { individualQuoteResults } = JSON.parse(relayed(message)) as {
    readonly individualQuoteResults: readonly {
      readonly quoteId: string
      readonly errorInformation?: { readonly errorCode: string }
    }[]
  }
  return individualQuoteResults.map(
    ({ quoteId, errorInformation }) => `${quoteId} ${errorInformation?.errorCode ?? 'agreed'}`,
  )
}

/** In the order of the request; undefined: as the payee FSP sent it, because the hub refuses nothing. */
function expectedResults(
  request: BulkRequestEvent,
  response: BulkResponseEvent,
): readonly string[] | undefined {
  const answers = new Map(
    response.payload.individualQuoteResults.map((result) => [result.quoteId, result]),
  )
  const results = request.payload.individualQuotes.map(({ quoteId, amount }) => {
    if (amount.amount === '101') return { ends: [`${quoteId} 4200`], isOfHub: true }
    const answer = answers.get(quoteId)
    if (answer === undefined) return { ends: [], isOfHub: false }
    if (answer.errorInformation !== undefined) return { ends: [`${quoteId} 5103`], isOfHub: false }
    return answer.payeeFspFee?.amount === '1.01'
      ? { ends: [`${quoteId} 3100`], isOfHub: true }
      : { ends: [`${quoteId} agreed`], isOfHub: false }
  })
  return results.some(({ isOfHub }) => isOfHub) ? results.flatMap(({ ends }) => ends) : undefined
}

function issuedAs<Name extends ConsumedBulkEvent['name']>(
  issued: readonly ConsumedBulkEvent[],
  name: Name,
  id: string | null,
): Extract<ConsumedBulkEvent, { readonly name: Name }> {
  const found = issued.find((event) => event.id === id)
  if (found?.name !== name) throw new Error(`no ${name} ${id} was issued`)
  return found as Extract<ConsumedBulkEvent, { readonly name: Name }>
}

/** A request that did not claim the id: with other content it is refused by an answer of its own. */
function expectRepeats({ id, request_event_id }: Row, issued: readonly ConsumedBulkEvent[]): void {
  const claimed = issuedAs(issued, 'BulkQuoteRequestReceived', request_event_id)
  for (const event of issued) {
    if (event.name !== 'BulkQuoteRequestReceived' || event.payload.bulkQuoteId !== id) continue
    const refused = published(id).filter(
      (message) => message.id === derivedId(event.id, 'InvalidBulkQuoteRequest'),
    )
    const isOther = event.payload.payloadHash !== claimed.payload.payloadHash
    expect(new Set(answersIn(refused))).toEqual(
      new Set(isOther ? ['InvalidBulkQuoteRequest 3106'] : []),
    )
  }
}

/** The same request again gets the result that was sent before. */
async function expectToldAgain(row: Row, issued: readonly ConsumedBulkEvent[]): Promise<void> {
  const claimed = issuedAs(issued, 'BulkQuoteRequestReceived', row.request_event_id)
  const [end] = endsOf(row.id)
  const [again, ...more] = await flows.world.handleBulks({ ...claimed, id: randomUUID() })
  expect(more).toEqual([])
  expect(again?.type).toBe('BulkQuoteQueryResponse')
  if (row.state === 'ACCEPTED' || row.reason === 'ITEMS') {
    expect(relayed(again)).toBe(relayed(end))
    return
  }
  const codeOf = (message: OutgoingMessage | undefined) => {
    const payload = message?.payload as
      | { readonly errorInformation?: { readonly errorCode: string } }
      | undefined
    return payload?.errorInformation?.errorCode
  }
  expect(codeOf(again)).toBe(row.state === 'EXPIRED' ? '3302' : codeOf(end))
}

async function expectOneEnd(id: string, { issued, inTime }: Played): Promise<void> {
  const row = await rowOf(id)
  if (row === undefined) {
    expect(endsOf(id)).toEqual([])
    return
  }
  expect(row.completed_at).not.toBeNull()
  if (inTime.has(id)) expect(row.state).not.toBe('EXPIRED')
  const ends = endsOf(id)
  expect(ends.map(({ type }) => type)).toEqual(expectedEnds(row, issued))
  const asked = published(id).filter(({ type }) => type === 'BulkQuoteRequestAccepted')
  const isRefusedAtOnce = ['ITEMS', 'EXPIRED'].includes(row.reason ?? '')
  expect(asked).toHaveLength(isRefusedAtOnce ? 0 : 1)
  if (row.state === 'ACCEPTED') {
    const request = issuedAs(issued, 'BulkQuoteRequestReceived', row.request_event_id)
    const response = issuedAs(issued, 'BulkQuoteResponseReceived', row.outcome_event_id)
    expect(response.payload.requesterFspId).toBe(payee)
    expect(response.time < expiry).toBe(true)
    const expected = expectedResults(request, response)
    if (expected === undefined) expect(relayed(ends[0])).toBe(String(response.relay?.body))
    else expect(resultsIn(ends[0])).toEqual(expected)
  }
  expectRepeats(row, issued)
  await expectToldAgain(row, issued)
}

test(
  'In every interleaving each bulk quote ends once, and its payer FSP gets exactly that result',
  async () => {
    await flows.world.setRules(...rules)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const played = await play(steps)
        expect(played.failures).toEqual([])
        for (const id of played.ids) await expectOneEnd(id, played)

        const before = await Promise.all(played.ids.map(rowOf))
        const endsBefore = played.ids.map((id) => endsOf(id).length)
        for (const event of played.issued) await flows.world.handleBulks(event)
        expect(await Promise.all(played.ids.map(rowOf))).toEqual(before)
        expect(played.ids.map((id) => endsOf(id).length)).toEqual(endsBefore)
      }),
      { numRuns: runs },
    )
  },
  timeout_ms,
)
