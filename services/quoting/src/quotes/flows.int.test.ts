/** The life of quotes from event to event, on PostgreSQL. */
import { statement } from '@causeway/runtime'
import { eventually, openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { handleBatch } from '../handle.ts'
import {
  largest,
  payee,
  payer,
  queryEvent,
  rejectEvent,
  relayOf,
  reportEvent,
  requestEvent,
  responseEvent,
  started,
  stranger,
  unreachedReport,
  withoutDestination,
  withoutExpiration,
} from '../testing/messages.ts'
import { openWorld, participantWith, toldBy, type World } from '../testing/world.ts'
import type { RequestEvent, ResponseEvent } from './contract.ts'
import { rememberPending } from './pending.ts'
import { request } from './request.ts'
import { openQuoteTables } from './store.ts'

let parts: TestParts
let world: World

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld(parts)
})

afterAll(async () => {
  await world.db.close()
  await parts.stop()
})

afterEach(async () => {
  world.after(Date.parse(started) - Date.parse(world.iso()))
  for (const name of [payer, payee]) {
    world.participants.set(name, participantWith(name, ['USD', 'EUR']))
  }
  await world.setRules()
})

type Changes<Event extends { readonly payload: object }> = Partial<Event['payload']>

async function asked(changes: Changes<RequestEvent> = {}): Promise<string> {
  const id = randomUUID()
  await world.handle(requestEvent(id, changes))
  return id
}

async function answered(changes: Changes<ResponseEvent> = {}): Promise<string> {
  const id = await asked()
  await world.handle(responseEvent(id, changes))
  return id
}

function stateOf(id: string): Promise<string | undefined> {
  return world.quote(id).then((quote) => quote?.state)
}

test('a quote is asked for, answered and told, each message with the bytes as they came', async () => {
  const id = randomUUID()
  const [accepted] = await world.handle(requestEvent(id))
  expect(accepted).toMatchObject({
    type: 'QuoteRequestAccepted',
    topic: 'quoting',
    key: id,
    source: 'quoting',
    payload: { ...requestEvent(id).payload, destinationFspId: payee },
    headers: {
      'relay-body': relayOf(`request ${id}`).body,
      'relay-headers': relayOf('').headers,
    },
  })
  expect(await stateOf(id)).toBe('PENDING')

  const response = responseEvent(id)
  const [told] = await world.handle(response)
  expect(told).toMatchObject({
    type: 'QuoteResponseAccepted',
    payload: { ...response.payload, destinationFspId: payer },
    headers: { 'relay-body': response.relay?.body },
  })
  expect(await world.quote(id)).toMatchObject({
    state: 'ACCEPTED',
    amount: '990000',
    transfer_amount: '990000',
    messages: [`REQUEST request ${id}`, `RESPONSE response ${id} {}`],
  })
})

test('amounts of eighteen nines and four decimals go through every table', async () => {
  const amount = { currency: 'USD', amount: largest }
  const id = await asked({ amount })
  await world.handle(responseEvent(id, { transferAmount: amount, payeeFspFee: amount }))
  const units = '9999999999999999999999'
  expect(await world.quote(id)).toMatchObject({ amount: units, transfer_amount: units })
})

test('the payee FSP may leave it to the hub to know for whom its answer is', async () => {
  const id = await asked()
  const [told] = await world.handle(responseEvent(id, { destinationFspId: '' }))
  expect(told?.payload).toMatchObject({ destinationFspId: payer })
})

