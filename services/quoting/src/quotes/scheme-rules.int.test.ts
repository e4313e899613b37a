/** The effect of scheme rules on requests and answers. */
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { payee, payer, queryEvent, requestEvent, responseEvent } from '../testing/messages.ts'
import { answersIn } from '../testing/world.ts'
import { useFlows } from '../testing/flows.ts'

const flows = useFlows()
const { asked, stateOf } = flows

describe('scheme rules', () => {
  test('A forbidden request never reaches the payee FSP', async () => {
    await flows.world.setRules(
      { id: 'currencies', type: 'CURRENCY', currencies: ['USD'] },
      { id: 'small', type: 'AMOUNT', currency: 'USD', max: '50', scenario: 'TRANSFER' },
    )
    const id = randomUUID()
    expect(answersIn(await flows.world.handle(requestEvent(id)))).toEqual([
      'RuleViolatedInQuoteRequest 4200 small',
    ])
    expect(answersIn(await flows.world.handle(requestEvent(id)))).toEqual([
      'QuoteQueryResponse PAYER 4200',
    ])
    const euros = { amount: { currency: 'EUR', amount: '1' } }
    expect(answersIn(await flows.world.handle(requestEvent(randomUUID(), euros)))).toEqual([
      'RuleViolatedInQuoteRequest 3100 currencies',
    ])
  })

  test('A forbidden answer is final, and both FSPs get an error', async () => {
    await flows.world.setRules({ id: 'fees', type: 'FEE', currency: 'USD', maxFeePercent: '1' })
    const id = await asked()
    const published = await flows.world.handle(responseEvent(id))
    expect(answersIn(published)).toEqual(['RuleViolatedInQuoteResponse 3100 fees'])
    expect(published[0]?.payload).toMatchObject({
      payerFspId: payer,
      payeeFspId: payee,
      payerVersion: '1.0',
      payeeVersion: '1.1',
    })
    expect(answersIn(await flows.world.handle(responseEvent(id)))).toEqual([
      'QuoteQueryResponse PAYEE 3100',
    ])
    expect(answersIn(await flows.world.handle(queryEvent(id, payer)))).toEqual([
      'QuoteQueryResponse PAYER 3100',
    ])
    expect(await stateOf(id)).toBe('REJECTED')
  })

  test('An answer must be in the currency of its request', async () => {
    const id = await asked()
    const transferAmount = { currency: 'EUR', amount: '99' }
    expect(answersIn(await flows.world.handle(responseEvent(id, { transferAmount })))).toEqual([
      'RuleViolatedInQuoteResponse 3100 transfer-currency',
    ])
  })
})
