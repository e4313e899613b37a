import { afterEach, describe, expect, test } from '@jest/globals'
import { hash } from 'node:crypto'
import { openEdge, publishedMessage } from '../testing/edge.ts'
import { id } from '../testing/messages.ts'
import { dfsp, everyRelayed, pisp, thirdPartyMessage, verification } from '../testing/thirdparty.ts'

const edge = openEdge()
afterEach(() => {
  edge.published.splice(0)
})

function sentOf(operation: string) {
  const found = everyRelayed.find((outcome) => outcome.operation === operation)
  if (found === undefined) throw new Error(`no ${operation}`)
  return found.sent
}

async function observedOf(operation: string): Promise<readonly object[]> {
  await edge.outcomeOf(sentOf(operation))
  return edge.published
    .splice(0)
    .map(publishedMessage)
    .filter(({ name }) => name !== 'NotifyRequested')
    .map(({ name, key, payload }) => ({ name, key, payload }))
}

const receivedAt = '2026-11-21T10:00:00.000Z'
const error = { errorCode: '6104', errorDescription: 'no' }
const challengeHash = hash('sha256', verification.challenge, 'base64url')
const toDfsp = { sourceFspId: pisp, destinationFspId: dfsp, receivedAt }
const toPisp = { sourceFspId: dfsp, destinationFspId: pisp, receivedAt }

describe('Observed messages, without parties, amounts and signatures', () => {
  const transactions = '/thirdpartyRequests/transactions'
  const authorizations = '/thirdpartyRequests/authorizations'

  test.each<[string, string, object]>([
    [`POST ${transactions}`, 'Transaction', { method: 'POST', ...toDfsp }],
    [`PUT ${transactions}/{ID}/error`, 'Transaction', { method: 'PUT', ...toPisp, error }],
    [
      `POST ${authorizations}`,
      'Authorization',
      { method: 'POST', ...toPisp, transactionRequestId: id, challengeHash },
    ],
    [
      `PUT ${authorizations}/{ID}`,
      'Authorization',
      { method: 'PUT', ...toDfsp, responseType: 'ACCEPTED' },
    ],
    [`PUT ${authorizations}/{ID}/error`, 'Authorization', { method: 'PUT', ...toDfsp, error }],
  ])('%s is relayed, and recorded for the auth service', async (operation, about, payload) => {
    const key = about === 'Transaction' ? 'transactionRequestId' : 'authorizationRequestId'
    expect(await observedOf(operation)).toEqual([
      { name: `ThirdParty${about}Observed`, key: id, payload: { [key]: id, ...payload } },
    ])
  })

  test.each(['PUT', 'PATCH'])('%s of a transaction is recorded with its states', async (method) => {
    const [event] = await observedOf(`${method} ${transactions}/{ID}`)
    const { body = '' } = sentOf(`${method} ${transactions}/{ID}`)
    const { transactionRequestState, transactionState, transactionId } = JSON.parse(
      String(body),
    ) as Readonly<Record<string, string>>
    expect(transactionRequestState).toBeDefined()
    expect(event).toMatchObject({
      name: 'ThirdPartyTransactionObserved',
      payload: { method, ...toPisp, transactionRequestState },
    })
    expect(event).toEqual(
      expect.objectContaining({
        payload: {
          transactionRequestId: id,
          method,
          ...toPisp,
          transactionRequestState,
          ...(transactionState === undefined ? {} : { transactionState }),
          ...(transactionId === undefined ? {} : { transactionId }),
        },
      }),
    )
  })

  test('A verification by an external auth service is recorded with its consent', async () => {
    const sent = thirdPartyMessage('POST /thirdpartyRequests/verifications', {
      source: dfsp,
      body: verification,
    })
    await edge.outcomeOf(sent)
    const [event] = edge.published
      .map(publishedMessage)
      .filter(({ name }) => name !== 'NotifyRequested')
    expect(event).toMatchObject({ name: 'ThirdPartyVerificationObserved', key: id })
    expect(event?.payload).toEqual({
      verificationRequestId: id,
      method: 'POST',
      ...toPisp,
      consentId: id,
      challengeHash,
    })
  })
})

test.each([
  'GET /thirdpartyRequests/transactions/{ID}',
  'PUT /accounts/{ID}',
  'POST /consentRequests',
])('%s is relayed without an event for the auth service', async (operation) => {
  expect(await observedOf(operation)).toEqual([])
})

test('A message without a destination is refused without an event for the auth service', async () => {
  const sent = sentOf('POST /thirdpartyRequests/transactions')
  const { 'fspiop-destination': _, ...headers } = sent.headers
  expect(await edge.outcomeOf({ ...sent, headers })).toMatch(/^400 3102/)
  expect(edge.published).toEqual([])
})
