import { expect, test } from '@jest/globals'
import { cases } from './cases/index.ts'
import { openWorld } from './testing/world.ts'

test('The reference FSP passes every case', async () => {
  const world = await openWorld()
  const results = await world.run(cases)
  await world.stop()
  const others = results.filter(({ state }) => state !== 'passed')
  expect(others.map(({ messages: _messages, ...result }) => result)).toEqual([])
  expect(results).toHaveLength(cases.length)
})

test('A result has the messages of its own case, also when others run at the same time', async () => {
  const world = await openWorld()
  const chosen = cases.filter(({ id }) => ['payee-get-quote', 'ilp-4-fulfilment'].includes(id))
  const [getQuote, fulfilment] = await world.run(chosen)
  await world.stop()
  const flowOf = (result: typeof getQuote) =>
    result?.messages.map(({ sender, method, path }) => `${sender} ${method} ${path.split('/')[1]}`)
  expect(flowOf(getQuote)?.toSorted()).toEqual([
    'FSP PUT quotes',
    'FSP PUT quotes',
    'KIT GET quotes',
    'KIT POST quotes',
  ])
  expect(flowOf(fulfilment)?.toSorted()).toEqual([
    'FSP PUT quotes',
    'FSP PUT transfers',
    'KIT POST quotes',
    'KIT POST transfers',
  ])
})
