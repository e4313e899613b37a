import { expect, test } from '@jest/globals'
import { answerOfErrors, answerOfItems, requestOfItems, writtenByHub } from '../quotes/bodies.ts'

function relayed(body: string) {
  return { body: Buffer.from(body) }
}

test('A request without the items that the hub refuses has its members sorted at every depth', () => {
  const relay = relayed(
    '{ "payer": {"partyIdInfo":{}, "name":"Ana"}, "individualQuotes": ' +
      '[{"quoteId":"a"}, {"quoteId":"b", "amount":{"currency":"USD","amount":"1"}}] }',
  )
  expect(String(requestOfItems(relay, [1]).body)).toBe(
    '{"individualQuotes":[{"amount":{"amount":"1","currency":"USD"},"quoteId":"b"}],' +
      '"payer":{"name":"Ana","partyIdInfo":{}}}',
  )
})

test("An answer with the hub's errors has its members sorted at every depth", () => {
  const error = { errorDescription: 'no', errorCode: '5100' }
  const results = '[{"quoteId":"b","note":"n"}]'
  const relay = relayed(`{"individualQuoteResults":${results},"expiration":"2030"}`)
  const items = [
    { quoteId: 'a', error },
    { quoteId: 'b', error: undefined },
  ]
  const refused = '{"errorInformation":{"errorCode":"5100","errorDescription":"no"},"quoteId":"a"}'
  expect(String(answerOfItems(relay, items).body)).toBe(
    `{"expiration":"2030","individualQuoteResults":[${refused},{"note":"n","quoteId":"b"}]}`,
  )
  expect(String(answerOfErrors([{ quoteId: 'a', error }], '2030'))).toBe(
    `{"expiration":"2030","individualQuoteResults":[${refused}]}`,
  )
})

test("The content of an FSP's message as a message of the hub has its members sorted at every depth", () => {
  const relay = {
    ...relayed('{"b": {"d":1, "c":[{"f":2,"e":3}]}, "a": "x"}'),
    headers: Buffer.from('{}'),
  }
  const { body, headers } = writtenByHub(relay)
  expect(String(body)).toBe('{"a":"x","b":{"c":[{"e":3,"f":2}],"d":1}}')
  expect(headers).toBeUndefined()
})
