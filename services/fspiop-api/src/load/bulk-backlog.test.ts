import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openBulkBacklog } from './bulk-backlog.ts'

function openAt(requests_max: number) {
  let now_ms = 0
  const backlog = openBulkBacklog({ requests_max }, () => now_ms)
  return {
    ...backlog,
    at(ms: number) {
      now_ms = ms
    },
  }
}

test('An FSP may store messages until those that are not processed count as many requests as the bound', () => {
  const backlog = openAt(100)
  backlog.stored('greenbank', 'requests', 60)
  expect(backlog.hasRoom('greenbank', 'requests')).toBe(true)
  backlog.at(10)
  backlog.stored('greenbank', 'requests', 60)
  expect(backlog.hasRoom('greenbank', 'requests')).toBe(false)
  backlog.processed(10)
  expect(backlog.hasRoom('greenbank', 'requests')).toBe(true)
})

test('Requests of an FSP take no room of its answers, and none of another FSP', () => {
  const backlog = openAt(1)
  backlog.stored('greenbank', 'requests', 1)
  expect(backlog.hasRoom('greenbank', 'requests')).toBe(false)
  expect(backlog.hasRoom('greenbank', 'answers')).toBe(true)
  expect(backlog.hasRoom('bluewallet', 'requests')).toBe(true)
})

test('In any history exactly what was stored before the last progress counts no more', () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('stored' as const), requests: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ type: fc.constant('time' as const), ms: fc.nat(20) }),
    fc.record({ type: fc.constant('processed' as const), behind_ms: fc.nat(50) }),
  )
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 1, max: 40 }), (steps, requests_max) => {
      const backlog = openAt(requests_max)
      let now_ms = 0
      let stored: { readonly at_ms: number; readonly requests: number }[] = []
      for (const one of steps) {
        if (one.type === 'time') backlog.at((now_ms += one.ms))
        else if (one.type === 'stored') {
          backlog.stored('greenbank', 'answers', one.requests)
          stored.push({ at_ms: now_ms, requests: one.requests })
        } else {
          backlog.processed(now_ms - one.behind_ms)
          stored = stored.filter(({ at_ms }) => at_ms >= now_ms - one.behind_ms)
        }
        const open = stored.reduce((sum, { requests }) => sum + requests, 0)
        expect(backlog.hasRoom('greenbank', 'answers')).toBe(open < 5 * requests_max)
      }
      backlog.processed(now_ms + 1)
      expect(backlog.isEmpty).toBe(true)
    }),
  )
})
