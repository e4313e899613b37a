import { expect, test } from '@jest/globals'
import { cases } from './cases/index.ts'
import { NotTriggered } from './trigger.ts'
import { openWorld } from './testing/world.ts'

test('The reference FSP passes every case', async () => {
  const world = await openWorld({ settings: { answer_ms: 30_000, silence_ms: 30_000 } })
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

test('A case whose action the FSP refuses is not run, and one without an answer of the FSP fails', async () => {
  const world = await openWorld({
    settings: {
      trigger: ({ action }) => Promise.reject(new NotTriggered(`there is no ${action}`)),
      party: { type: 'MSISDN', id: '12025550199' },
      answer_ms: 300,
    },
  })
  const results = await world.run(
    cases.filter(({ id }) => ['payer-503', 'payee-party'].includes(id)),
  )
  await world.stop()
  expect(results).toMatchObject([
    { id: 'payer-503', state: 'notRun', why: 'there is no pay' },
    { id: 'payee-party', state: 'failed', expected: 'PUT /parties/MSISDN/12025550199' },
  ])
})
