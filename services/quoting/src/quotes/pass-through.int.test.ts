/** Quotes that are only relayed: nothing is stored, and no rule applies. */
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import {
  payee,
  payer,
  queryEvent,
  rejectEvent,
  reportEvent,
  requestEvent,
  responseEvent,
} from '../testing/messages.ts'
import { answersIn } from '../testing/world.ts'
import { useFlows } from '../testing/flows.ts'

const flows = useFlows()

describe('passed through', () => {
  test('In pass-through mode messages are relayed at once, nothing is stored, and a repeat is the same event', async () => {
    const id = randomUUID()
    const events = [requestEvent(id), responseEvent(id), queryEvent(id, payer)]
    const named = queryEvent(id, payer, { destinationFspId: payee })
    const published = await flows.world.passOn(...events, rejectEvent(id), named, reportEvent(id))
    expect(answersIn(published)).toEqual([
      'QuoteRequestAccepted relayed',
      'QuoteResponseAccepted relayed',
      'QuoteQueryResponse REQUESTER 3201',
      'QuoteRejectAccepted 5103 relayed',
      'QuoteQueryForwarded relayed',
    ])
    expect(published[0]?.payload).toMatchObject({ isUnstored: true })
    expect(await flows.world.quote(id)).toBeUndefined()
    const again = await flows.world.passOn(...events)
    expect(again.map((message) => message.id)).toEqual(published.slice(0, 3).map((one) => one.id))
  })

  test('In pass-through mode no rule applies, but the FSPs must exist', async () => {
    await flows.world.setRules({ id: 'currencies', type: 'CURRENCY', currencies: ['XTS'] })
    expect(answersIn(await flows.world.passOn(requestEvent(randomUUID())))).toEqual([
      'QuoteRequestAccepted relayed',
    ])
    flows.world.participants.delete(payee)
    expect(answersIn(await flows.world.passOn(requestEvent(randomUUID())))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 3201',
    ])
  })
})
