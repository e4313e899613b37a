/** The life of quotes from event to event: asked for, answered, refused, asked about again. */
import { eventually } from '@causeway/runtime/testing'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
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
import { participantWith, toldBy } from '../testing/world.ts'
import type { RequestEvent } from './contract.ts'
import { request } from './request.ts'
import { useFlows, type Changes } from '../testing/flows.ts'

const flows = useFlows()
const { asked, answered, stateOf } = flows

test('a quote is asked for, answered and told, each message with the bytes as they came', async () => {
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
  const [told] = await flows.world.handle(response)
  expect(told).toMatchObject({
    type: 'QuoteResponseAccepted',
    payload: { ...response.payload, destinationFspId: payer },
    headers: { 'relay-body': response.relay?.body },
  })
  expect(await flows.world.quote(id)).toMatchObject({
    state: 'ACCEPTED',
    amount: '990000',
    transfer_amount: '990000',
    messages: [`REQUEST request ${id}`, `RESPONSE response ${id} {}`],
  })
})

test('amounts of eighteen nines and four decimals go through every table', async () => {
  const amount = { currency: 'USD', amount: largest }
  const id = await asked({ amount })
  await flows.world.handle(responseEvent(id, { transferAmount: amount, payeeFspFee: amount }))
  const units = '9999999999999999999999'
  expect(await flows.world.quote(id)).toMatchObject({ amount: units, transfer_amount: units })
})

test('the payee FSP may leave it to the hub to know for whom its answer is', async () => {
  const id = await asked()
  const [told] = await flows.world.handle(responseEvent(id, { destinationFspId: '' }))
  expect(told?.payload).toMatchObject({ destinationFspId: payer })
})

