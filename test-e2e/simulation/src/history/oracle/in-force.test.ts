import { expect, test } from '@jest/globals'
import { inForce } from './in-force.ts'

const settings = [
  { value: 'low', sent_ms: 100, done_ms: 200 },
  { value: 'high', sent_ms: 300, done_ms: 400 },
]

test.each([
  [99, ['usual']],
  [100, ['usual', 'low']],
  [200, ['usual', 'low']],
  [201, ['low']],
  [300, ['low', 'high']],
  [401, ['high']],
])('At %i ms these may apply: %j', (at_ms, values) => {
  expect([...inForce(at_ms, 'usual', settings)]).toEqual(values)
})

test('Where it is not known when a value took effect, what it replaces may apply', () => {
  const unknown = [{ value: 'low', sent_ms: 100, done_ms: Infinity }]
  expect([...inForce(10_000, 'usual', unknown)]).toEqual(['usual', 'low'])
})
