import { expect, test } from '@jest/globals'
import {
  begun,
  follow,
  type TransactionMessage,
  type ThirdPartyTransaction,
} from './transaction.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 15, 12, 0, seconds))

const request: TransactionMessage = {
  eventId: '1',
  about: 'TRANSACTION',
  subjectId: 'request-1',
  method: 'POST',
  source: 'pispx',
  destination: 'bankx',
  receivedAt: at(0),
  outcome: undefined,
  error: undefined,
  transactionRequestId: 'request-1',
  transactionId: undefined,
  transactionState: undefined,
  consentId: undefined,
  challengeHash: undefined,
}
const fromDfsp: TransactionMessage = { ...request, source: 'bankx', destination: 'pispx' }
const received: TransactionMessage = {
  ...fromDfsp,
  method: 'PUT',
  receivedAt: at(1),
  outcome: 'RECEIVED',
  transactionId: 'transaction-1',
}
const accepted: TransactionMessage = {
  ...fromDfsp,
  method: 'PATCH',
  receivedAt: at(9),
  outcome: 'ACCEPTED',
  transactionState: 'COMPLETED',
}
const failed: TransactionMessage = {
  ...fromDfsp,
  method: 'PUT',
  receivedAt: at(5),
  error: { errorCode: '6003', errorDescription: 'downstream failure' },
}

function after(...steps: readonly TransactionMessage[]): ThirdPartyTransaction {
  return steps.reduce(follow, begun(request))
}

test('A request is REQUESTED until its DFSP answers', () => {
  expect(after(request)).toMatchObject({
    id: 'request-1',
    pisp: 'pispx',
    dfsp: 'bankx',
    state: 'REQUESTED',
    endedAt: undefined,
  })
})

test('PUT reports progress and the transaction id, and ends nothing', () => {
  expect(after(received)).toMatchObject({
    state: 'RECEIVED',
    transactionId: 'transaction-1',
    endedAt: undefined,
  })
})

test('PATCH ends the transaction with the states that the DFSP reports', () => {
  expect(after(received, accepted)).toMatchObject({
    state: 'ACCEPTED',
    transactionState: 'COMPLETED',
    transactionId: 'transaction-1',
    endedAt: at(9),
  })
})

test('An error ends the transaction as FAILED and retains earlier reports', () => {
  expect(after(received, failed)).toMatchObject({
    state: 'FAILED',
    transactionId: 'transaction-1',
    error: { errorCode: '6003' },
    endedAt: at(5),
  })
})

test('Messages after the end change nothing, but may name the transaction', () => {
  expect(after(accepted, failed, received)).toMatchObject({
    state: 'ACCEPTED',
    transactionId: 'transaction-1',
    error: undefined,
    endedAt: at(9),
  })
})

test.each([
  ['another FSP than the DFSP', { source: 'stranger' }],
  ['the DFSP to another PISP', { destination: 'stranger' }],
])('A message of %s changes nothing', (_who, changes) => {
  expect(after({ ...accepted, ...changes })).toEqual(begun(request))
})