describe('whom a request is for', () => {
  async function destinationOf(event: RequestEvent): Promise<readonly string[]> {
    const said = await world.handle(event)
    const { destinationFspId } = (said[0]?.payload ?? {}) as { destinationFspId?: string }
    return [...toldBy(said), destinationFspId ?? 'nobody']
  }

  function toParty(identifier: string, fspId?: string): RequestEvent {
    const partyIdInfo = { partyIdType: 'MSISDN', partyIdentifier: identifier, fspId }
    return withoutDestination(requestEvent(randomUUID(), { payee: { partyIdInfo } }))
  }

  test('says the header, else the payee, else whoever holds the payee', async () => {
    world.owners.set('555', { type: 'KNOWN', fspIds: [payee] })
    const event = requestEvent(randomUUID(), { payee: { partyIdInfo: { fspId: stranger } } })
    expect(await destinationOf(event)).toEqual(['QuoteRequestAccepted relayed', payee])
    expect(await destinationOf(toParty('1', stranger))).toEqual([
      'QuoteRequestAccepted relayed',
      stranger,
    ])
    expect(await destinationOf(toParty('555'))).toEqual(['QuoteRequestAccepted relayed', payee])
  })

  test('of several holders is the first that can be paid', async () => {
    world.owners.set('556', { type: 'KNOWN', fspIds: ['nobank', stranger, payee] })
    expect(await destinationOf(toParty('556'))).toEqual(['QuoteRequestAccepted relayed', stranger])
  })

  test.each([
    ['nobody', 'unknown', 'InvalidQuoteRequest 3204'],
    ['not known in time', 'away', 'InvalidQuoteRequest 2003'],
  ])('is %s: the payer FSP is told', async (_what, identifier, told) => {
    world.owners.set('away', { type: 'LOOKUP_AWAY' })
    expect(await destinationOf(toParty(identifier))).toEqual([told, 'nobody'])
  })

  test('cannot be read where the payee is encrypted', async () => {
    const event = withoutDestination(
      requestEvent(randomUUID(), { payee: { partyIdInfo: 'eyJhb' } }),
    )
    expect(await destinationOf(event)).toEqual(['InvalidQuoteRequest 3204', 'nobody'])
  })

  test('holds up nobody whose destination is known', async () => {
    const { findOwners } = world.work
    let answer: () => void = () => undefined
    const looked = new Promise<void>((resolve) => (answer = resolve))
    const slow = {
      ...world.work,
      findOwners: async (...args: Parameters<typeof findOwners>) => {
        await looked
        return findOwners(...args)
      },
    }
    const [quick, waiting] = [requestEvent(randomUUID()), toParty('555')]
    const working = request(slow, [waiting, quick])
    await eventually(() => stateOf(quick.payload.quoteId), 'the quick quote is stored')
    expect(await stateOf(waiting.payload.quoteId)).toBeUndefined()
    answer()
    await working
    expect(await stateOf(waiting.payload.quoteId)).toBe('PENDING')
  })
})

describe('a request is refused, and the refusal remembered', () => {
  const inactive = { ...participantWith('', []), isActive: false }
  const poor = participantWith('', ['EUR'])

  test.each([
    ['unknown payer', payer, undefined, 'InvalidFSPInQuoteRequest PAYER 3202'],
    ['inactive payer', payer, inactive, 'InvalidFSPInQuoteRequest PAYER 4000'],
    ['payer without account', payer, poor, 'InvalidFSPInQuoteRequest PAYER 4000'],
    ['unknown payee', payee, undefined, 'InvalidFSPInQuoteRequest PAYEE 3201'],
    ['inactive payee', payee, inactive, 'InvalidFSPInQuoteRequest PAYEE 3201'],
    ['payee without account', payee, poor, 'InvalidFSPInQuoteRequest PAYEE 3201'],
  ])('%s', async (_what, name, participant, told) => {
    if (participant === undefined) world.participants.delete(name)
    else world.participants.set(name, { ...participant, name })
    const id = randomUUID()
    expect(toldBy(await world.handle(requestEvent(id)))).toEqual([told])
    expect(await stateOf(id)).toBe('REJECTED')
    world.participants.set(name, participantWith(name, ['USD']))
    const code = told.slice(-4)
    expect(toldBy(await world.handle(requestEvent(id)))).toEqual([
      `QuoteQueryResponse PAYER ${code}`,
    ])
  })

  test.each<readonly [string, Changes<RequestEvent>, string]>([
    [
      'a payer of another FSP',
      { payer: { partyIdInfo: { fspId: stranger } } },
      'InvalidFSPInQuoteRequest PAYER 3100',
    ],
    ['an expiration in the past', { expiration: started }, 'InvalidQuoteRequest 3302'],
    ['a payment to itself', { destinationFspId: payer }, 'InvalidQuoteRequest 3100'],
  ])('%s', async (_what, changes, told) => {
    expect(toldBy(await world.handle(requestEvent(randomUUID(), changes)))).toEqual([told])
  })
})

