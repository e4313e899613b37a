import { expect, test } from '@jest/globals'
import { cases } from './cases/index.ts'
import { openWorld } from './testing/world.ts'

test('The reference FSP passes every case', async () => {
  const world = await openWorld()
  const results = await world.run(cases)
  await world.stop()
  expect(
    results.flatMap(({ messages: _messages, ...each }) => (each.state === 'passed' ? [] : each)),
  ).toEqual([])
  expect(results).toHaveLength(cases.length)
})