describe('whom a request is for', () => {
  async function destinationOf(event: RequestEvent): Promise<readonly string[]> {
    const said = await flows.world.handle(event)
    const { destinationFspId } = (said[0]?.payload ?? {}) as { destinationFspId?: string }
    return [...toldBy(said), destinationFspId ?? 'nobody']
  }

  function toParty(identifier: string, fspId?: string): RequestEvent {
    const partyIdInfo = { partyIdType: 'MSISDN', partyIdentifier: identifier, fspId }
    return withoutDestination(requestEvent(randomUUID(), { payee: { partyIdInfo } }))
  }

  test('says the header, else the payee, else whoever holds the payee', async () => {
    flows.world.owners.set('555', { type: 'KNOWN', fspIds: [payee] })
    const event = requestEvent(randomUUID(), { payee: { partyIdInfo: { fspId: stranger } } })
    expect(await destinationOf(event)).toEqual(['QuoteRequestAccepted relayed', payee])
    expect(await destinationOf(toParty('1', stranger))).toEqual([
      'QuoteRequestAccepted relayed',
      stranger,
    ])
    expect(await destinationOf(toParty('555'))).toEqual(['QuoteRequestAccepted relayed', payee])
  })

  test('of several holders is the first that can be paid', async () => {
    flows.world.owners.set('556', { type: 'KNOWN', fspIds: ['nobank', stranger, payee] })
    expect(await destinationOf(toParty('556'))).toEqual(['QuoteRequestAccepted relayed', stranger])
  })

  test.each([
    ['nobody', 'unknown', 'InvalidQuoteRequest 3204'],
    ['not known in time', 'away', 'InvalidQuoteRequest 2003'],
  ])('is %s: the payer FSP is told', async (_what, identifier, told) => {
    flows.world.owners.set('away', { type: 'LOOKUP_AWAY' })
    expect(await destinationOf(toParty(identifier))).toEqual([told, 'nobody'])
  })

  test('cannot be read where the payee is encrypted', async () => {
    const event = withoutDestination(
      requestEvent(randomUUID(), { payee: { partyIdInfo: 'eyJhb' } }),
    )
    expect(await destinationOf(event)).toEqual(['InvalidQuoteRequest 3204', 'nobody'])
  })

  test('holds up nobody whose destination is known', async () => {
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
    if (participant === undefined) flows.world.participants.delete(name)
    else flows.world.participants.set(name, { ...participant, name })
    const id = randomUUID()
    expect(toldBy(await flows.world.handle(requestEvent(id)))).toEqual([told])
    expect(await stateOf(id)).toBe('REJECTED')
    flows.world.participants.set(name, participantWith(name, ['USD']))
    const code = told.slice(-4)
    expect(toldBy(await flows.world.handle(requestEvent(id)))).toEqual([
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
  ])('%s', async (_what, changes, told) => {
    expect(toldBy(await flows.world.handle(requestEvent(randomUUID(), changes)))).toEqual([told])
  })
})

test('a request of an FSP to itself is passed on like any other', async () => {
  const changes = { destinationFspId: payer }
  const [said] = await flows.world.handle(requestEvent(randomUUID(), changes))
  expect(said).toMatchObject({ type: 'QuoteRequestAccepted', payload: { destinationFspId: payer } })
})

describe('a second request for an id', () => {
  test('says nothing while the first one waits for its answer', async () => {
    const id = await asked()
    expect(await flows.world.handle(requestEvent(id))).toEqual([])
  })

  test("gets the payee FSP's own message again when that has answered", async () => {
    const id = await answered()
    const said = await flows.world.handle(requestEvent(id))
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
      const before = await flows.world.quote(id)
      const modified = requestEvent(id, { note: 'other' })
      expect(toldBy(await flows.world.handle(modified))).toEqual(['InvalidQuoteRequest 3106'])
      expect(await flows.world.quote(id)).toEqual(before)
    },
  )

  test('from another FSP is refused and told nothing', async () => {
    const id = await answered()
    const { payloadHash } = requestEvent(id).payload
    const foreign = requestEvent(id, { requesterFspId: stranger, payloadHash })
    const said = await flows.world.handle(foreign)
    expect(toldBy(said)).toEqual(['InvalidQuoteRequest 3106'])
    expect(said[0]?.payload).toMatchObject({ requesterFspId: stranger })
  })

  test('in the same batch is the second one all the same', async () => {
    const id = randomUUID()
    const said = await flows.world.handle(
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
    expect(await flows.world.handle(responseEvent(id))).toEqual([])
    const other = responseEvent(id, { transferAmount: { currency: 'USD', amount: '98' } })
    expect(toldBy(await flows.world.handle(other))).toEqual(['QuoteQueryResponse PAYEE 3106'])
    expect(await flows.world.quote(id)).toMatchObject({
      state: 'ACCEPTED',
      transfer_amount: '990000',
    })
  })

  test('to an unknown quote, of a stranger, or for a stranger is refused', async () => {
    const id = await asked()
    expect(toldBy(await flows.world.handle(responseEvent(randomUUID())))).toEqual([
      'QuoteQueryResponse REQUESTER 3205',
    ])
    expect(
      toldBy(await flows.world.handle(responseEvent(id, { requesterFspId: stranger }))),
    ).toEqual(['QuoteQueryResponse REQUESTER 3100'])
    expect(
      toldBy(await flows.world.handle(responseEvent(id, { destinationFspId: stranger }))),
    ).toEqual(['QuoteQueryResponse PAYEE 3100'])
    expect(await stateOf(id)).toBe('PENDING')
  })

  test('counts if it came before the expiration, however late it is worked on', async () => {
    const [early, late] = [await asked(), await asked()]
    flows.world.after(60_500)
    const said = await flows.world.handle(
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
    const [told] = await flows.world.handle(refusal)
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
    expect(await flows.world.handle(rejectEvent(id))).toEqual([])
    expect(toldBy(await flows.world.handle(responseEvent(id)))).toEqual([
      'QuoteQueryResponse PAYEE 3106',
    ])
    expect(toldBy(await flows.world.handle(requestEvent(id)))).toEqual([
      'QuoteQueryResponse PAYER 5103',
    ])
    expect(await flows.world.quote(id)).toMatchObject({ state: 'REJECTED', reason: 'REFUSED' })
  })

  test('that is sent again says nothing; another one is refused', async () => {
    const id = await asked()
    await flows.world.handle(rejectEvent(id))
    expect(await flows.world.handle(rejectEvent(id))).toEqual([])
    const errorInformation = { errorCode: '5101', errorDescription: 'Payee rejected quote' }
    expect(toldBy(await flows.world.handle(rejectEvent(id, { errorInformation })))).toEqual([
      'QuoteQueryResponse PAYEE 3106',
    ])
    expect(toldBy(await flows.world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER 5103',
    ])
  })

  test('of what it has answered already is refused and changes nothing', async () => {
    const id = await answered()
    expect(toldBy(await flows.world.handle(rejectEvent(id)))).toEqual([
      'QuoteQueryResponse PAYEE 3106',
    ])
    expect(await stateOf(id)).toBe('ACCEPTED')
  })

  test('to an unknown quote, of a stranger, or for a stranger is refused', async () => {
    const id = await asked()
    expect(toldBy(await flows.world.handle(rejectEvent(randomUUID())))).toEqual([
      'QuoteQueryResponse REQUESTER 3205',
    ])
    expect(toldBy(await flows.world.handle(rejectEvent(id, { requesterFspId: stranger })))).toEqual(
      ['QuoteQueryResponse REQUESTER 3100'],
    )
    expect(
      toldBy(await flows.world.handle(rejectEvent(id, { destinationFspId: stranger }))),
    ).toEqual(['QuoteQueryResponse PAYEE 3100'])
    expect(await stateOf(id)).toBe('PENDING')
  })
})

describe('a question', () => {
  test('is passed on to the payee FSP while there is no answer', async () => {
    const id = await asked()
    const said = await flows.world.handle(queryEvent(id, payer))
    expect(toldBy(said)).toEqual(['QuoteQueryForwarded relayed'])
    expect(said[0]?.payload).toMatchObject({ requesterFspId: payer, destinationFspId: payee })
    expect(toldBy(await flows.world.handle(queryEvent(id, payee)))).toEqual([
      'QuoteQueryResponse PAYEE 3100',
    ])
  })

  test('is answered with what the payee FSP said: to itself by the hub', async () => {
    const id = await answered()
    expect(toldBy(await flows.world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER relayed',
    ])
    expect(toldBy(await flows.world.handle(queryEvent(id, payee)))).toEqual([
      'QuoteQueryResponse PAYEE relayed by the hub',
    ])
  })

  test('is answered the same when the answer has expired: it says so itself', async () => {
    const id = await answered({ expiration: '2026-01-15T12:00:10.000Z' })
    flows.world.after(3_600_000)
    await flows.world.sweep()
    expect(toldBy(await flows.world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER relayed',
    ])
  })

  test('of a stranger, or for an unknown id, is answered with an error', async () => {
    const id = await answered()
    expect(toldBy(await flows.world.handle(queryEvent(id, stranger)))).toEqual([
      'QuoteQueryResponse REQUESTER 3000',
    ])
    expect(toldBy(await flows.world.handle(queryEvent(randomUUID(), payer)))).toEqual([
      'QuoteQueryResponse REQUESTER 3205',
    ])
  })
})
