/** Quotes that are only passed on: nothing is stored, and no rule holds. */
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
import { toldBy } from '../testing/world.ts'
import { useFlows } from '../testing/flows.ts'

const flows = useFlows()

describe('passed through', () => {
  test('messages go on at once, nothing is stored, and a repeat is the same event', async () => {
    const id = randomUUID()
    const events = [requestEvent(id), responseEvent(id), queryEvent(id, payer)]
    const named = queryEvent(id, payer, { destinationFspId: payee })
    const said = await flows.world.passOn(...events, rejectEvent(id), named, reportEvent(id))
    expect(toldBy(said)).toEqual([
      'QuoteRequestAccepted relayed',
      'QuoteResponseAccepted relayed',
      'QuoteQueryResponse REQUESTER 3201',
      'QuoteRejectAccepted 5103 relayed',
      'QuoteQueryForwarded relayed',
    ])
    expect(said[0]?.payload).toMatchObject({ isUnstored: true })
    expect(await flows.world.quote(id)).toBeUndefined()
    const again = await flows.world.passOn(...events)
    expect(again.map((message) => message.id)).toEqual(said.slice(0, 3).map((one) => one.id))
  })

  test('no rule holds, but the FSPs must be there', async () => {
    await flows.world.setRules({ id: 'currencies', type: 'CURRENCY', currencies: ['XTS'] })
    expect(toldBy(await flows.world.passOn(requestEvent(randomUUID())))).toEqual([
      'QuoteRequestAccepted relayed',
    ])
    flows.world.participants.delete(payee)
    expect(toldBy(await flows.world.passOn(requestEvent(randomUUID())))).toEqual([
      'InvalidFSPInQuoteRequest PAYEE 3201',
    ])
  })
})