describe('a second request for an id', () => {
  test('says nothing while the first one waits for its answer', async () => {
    const id = await asked()
    expect(await world.handle(requestEvent(id))).toEqual([])
  })

  test("gets the payee FSP's own message again when that has answered", async () => {
    const id = await answered()
    const said = await world.handle(requestEvent(id))
    expect(toldBy(said)).toEqual(['QuoteQueryResponse PAYER relayed'])
    expect(said[0]?.headers).toEqual({
      'relay-body': Buffer.from(`response ${id} {}`),
      'relay-headers': relayOf('').headers,
    })
  })

  test.each(['waits', 'was answered'])(
    'with other content is refused when the first one %s, and changes nothing',
    async (when) => {
      const id = when === 'waits' ? await asked() : await answered()
      const before = await world.quote(id)
      const modified = requestEvent(id, { note: 'other' })
      expect(toldBy(await world.handle(modified))).toEqual(['InvalidQuoteRequest 3106'])
      expect(await world.quote(id)).toEqual(before)
    },
  )

  test('from another FSP is refused and told nothing', async () => {
    const id = await answered()
    const { payloadHash } = requestEvent(id).payload
    const foreign = requestEvent(id, { requesterFspId: stranger, payloadHash })
    const said = await world.handle(foreign)
    expect(toldBy(said)).toEqual(['InvalidQuoteRequest 3106'])
    expect(said[0]?.payload).toMatchObject({ requesterFspId: stranger })
  })

  test('in the same batch is the second one all the same', async () => {
    const id = randomUUID()
    const said = await world.handle(
      requestEvent(id),
      requestEvent(id),
      requestEvent(id, { note: 'other' }),
      responseEvent(id),
      requestEvent(id),
    )
    expect(toldBy(said)).toEqual([
      'QuoteRequestAccepted relayed',
      'InvalidQuoteRequest 3106',
      'QuoteResponseAccepted relayed',
      'QuoteQueryResponse PAYER relayed',
    ])
  })
})

describe('an answer', () => {
  test('that is sent again says nothing; another one is refused', async () => {
    const id = await answered()
    expect(await world.handle(responseEvent(id))).toEqual([])
    const other = responseEvent(id, { transferAmount: { currency: 'USD', amount: '98' } })
    expect(toldBy(await world.handle(other))).toEqual(['QuoteQueryResponse PAYEE 3106'])
    expect(await world.quote(id)).toMatchObject({ state: 'ACCEPTED', transfer_amount: '990000' })
  })

  test('to an unknown quote, of a stranger, or for a stranger is refused', async () => {
    const id = await asked()
    expect(toldBy(await world.handle(responseEvent(randomUUID())))).toEqual([
      'QuoteQueryResponse REQUESTER 3205',
    ])
    expect(toldBy(await world.handle(responseEvent(id, { requesterFspId: stranger })))).toEqual([
      'QuoteQueryResponse REQUESTER 3100',
    ])
    expect(toldBy(await world.handle(responseEvent(id, { destinationFspId: stranger })))).toEqual([
      'QuoteQueryResponse PAYEE 3100',
    ])
    expect(await stateOf(id)).toBe('PENDING')
  })

  test('counts if it came before the expiration, however late it is worked on', async () => {
    const [early, late] = [await asked(), await asked()]
    world.after(60_500)
    const said = await world.handle(
      { ...responseEvent(early), time: '2026-01-15T12:00:59.999Z' },
      { ...responseEvent(late), time: '2026-01-15T12:01:00.000Z' },
    )
    expect(toldBy(said)).toEqual(['QuoteResponseAccepted relayed', 'QuoteQueryResponse PAYEE 3302'])
  })
})

