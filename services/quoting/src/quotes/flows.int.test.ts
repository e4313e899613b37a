/** Quotes from event to event: requested, answered, refused, queried. */
import { randomUUID } from 'node:crypto'
import { eventually } from '@causeway/process/testing'
import { describe, expect, test } from '@jest/globals'
import {
  largest,
  payee,
  payer,
  queryEvent,
  rejectEvent,
  relayOf,
  requestEvent,
  responseEvent,
  started,
  stranger,
  withoutDestination,
} from '../testing/messages.ts'
import { participantWith, answersIn } from '../testing/world.ts'
import type { RequestEvent } from './contract.ts'
import { request } from './request.ts'
import { useFlows, type PayloadChanges } from '../testing/flows.ts'

const flows = useFlows()
const { asked, answered, stateOf } = flows

test('A quote is requested and answered, and each message keeps its original bytes', async () => {
  const id = randomUUID()
  const [accepted] = await flows.world.handle(requestEvent(id))
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
  const [callback] = await flows.world.handle(response)
  expect(callback).toMatchObject({
    type: 'QuoteResponseAccepted',
    payload: { ...response.payload, destinationFspId: payer },
    headers: { 'relay-body': response.relay?.body },
  })
  expect(await flows.world.quote(id)).toMatchObject({
    state: 'ACCEPTED',
    amount: '990000',
    transfer_amount: '990000',
    messages: [`REQUEST request ${id}`, `RESPONSE {"response":"${id}","changes":{}}`],
  })
})

test('Amounts of eighteen nines and four decimals are stored exactly in every table', async () => {
  const amount = { currency: 'USD', amount: largest }
  const id = await asked({ amount })
  await flows.world.handle(responseEvent(id, { transferAmount: amount, payeeFspFee: amount }))
  const units = '9999999999999999999999'
  expect(await flows.world.quote(id)).toMatchObject({ amount: units, transfer_amount: units })
})

test('The payee FSP may omit the destination of its answer', async () => {
  const id = await asked()
  const [callback] = await flows.world.handle(responseEvent(id, { destinationFspId: undefined }))
  expect(callback?.payload).toMatchObject({ destinationFspId: payer })
})

