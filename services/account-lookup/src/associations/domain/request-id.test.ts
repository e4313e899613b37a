import { describe, expect, test } from '@jest/globals'
import { requestIdStatusOf, type Owner } from './request-id.ts'

const owner: Owner = { eventId: 'e1', requesterFspId: 'greenbank', payloadHash: 'h1' }

describe('a request for many parties', () => {
  test.each([
    ['that owns its id is the first, however often it is redelivered', owner, 'FIRST'],
    ['with the same content in another event is a repeat', { ...owner, eventId: 'e2' }, 'REPEAT'],
    [
      'with other content under a used id is refused',
      { ...owner, eventId: 'e2', payloadHash: 'h2' },
      'ID_USED',
    ],
    [
      "of another FSP under a used id is refused, even with the first one's content",
      { ...owner, eventId: 'e2', requesterFspId: 'bluewallet' },
      'ID_USED',
    ],
  ])('%s', (_title, request, status) => {
    expect(requestIdStatusOf(owner, request)).toBe(status)
  })
})