describe("a payee FSP's refusal", () => {
  test('is told to the payer FSP, byte for byte, and stays', async () => {
    const id = await asked()
    const refusal = rejectEvent(id)
    const [told] = await world.handle(refusal)
    expect(told).toMatchObject({
      type: 'QuoteRejectAccepted',
      payload: {
        quoteId: id,
        payerFspId: payer,
        payeeFspId: payee,
        payerVersion: '1.0',
        errorInformation: { errorCode: '5103' },
      },
      headers: { 'relay-body': refusal.relay?.body },
    })
    expect(await world.handle(rejectEvent(id))).toEqual([])
    expect(toldBy(await world.handle(responseEvent(id)))).toEqual(['QuoteQueryResponse PAYEE 3106'])
    expect(toldBy(await world.handle(requestEvent(id)))).toEqual(['QuoteQueryResponse PAYER 5103'])
    expect(await world.quote(id)).toMatchObject({ state: 'REJECTED', reason: 'REFUSED' })
  })

  test('that is sent again says nothing; another one is refused', async () => {
    const id = await asked()
    await world.handle(rejectEvent(id))
    expect(await world.handle(rejectEvent(id))).toEqual([])
    const errorInformation = { errorCode: '5101', errorDescription: 'Payee rejected quote' }
    expect(toldBy(await world.handle(rejectEvent(id, { errorInformation })))).toEqual([
      'QuoteQueryResponse PAYEE 3106',
    ])
    expect(toldBy(await world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER 5103',
    ])
  })

  test('of what it has answered already is refused and changes nothing', async () => {
    const id = await answered()
    expect(toldBy(await world.handle(rejectEvent(id)))).toEqual(['QuoteQueryResponse PAYEE 3106'])
    expect(await stateOf(id)).toBe('ACCEPTED')
  })

  test('to an unknown quote, of a stranger, or for a stranger is refused', async () => {
    const id = await asked()
    expect(toldBy(await world.handle(rejectEvent(randomUUID())))).toEqual([
      'QuoteQueryResponse REQUESTER 3205',
    ])
    expect(toldBy(await world.handle(rejectEvent(id, { requesterFspId: stranger })))).toEqual([
      'QuoteQueryResponse REQUESTER 3100',
    ])
    expect(toldBy(await world.handle(rejectEvent(id, { destinationFspId: stranger })))).toEqual([
      'QuoteQueryResponse PAYEE 3100',
    ])
    expect(await stateOf(id)).toBe('PENDING')
  })
})

describe('a question', () => {
  test('is passed on to the payee FSP while there is no answer', async () => {
    const id = await asked()
    const said = await world.handle(queryEvent(id, payer))
    expect(toldBy(said)).toEqual(['QuoteQueryForwarded relayed'])
    expect(said[0]?.payload).toMatchObject({ requesterFspId: payer, destinationFspId: payee })
    expect(toldBy(await world.handle(queryEvent(id, payee)))).toEqual([
      'QuoteQueryResponse PAYEE 3100',
    ])
  })

  test('is answered with what the payee FSP said: to itself by the hub', async () => {
    const id = await answered()
    expect(toldBy(await world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER relayed',
    ])
    expect(toldBy(await world.handle(queryEvent(id, payee)))).toEqual([
      'QuoteQueryResponse PAYEE relayed by the hub',
    ])
  })

  test('is answered the same when the answer has expired: it says so itself', async () => {
    const id = await answered({ expiration: '2026-01-15T12:00:10.000Z' })
    world.after(3_600_000)
    await world.sweep()
    expect(toldBy(await world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER relayed',
    ])
  })

  test('of a stranger, or for an unknown id, is answered with an error', async () => {
    const id = await answered()
    expect(toldBy(await world.handle(queryEvent(id, stranger)))).toEqual([
      'QuoteQueryResponse REQUESTER 3000',
    ])
    expect(toldBy(await world.handle(queryEvent(randomUUID(), payer)))).toEqual([
      'QuoteQueryResponse REQUESTER 3205',
    ])
  })
})