describe('the destination of a request', () => {
  async function destinationOf(event: RequestEvent): Promise<readonly string[]> {
    const published = await flows.world.handle(event)
    const { destinationFspId } = (published[0]?.payload ?? {}) as { destinationFspId?: string }
    return [...answersIn(published), destinationFspId ?? 'none']
  }

  function toParty(identifier: string, fspId?: string): RequestEvent {
    const partyIdInfo = { partyIdType: 'MSISDN', partyIdentifier: identifier, fspId }
    return withoutDestination(requestEvent(randomUUID(), { payee: { partyIdInfo } }))
  }

  test('The destination is the one in the header, otherwise the FSP of the payee in the message, otherwise the result of the lookup', async () => {
    flows.world.owners.set('555', { type: 'KNOWN', fspIds: [payee] })
    const event = requestEvent(randomUUID(), { payee: { partyIdInfo: { fspId: stranger } } })
    expect(await destinationOf(event)).toEqual(['QuoteRequestAccepted relayed', payee])
    expect(await destinationOf(toParty('1', stranger))).toEqual([
      'QuoteRequestAccepted relayed',
      stranger,
    ])
    expect(await destinationOf(toParty('555'))).toEqual(['QuoteRequestAccepted relayed', payee])
  })

  test('Of several FSPs of the payee the destination is the first that can be paid', async () => {
    flows.world.owners.set('556', { type: 'KNOWN', fspIds: ['nobank', stranger, payee] })
    expect(await destinationOf(toParty('556'))).toEqual(['QuoteRequestAccepted relayed', stranger])
  })

  test.each([
    ['unknown', 'unknown', 'InvalidQuoteRequest 3204'],
    ['not known in time', 'away', 'InvalidQuoteRequest 2003'],
  ])(
    'When the destination of a request is %s, the payer FSP gets an error',
    async (_what, identifier, expected) => {
      flows.world.owners.set('away', { type: 'LOOKUP_AWAY' })
      expect(await destinationOf(toParty(identifier))).toEqual([expected, 'none'])
    },
  )

  test('An encrypted payee cannot be looked up', async () => {
    const event = withoutDestination(
      requestEvent(randomUUID(), { payee: { partyIdInfo: 'eyJhb' } }),
    )
    expect(await destinationOf(event)).toEqual(['InvalidQuoteRequest 3204', 'none'])
  })

  test('A slow lookup delays no request with a known destination', async () => {
    const { findOwners } = flows.world.work
    let answer: () => void = () => undefined
    const looked = new Promise<void>((resolve) => (answer = resolve))
    const slow = {
      ...flows.world.work,
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

describe('a request is refused, and the refusal stored', () => {
  const inactive = { ...participantWith('', []), isActive: false }
  const poor = participantWith('', ['EUR'])

  test.each([
    ['unknown payer', payer, undefined, 'InvalidFSPInQuoteRequest PAYER 3202'],
    ['inactive payer', payer, inactive, 'InvalidFSPInQuoteRequest PAYER 4000'],
    ['payer without account', payer, poor, 'InvalidFSPInQuoteRequest PAYER 4000'],
    ['unknown payee', payee, undefined, 'InvalidFSPInQuoteRequest PAYEE 3201'],
    ['inactive payee', payee, inactive, 'InvalidFSPInQuoteRequest PAYEE 3201'],
    ['payee without account', payee, poor, 'InvalidFSPInQuoteRequest PAYEE 3201'],
  ])('%s', async (_what, name, participant, expected) => {
    if (participant === undefined) flows.world.participants.delete(name)
    else flows.world.participants.set(name, { ...participant, name })
    const id = randomUUID()
    expect(answersIn(await flows.world.handle(requestEvent(id)))).toEqual([expected])
    expect(await stateOf(id)).toBe('REJECTED')
    flows.world.participants.set(name, participantWith(name, ['USD']))
    const code = expected.slice(-4)
    expect(answersIn(await flows.world.handle(requestEvent(id)))).toEqual([
      `QuoteQueryResponse PAYER ${code}`,
    ])
  })

  test.each<readonly [string, PayloadChanges<RequestEvent>, string]>([
    [
      'a payer of another FSP',
      { payer: { partyIdInfo: { fspId: stranger } } },
      'InvalidFSPInQuoteRequest PAYER 3100',
    ],
    ['an expiration in the past', { expiration: started }, 'InvalidQuoteRequest 3302'],
  ])('%s', async (_what, changes, expected) => {
    expect(answersIn(await flows.world.handle(requestEvent(randomUUID(), changes)))).toEqual([
      expected,
    ])
  })
})

test('A request of an FSP to itself is relayed like any other', async () => {
  const changes = { destinationFspId: payer }
  const [published] = await flows.world.handle(requestEvent(randomUUID(), changes))
  expect(published).toMatchObject({
    type: 'QuoteRequestAccepted',
    payload: { destinationFspId: payer },
  })
})

describe('a second request for an id', () => {
  test('A second request for an id has no answer while the first is pending', async () => {
    const id = await asked()
    expect(await flows.world.handle(requestEvent(id))).toEqual([])
  })

  test("A second request for an id gets the payee FSP's own message if that has answered", async () => {
    const id = await answered()
    const published = await flows.world.handle(requestEvent(id))
    expect(answersIn(published)).toEqual(['QuoteQueryResponse PAYER relayed'])
    expect(published[0]?.headers).toEqual({
      'relay-body': Buffer.from(`{"response":"${id}","changes":{}}`),
      'relay-headers': relayOf('').headers,
    })
  })

  test.each(['waits', 'was answered'])(
    'A second request with other content is refused when the first one %s, and changes nothing',
    async (when) => {
      const id = when === 'waits' ? await asked() : await answered()
      const before = await flows.world.quote(id)
      const modified = requestEvent(id, { note: 'other' })
      expect(answersIn(await flows.world.handle(modified))).toEqual(['InvalidQuoteRequest 3106'])
      expect(await flows.world.quote(id)).toEqual(before)
    },
  )

  test('A second request from another FSP is refused without information', async () => {
    const id = await answered()
    const { payloadHash } = requestEvent(id).payload
    const foreign = requestEvent(id, { requesterFspId: stranger, payloadHash })
    const published = await flows.world.handle(foreign)
    expect(answersIn(published)).toEqual(['InvalidQuoteRequest 3106'])
    expect(published[0]?.payload).toMatchObject({ requesterFspId: stranger })
  })

  test('A second request in the same batch is treated as the second', async () => {
    const id = randomUUID()
    const published = await flows.world.handle(
      requestEvent(id),
      requestEvent(id),
      requestEvent(id, { note: 'other' }),
      responseEvent(id),
      requestEvent(id),
    )
    expect(answersIn(published)).toEqual([
      'QuoteRequestAccepted relayed',
      'InvalidQuoteRequest 3106',
      'QuoteResponseAccepted relayed',
      'QuoteQueryResponse PAYER relayed',
    ])
  })
})

describe('an answer', () => {
  test('A repeated answer has no effect, and a different one is refused', async () => {
    const id = await answered()
    expect(await flows.world.handle(responseEvent(id))).toEqual([])
    const other = responseEvent(id, { transferAmount: { currency: 'USD', amount: '98' } })
    expect(answersIn(await flows.world.handle(other))).toEqual(['QuoteQueryResponse PAYEE 3106'])
    expect(await flows.world.quote(id)).toMatchObject({
      state: 'ACCEPTED',
      transfer_amount: '990000',
    })
  })

  test('An answer to an unknown quote, or of or for another FSP, is refused', async () => {
    const id = await asked()
    expect(answersIn(await flows.world.handle(responseEvent(randomUUID())))).toEqual([
      'QuoteQueryResponse REQUESTER 3205',
    ])
    expect(
      answersIn(await flows.world.handle(responseEvent(id, { requesterFspId: stranger }))),
    ).toEqual(['QuoteQueryResponse REQUESTER 3100'])
    expect(
      answersIn(await flows.world.handle(responseEvent(id, { destinationFspId: stranger }))),
    ).toEqual(['QuoteQueryResponse PAYEE 3100'])
    expect(await stateOf(id)).toBe('PENDING')
  })

  test('An answer that was received before the expiration is accepted, however late it is processed', async () => {
    const [early, late] = [await asked(), await asked()]
    flows.world.after(60_500)
    const published = await flows.world.handle(
      { ...responseEvent(early), time: '2026-01-15T12:00:59.999Z' },
      { ...responseEvent(late), time: '2026-01-15T12:01:00.000Z' },
    )
    expect(answersIn(published)).toEqual([
      'QuoteResponseAccepted relayed',
      'QuoteQueryResponse PAYEE 3302',
    ])
  })
})

describe("a payee FSP's refusal", () => {
  test('A refusal of the payee FSP reaches the payer FSP byte for byte and is final', async () => {
    const id = await asked()
    const refusal = rejectEvent(id)
    const [callback] = await flows.world.handle(refusal)
    expect(callback).toMatchObject({
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
    expect(await flows.world.handle(rejectEvent(id))).toEqual([])
    expect(answersIn(await flows.world.handle(responseEvent(id)))).toEqual([
      'QuoteQueryResponse PAYEE 3106',
    ])
    expect(answersIn(await flows.world.handle(requestEvent(id)))).toEqual([
      'QuoteQueryResponse PAYER 5103',
    ])
    expect(await flows.world.quote(id)).toMatchObject({ state: 'REJECTED', reason: 'REFUSED' })
  })

  test('A repeated refusal has no effect, and a different one is refused', async () => {
    const id = await asked()
    await flows.world.handle(rejectEvent(id))
    expect(await flows.world.handle(rejectEvent(id))).toEqual([])
    const errorInformation = { errorCode: '5101', errorDescription: 'Payee rejected quote' }
    expect(answersIn(await flows.world.handle(rejectEvent(id, { errorInformation })))).toEqual([
      'QuoteQueryResponse PAYEE 3106',
    ])
    expect(answersIn(await flows.world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER 5103',
    ])
  })

  test('A refusal after an answer is refused and changes nothing', async () => {
    const id = await answered()
    expect(answersIn(await flows.world.handle(rejectEvent(id)))).toEqual([
      'QuoteQueryResponse PAYEE 3106',
    ])
    expect(await stateOf(id)).toBe('ACCEPTED')
  })

  test('A refusal of an unknown quote, or of or for another FSP, is refused', async () => {
    const id = await asked()
    expect(answersIn(await flows.world.handle(rejectEvent(randomUUID())))).toEqual([
      'QuoteQueryResponse REQUESTER 3205',
    ])
    expect(
      answersIn(await flows.world.handle(rejectEvent(id, { requesterFspId: stranger }))),
    ).toEqual(['QuoteQueryResponse REQUESTER 3100'])
    expect(
      answersIn(await flows.world.handle(rejectEvent(id, { destinationFspId: stranger }))),
    ).toEqual(['QuoteQueryResponse PAYEE 3100'])
    expect(await stateOf(id)).toBe('PENDING')
  })
})

describe('a query', () => {
  test('A query is forwarded to the payee FSP while there is no answer', async () => {
    const id = await asked()
    const published = await flows.world.handle(queryEvent(id, payer))
    expect(answersIn(published)).toEqual(['QuoteQueryForwarded relayed'])
    expect(published[0]?.payload).toMatchObject({ requesterFspId: payer, destinationFspId: payee })
    expect(answersIn(await flows.world.handle(queryEvent(id, payee)))).toEqual([
      'QuoteQueryResponse PAYEE 3100',
    ])
  })

  test("A query is answered with the payee FSP's message; the payee FSP gets it from the hub", async () => {
    const id = await answered()
    expect(answersIn(await flows.world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER relayed',
    ])
    const toPayee = await flows.world.handle(queryEvent(id, payee))
    expect(answersIn(toPayee)).toEqual(['QuoteQueryResponse PAYEE relayed by the hub'])
    expect(String(toPayee[0]?.headers['relay-body'])).toBe(`{"changes":{},"response":"${id}"}`)
  })

  test('A query for an expired answer gets the same answer, which contains its expiration', async () => {
    const id = await answered({ expiration: '2026-01-15T12:00:10.000Z' })
    flows.world.after(3_600_000)
    await flows.world.sweep()
    expect(answersIn(await flows.world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER relayed',
    ])
  })

  test('A query of another FSP, or for an unknown id, gets an error', async () => {
    const id = await answered()
    expect(answersIn(await flows.world.handle(queryEvent(id, stranger)))).toEqual([
      'QuoteQueryResponse REQUESTER 3000',
    ])
    expect(answersIn(await flows.world.handle(queryEvent(randomUUID(), payer)))).toEqual([
      'QuoteQueryResponse REQUESTER 3205',
    ])
  })
})
