import type { ThirdPartyStep, ThirdPartySummary } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { thirdPartyFindings, thirdPartySteps } from './third-party-steps.ts'

const summary: ThirdPartySummary = {
  transactionRequestId: 'r-1',
  pispId: 'pispx',
  dfspId: 'bankx',
  state: 'REQUESTED',
  requestedAt: '2030-01-01T00:00:00.000Z',
}

const request: ThirdPartyStep = {
  at: '2030-01-01T00:00:00.000Z',
  about: 'TRANSACTION',
  subjectId: 'r-1',
  method: 'POST',
  sourceFspId: 'pispx',
  destinationFspId: 'bankx',
}
const none = { summary, steps: [], archivedMonths: [] }
const back = { sourceFspId: 'bankx', destinationFspId: 'pispx' }
const error = { errorCode: '6201', errorDescription: 'Invalid' }

describe('a message becomes a step with a sentence', () => {
  test.each<[Partial<ThirdPartyStep>, string, string]>([
    [{}, 'POST /thirdpartyRequests/transactions', 'pispx asks bankx to pay for its user'],
    [
      { ...back, method: 'PUT', result: 'RECEIVED' },
      'PUT /thirdpartyRequests/transactions/{ID}',
      'bankx answers that the request is RECEIVED',
    ],
    [
      { ...back, method: 'PATCH', result: 'ACCEPTED' },
      'PATCH /thirdpartyRequests/transactions/{ID}',
      'bankx ends the request as ACCEPTED',
    ],
    [
      { ...back, ...error, method: 'PUT' },
      'PUT /thirdpartyRequests/transactions/{ID}/error',
      'bankx ends the request: 6201 Invalid',
    ],
    [
      { ...back, about: 'AUTHORIZATION' },
      'POST /thirdpartyRequests/authorizations',
      'bankx asks the user of pispx to sign the terms',
    ],
    [
      { about: 'AUTHORIZATION', method: 'PUT', result: 'ACCEPTED' },
      'PUT /thirdpartyRequests/authorizations/{ID}',
      'The user of pispx has signed the terms',
    ],
    [
      { about: 'AUTHORIZATION', method: 'PUT', result: 'REJECTED' },
      'PUT /thirdpartyRequests/authorizations/{ID}',
      'The user of pispx rejects the terms',
    ],
    [
      { ...back, destinationFspId: 'auth', about: 'VERIFICATION' },
      'POST /thirdpartyRequests/verifications',
      'bankx asks auth to verify the signature',
    ],
    [
      { sourceFspId: 'auth', about: 'VERIFICATION', method: 'PUT', result: 'VERIFIED' },
      'PUT /thirdpartyRequests/verifications/{ID}',
      'auth answers: the signature is VERIFIED',
    ],
    [
      { ...error, sourceFspId: 'auth', about: 'VERIFICATION', method: 'PUT' },
      'PUT /thirdpartyRequests/verifications/{ID}/error',
      'auth does not accept the signature: 6201 Invalid',
    ],
  ])('A message becomes a step with a sentence: %j', (changes, message, says) => {
    const [step] = thirdPartySteps({ ...none, steps: [{ ...request, ...changes }] })
    expect(step).toMatchObject({ type: 'MESSAGE', message, says })
  })
})

test('An error is shown with the step that carries it', () => {
  const failed = { ...request, ...back, ...error, method: 'PUT' }
  expect(thirdPartySteps({ ...none, steps: [failed] })[0]?.error).toEqual(error)
})

describe('the outcome of a PISP request', () => {
  const endedAt = '2030-01-01T00:00:09.000Z'
  test.each<[Partial<ThirdPartySummary>, string]>([
    [{}, 'bankx has not answered pispx yet.'],
    [{ state: 'RECEIVED' }, 'bankx has reported RECEIVED to pispx, and no final state yet.'],
    [{ state: 'ACCEPTED', endedAt }, 'bankx reported ACCEPTED to pispx.'],
    [{ state: 'REJECTED', endedAt }, 'bankx reported REJECTED to pispx.'],
    [{ state: 'FAILED', ...error, endedAt }, 'bankx reported a failure to pispx: 6201 Invalid'],
  ])('The outcome is one sentence: %j', (changes, sentence) => {
    const found = thirdPartyFindings({ ...none, summary: { ...summary, ...changes } })
    expect(found).toEqual([sentence])
  })

  test('Messages of archived months are missing from the story, and it says where they are', () => {
    expect(thirdPartyFindings({ ...none, archivedMonths: ['2030-01', '2030-02'] })).toEqual([
      'bankx has not answered pispx yet.',
      'What pispx and bankx sent each other is archived with 2030-01 and 2030-02: npm run restore puts it back.',
    ])
  })
})
