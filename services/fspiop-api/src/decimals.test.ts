/** Amounts that are finer than their currency, in every message that carries one. */
import { expect, test } from '@jest/globals'
import { openEdge } from './testing/edge.ts'
import { every } from './testing/every.ts'
import type { TestMessage } from './testing/messages.ts'
import { everyRelayed } from './testing/thirdparty.ts'

/** With every amount of the message, in its body or its query, in place of another one. */
function withAmount(sent: TestMessage, amount: string): TestMessage {
  const path = sent.path.replace(/(?<=&amount=)[^&]+(?=&currency=)/, amount)
  if (sent.body === undefined) return { ...sent, path }
  const body = JSON.stringify(JSON.parse(String(sent.body)), (_name, member: unknown) =>
    typeof member === 'object' && member !== null && 'currency' in member && 'amount' in member
      ? { ...member, currency: 'USD', amount }
      : member,
  )
  return { ...sent, path, body }
}

const carrying = [...every, ...everyRelayed].filter(({ sent }) => {
  const changed = withAmount(sent, '7.77')
  return changed.body !== withAmount(sent, '7.7').body || changed.path !== sent.path
})

test('Amounts are in the requests and the answers of quotes, transfers, bulks, and payments of a PISP', () => {
  expect(carrying.map(({ operation }) => operation).toSorted()).toEqual([
    'GET /authorizations/{ID}',
    'POST /bulkQuotes',
    'POST /bulkTransfers',
    'POST /quotes',
    'POST /thirdpartyRequests/transactions',
    'POST /transactionRequests',
    'POST /transfers',
    'PUT /bulkQuotes/{ID}',
    'PUT /quotes/{ID}',
  ])
})

test.each(carrying)(
  'An amount of $operation has four decimals, or those of its currency',
  async ({ sent }) => {
    const four = openEdge()
    const bounded = openEdge({ decimals: new Map([['USD', 2]]) })
    const usual = await four.outcomeOf(sent)
    expect(await four.outcomeOf(withAmount(sent, '7.7777'))).toBe(usual)
    expect(await bounded.outcomeOf(withAmount(sent, '7.77'))).toBe(usual)
    expect(await bounded.outcomeOf(withAmount(sent, '7.777'))).toMatch(
      /^400 3100 .*amount: amounts in USD have at most 2 decimals$/,
    )
  },
)
