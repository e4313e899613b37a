import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openAnswerQuotas } from './answer-quotas.ts'

const bounds = { unasked_max: 10, unknown_max: 100, isSole: true }
const minute_ms = 60_000

function allowedOf(
  quotas: ReturnType<typeof openAnswerQuotas>,
  [from, to]: readonly [string, string],
  tries: number,
  now_ms = 0,
): number {
  const tried = Array.from({ length: tries }, () => quotas.allows(from, to, now_ms))
  return tried.filter((isAllowed) => isAllowed).length
}

test('A few unsolicited answers are allowed, to each FSP and from each', () => {
  const quotas = openAnswerQuotas(bounds)
  expect(allowedOf(quotas, ['a', 'b'], 1_000)).toBe(10)
  expect(allowedOf(quotas, ['a', 'c'], 1_000)).toBe(10)
  expect(allowedOf(quotas, ['c', 'b'], 1_000)).toBe(10)
})

test('An FSP that sends requests may be answered by every FSP that may have received them', () => {
  const quotas = openAnswerQuotas(bounds)
  for (let at = 0; at < 100; at++) quotas.countRequest('b', 0)
  expect(allowedOf(quotas, ['a', 'b'], 1_000)).toBe(310)
  expect(allowedOf(quotas, ['c', 'b'], 1_000)).toBe(310)
  expect(allowedOf(quotas, ['b', 'a'], 1_000)).toBe(10)
})

test('Requests count for one to two minutes, and so do answers', () => {
  const quotas = openAnswerQuotas(bounds)
  for (let at = 0; at < 100; at++) quotas.countRequest('b', 0)
  expect(allowedOf(quotas, ['a', 'b'], 1_000, minute_ms)).toBe(310)
  expect(allowedOf(quotas, ['c', 'b'], 1_000, 2 * minute_ms)).toBe(10)
  expect(allowedOf(quotas, ['a', 'b'], 1_000, 2 * minute_ms)).toBe(0)
  expect(allowedOf(quotas, ['a', 'b'], 1_000, 3 * minute_ms)).toBe(10)
})

test('An FSP that answers each request within a minute is never refused', () => {
  const step = fc.record({
    requester: fc.constantFrom('a', 'b'),
    answerer: fc.constantFrom('x', 'y'),
    pause_ms: fc.nat(10_000),
    delay_ms: fc.nat(minute_ms),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const quotas = openAnswerQuotas({ ...bounds, unasked_max: 0 })
      let now_ms = 0
      const events = steps.flatMap(({ requester, answerer, pause_ms, delay_ms }) => {
        now_ms += pause_ms
        const question = {
          at_ms: now_ms,
          work: () => (quotas.countRequest(requester, question.at_ms), true),
        }
        const answer = {
          at_ms: now_ms + delay_ms,
          work: () => quotas.allows(answerer, requester, answer.at_ms),
        }
        return [question, answer]
      })
      for (const { work } of events.toSorted((one, other) => one.at_ms - other.at_ms)) {
        expect(work()).toBe(true)
      }
    }),
  )
})

describe('Requests at other edges', () => {
  test('Requests at other edges count as soon as they are known', () => {
    const quotas = openAnswerQuotas({ ...bounds, isSole: false })
    quotas.countRequestsElsewhere('b', 100, 0)
    expect(allowedOf(quotas, ['a', 'b'], 1_000)).toBe(310)
    expect(allowedOf(quotas, ['a', 'c'], 1_000)).toBe(10)
    expect(quotas.recentlyAnswered(0)).toEqual(['b', 'c'])
    expect(quotas.recentlyAnswered(2 * minute_ms)).toEqual([])
  })

  test('More answers are allowed while the requests at other edges are unknown', () => {
    const quotas = openAnswerQuotas({ ...bounds, isSole: false })
    expect(allowedOf(quotas, ['a', 'b'], 1_000)).toBe(100)
    quotas.countRequestsElsewhere('b', 0, 0)
    expect(allowedOf(quotas, ['c', 'b'], 1_000)).toBe(10)
    quotas.forgetOtherEdges()
    expect(allowedOf(quotas, ['d', 'b'], 1_000)).toBe(100)
  })
})