describe('a quote that nobody answers', () => {
  test('expires at its expiration, and nobody is told until somebody asks', async () => {
    const id = await asked()
    world.after(59_999)
    expect(await world.sweep()).toEqual([])
    expect(await stateOf(id)).toBe('PENDING')
    world.after(1)
    expect(await world.sweep()).toEqual([])
    expect(await stateOf(id)).toBe('EXPIRED')
    expect(toldBy(await world.handle(requestEvent(id)))).toEqual(['QuoteQueryResponse PAYER 3302'])
    expect(toldBy(await world.handle(queryEvent(id, payee)))).toEqual([
      'QuoteQueryResponse PAYEE 3302',
    ])
    const inTime = { ...responseEvent(id), time: started }
    expect(toldBy(await world.handle(inTime))).toEqual(['QuoteQueryResponse PAYEE 3302'])
  })

  test('does not expire over messages that came in time and are not worked off', async () => {
    const id = await asked()
    world.after(70_000)
    world.heldBackAt('2026-01-15T12:00:59.999Z')
    await world.sweep()
    expect(await stateOf(id)).toBe('PENDING')
    world.heldBackAt(undefined)
    await world.sweep()
    expect(await stateOf(id)).toBe('EXPIRED')
  })

  test('expires in the end also when it named no expiration', async () => {
    const id = randomUUID()
    await world.handle(withoutExpiration(requestEvent(id)))
    world.after(599_999)
    await world.sweep()
    expect(await stateOf(id)).toBe('PENDING')
    world.after(1)
    await world.sweep()
    expect(await stateOf(id)).toBe('EXPIRED')
  })

  test('may name an expiration that no calendar holds', async () => {
    const id = await asked({ expiration: '9999-12-31T23:59:59.999-14:00' })
    expect(await stateOf(id)).toBe('PENDING')
  })
})

describe('a request that reached nobody', () => {
  test('ends, and the payer FSP is told', async () => {
    const id = await asked()
    expect(toldBy(await world.handle(unreachedReport(id)))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 1001',
    ])
    expect(await world.quote(id)).toMatchObject({ state: 'REJECTED', reason: 'UNDELIVERED' })
    expect(toldBy(await world.handle(responseEvent(id)))).toEqual(['QuoteQueryResponse PAYEE 3100'])
    expect(toldBy(await world.handle(requestEvent(id)))).toEqual(['QuoteQueryResponse PAYER 1001'])
    expect(await world.handle(unreachedReport(id))).toEqual([])
  })

  test('because the payee FSP refused it ends with the error that this gave', async () => {
    const id = await asked()
    const errorInformation = { errorCode: '5107', errorDescription: 'no longer valid' }
    const failed = { status: 'FAILED', httpStatus: 400, errorInformation } as const
    expect(toldBy(await world.handle(reportEvent(id, failed)))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 5107',
    ])
  })

  test('does not end what was answered all the same', async () => {
    const id = await answered()
    expect(await world.handle(unreachedReport(id), unreachedReport(randomUUID()))).toEqual([])
    expect(await stateOf(id)).toBe('ACCEPTED')
  })
})

describe('what another process has ended meanwhile', () => {
  test('stays as it ended: the answer that came too late to be the first is told so', async () => {
    const [twice, same] = [await asked(), await asked()]
    const elsewhere = {
      ...world.work,
      store: rememberPending(openQuoteTables(world.db, parts.bus)),
    }
    const answers = [responseEvent(twice), responseEvent(same)]
    await handleBatch(elsewhere, answers)
    const other = responseEvent(twice, { transferAmount: { currency: 'USD', amount: '98' } })
    expect(toldBy(await world.handle(other, ...answers.slice(1)))).toEqual([
      'QuoteQueryResponse PAYEE 3106',
    ])
    expect(await world.quote(twice)).toMatchObject({ transfer_amount: '990000' })
  })

  test('by the clock is too late for the payee FSP', async () => {
    const id = await asked()
    world.after(60_000)
    await world.sweep()
    const inTime = { ...responseEvent(id), time: started }
    expect(toldBy(await world.handle(inTime))).toEqual(['QuoteQueryResponse PAYEE 3302'])
  })
})

test('a report of a clock that is wrong is kept all the same, and does what it says', async () => {
  for (const reportedAt of ['2025-03-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z']) {
    const id = await asked()
    const failed = { status: 'FAILED', attempts: 3, httpStatus: 503, reportedAt } as const
    expect(toldBy(await world.handle(reportEvent(id, failed)))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 1001',
    ])
    const rows = await world.db.query<{ reported_at: Date }>(
      statement(`select reported_at from deliveries where quote_id = $1`),
      [id],
    )
    expect(rows.map(({ reported_at }) => reported_at.toISOString())).toEqual([reportedAt])
  }
})

