/** Reading and replacing the scheme rules. */
import type { Calls } from '@causeway/grpc'
import { statement } from '@causeway/postgres'
import { schemeRulesService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openWorld, type World } from '../testing/world.ts'
import { openRuleBook } from './book.ts'
import { ruleHandlers } from './serve.ts'
import { openRuleStore } from './store.ts'

const euros = JSON.stringify([{ id: 'currencies', type: 'CURRENCY', currencies: ['EUR'] }])

let parts: TestParts
let world: World
let calls: Calls<typeof schemeRulesService>

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld(parts)
  parts.grpc.serve(schemeRulesService, ruleHandlers(world.work.rules, world.work.now))
  calls = parts.grpc.client(schemeRulesService, 'quoting')
})

afterAll(async () => {
  await world.db.close()
  await parts.stop()
})

function set(iteration: number, rulesJson: string, changedBy = 'operator') {
  return calls.SetSchemeRules({ iteration, rulesJson, changedBy })
}

test('Before the first change there is no rule', async () => {
  expect(await calls.GetSchemeRules({})).toEqual({
    iteration: 0,
    rulesJson: '[]',
    changedAt: '',
    changedBy: '',
  })
})

test('A change replaces the whole set and applies at once, and the former set is retained', async () => {
  const { state } = await set(0, ` ${euros}`)
  expect(state).toEqual({
    iteration: 1,
    rulesJson: euros,
    changedAt: world.iso(),
    changedBy: 'operator',
  })
  expect(world.work.rules.rules()).toEqual([
    { id: 'currencies', type: 'CURRENCY', currencies: ['EUR'] },
  ])
  expect((await set(1, '[]')).state?.iteration).toBe(2)
  expect(await calls.GetSchemeRules({})).toMatchObject({ iteration: 2, rulesJson: '[]' })
  const kept = statement(`select iteration, rules from scheme_rules order by iteration`)
  expect(await world.db.query(kept, [])).toEqual([
    { iteration: 1, rules: euros },
    { iteration: 2, rules: '[]' },
  ])
})

test('A change based on a replaced set is refused', async () => {
  const detail = 'the rules were changed since iteration 1'
  expect((await set(1, euros)).refusal).toEqual({ reason: 'STALE', detail })
  for (const iteration of [-1, 3, 2_147_483_647]) {
    expect((await set(iteration, euros)).refusal?.reason).toBe('STALE')
  }
})

test('Of two concurrent changes one is made', async () => {
  const answers = await Promise.all([set(2, euros), set(2, '[]'), set(2, euros)])
  expect(answers.filter(({ result }) => result === 'state').length).toBe(1)
  expect((await calls.GetSchemeRules({})).iteration).toBe(3)
})

test.each([
  [
    'no rule',
    '[{"id":"x","type":"OTHER"}]',
    'operator',
    expect.stringContaining('rules[0].type: '),
  ],
  ['no author', '[]', '', 'changedBy must have 1 to 256 characters'],
  ['too much', '[]'.padEnd(300_000), 'operator', 'the rules must have at most 262144 characters'],
])('A change by or with %s is refused', async (_what, json, changedBy, detail) => {
  const { refusal } = await set(3, json, changedBy)
  expect(refusal).toMatchObject({ reason: 'INVALID', detail })
})

test('A change of another process applies after the next refresh', async () => {
  const other = await openRuleBook(openRuleStore(world.db, parts.bus))
  await set(3, euros)
  expect(other.set().iteration).toBe(3)
  await other.refresh()
  expect(other.set()).toEqual(world.work.rules.set())
})
