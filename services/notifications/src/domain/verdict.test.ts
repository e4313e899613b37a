import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { judge, type Attempt } from './verdict.ts'

function answered(status: number): Attempt {
  return { type: 'ANSWERED', status }
}

describe('Verdicts on answers', () => {
  test.each([200, 202, 204, 299])('An answer of %i is a delivery', (status) => {
    expect(judge('PUT', answered(status))).toEqual({
      type: 'DELIVERED',
      healthy: true,
      error: '',
    })
  })

  test.each([301, 302, 304, 307, 308])('An answer of %i fails any message for good', (status) => {
    expect(judge('POST', answered(status)).type).toBe('GIVEN_UP')
    expect(judge('PUT', answered(status)).type).toBe('GIVEN_UP')
  })

  test.each([400, 401, 403, 404, 406, 422])(
    'An answer of %i fails a request for good, but an outcome is retried until its deadline',
    (status) => {
      for (const method of ['POST', 'GET', 'DELETE']) {
        expect(judge(method, answered(status)).type).toBe('GIVEN_UP')
      }
      for (const method of ['PUT', 'PATCH']) {
        expect(judge(method, answered(status)).type).toBe('TRY_AGAIN')
      }
      expect(judge('PUT', answered(status)).healthy).toBe(true)
    },
  )

  test.each([408, 429, 500, 502, 503, 504])(
    'An answer of %i is a failure and is retried',
    (status) => {
      expect(judge('POST', answered(status))).toEqual({
        type: 'TRY_AGAIN',
        healthy: false,
        error: `answered ${status}`,
      })
    },
  )

  test('An answer of 501 fails any message for good', () => {
    expect(judge('PUT', answered(501))).toEqual({
      type: 'GIVEN_UP',
      healthy: true,
      error: 'answered 501',
    })
  })
})

test('A missing answer is a failure and is retried', () => {
  expect(judge('PUT', { type: 'UNANSWERED', reason: 'connect ECONNREFUSED' })).toEqual({
    type: 'TRY_AGAIN',
    healthy: false,
    error: 'connect ECONNREFUSED',
  })
})

test('Only a status of 2xx is a delivery', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 999 }),
      fc.constantFrom('POST', 'PUT', 'PATCH', 'GET', 'DELETE'),
      (status, method) => {
        const isDelivered = judge(method, answered(status)).type === 'DELIVERED'
        expect(isDelivered).toBe(status >= 200 && status < 300)
      },
    ),
  )
})