test('reports are kept once, however often they come', async () => {
  const id = await asked()
  const report = reportEvent(id)
  await world.handle(report, report, reportEvent(id))
  await world.handle(report)
  const rows = await world.db.query<{ report: string; status: string }>(
    statement(`select report, status from deliveries where quote_id = $1`),
    [id],
  )
  const line = { report: 'QuoteReceivedCallbackReport', status: 'SUCCESS' }
  expect(rows).toEqual([line, line])
})

describe('scheme rules', () => {
  test('forbid a request: the payee FSP never hears of it', async () => {
    await world.setRules(
      { id: 'currencies', type: 'CURRENCY', currencies: ['USD'] },
      { id: 'small', type: 'AMOUNT', currency: 'USD', max: '50', scenario: 'TRANSFER' },
    )
    const id = randomUUID()
    expect(toldBy(await world.handle(requestEvent(id)))).toEqual([
      'RuleViolatedInQuoteRequest 4200 small',
    ])
    expect(toldBy(await world.handle(requestEvent(id)))).toEqual(['QuoteQueryResponse PAYER 4200'])
    const euros = { amount: { currency: 'EUR', amount: '1' } }
    expect(toldBy(await world.handle(requestEvent(randomUUID(), euros)))).toEqual([
      'RuleViolatedInQuoteRequest 3100 currencies',
    ])
  })

  test('forbid an answer: both FSPs are told, and it stays so', async () => {
    await world.setRules({ id: 'fees', type: 'FEE', currency: 'USD', maxFeePercent: '1' })
    const id = await asked()
    const said = await world.handle(responseEvent(id))
    expect(toldBy(said)).toEqual(['RuleViolatedInQuoteResponse 3100 fees'])
    expect(said[0]?.payload).toMatchObject({
      payerFspId: payer,
      payeeFspId: payee,
      payerVersion: '1.0',
      payeeVersion: '1.1',
    })
    expect(toldBy(await world.handle(responseEvent(id)))).toEqual(['QuoteQueryResponse PAYEE 3100'])
    expect(toldBy(await world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER 3100',
    ])
    expect(await stateOf(id)).toBe('REJECTED')
  })

  test('demand that an answer is in the currency of its request', async () => {
    const id = await asked()
    const transferAmount = { currency: 'EUR', amount: '99' }
    expect(toldBy(await world.handle(responseEvent(id, { transferAmount })))).toEqual([
      'RuleViolatedInQuoteResponse 3100 transfer-currency',
    ])
  })
})

describe('passed through', () => {
  test('messages go on at once, nothing is stored, and a repeat is the same event', async () => {
    const id = randomUUID()
    const events = [requestEvent(id), responseEvent(id), queryEvent(id, payer)]
    const named = queryEvent(id, payer, { destinationFspId: payee })
    const said = await world.passOn(...events, rejectEvent(id), named, reportEvent(id))
    expect(toldBy(said)).toEqual([
      'QuoteRequestAccepted relayed',
      'QuoteResponseAccepted relayed',
      'QuoteQueryResponse REQUESTER 3201',
      'QuoteRejectAccepted 5103 relayed',
      'QuoteQueryForwarded relayed',
    ])
    expect(await world.quote(id)).toBeUndefined()
    const again = await world.passOn(...events)
    expect(again.map((message) => message.id)).toEqual(said.slice(0, 3).map((one) => one.id))
  })

  test('no rule holds, but the FSPs must be there', async () => {
    await world.setRules({ id: 'currencies', type: 'CURRENCY', currencies: ['XTS'] })
    expect(toldBy(await world.passOn(requestEvent(randomUUID())))).toEqual([
      'QuoteRequestAccepted relayed',
    ])
    world.participants.delete(payee)
    expect(toldBy(await world.passOn(requestEvent(randomUUID())))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 3201',
    ])
  })
})
