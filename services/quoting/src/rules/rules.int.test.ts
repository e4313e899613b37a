/** Reading and replacing the scheme rules. */
import { approvalHandlers, openApprovals } from '@causeway/approvals'
import { approvalCalls, wordOf, type ApprovalCalls } from '@causeway/approvals/testing'
import type { Calls } from '@causeway/grpc'
import { statement } from '@causeway/postgres'
import { schemeRulesService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { openWorld, type QuotingWorld } from '../testing/world.ts'
import { openRuleBook } from './book.ts'
import { ruleHandlers, schemeRulesKind } from './serve.ts'
import { openRuleStore } from './store.ts'

const euros = JSON.stringify([{ id: 'currencies', type: 'CURRENCY', currencies: ['EUR'] }])

let parts: TestParts
let world: QuotingWorld
let calls: Calls<typeof schemeRulesService>
let approvals: ApprovalCalls
let needsApproval = false
const life_ms = 72 * 3_600_000

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld(parts)
  const { rules: book, now } = world.work
  const { db } = world
  const { bus } = parts
  const kinds = { SchemeRules: schemeRulesKind(bus, book) }
  const own = openApprovals({ source: 'quoting', db, bus, life_ms, kinds, persons: {} })
  parts.approvals.add('quoting', approvalHandlers({ approvals: own, db, life_ms }))
  approvals = approvalCalls(parts.grpc, 'quoting')
  const needed = () => needsApproval
  const handlers = ruleHandlers({ book, approvals: own, needsApproval: needed, now })
  parts.grpc.serve(schemeRulesService, handlers)
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
  })
})

test('A change replaces the whole set and applies at once, and the former set is retained', async () => {
  const { state } = await set(0, ` ${euros}`)
  expect(state).toMatchObject({
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

describe('where a second person must approve', () => {
  afterEach(() => {
    needsApproval = false
  })

  async function requested(json: string, maker = 'ada') {
    needsApproval = true
    const { iteration } = await calls.GetSchemeRules({})
    const { request, refusal } = await set(iteration, json, maker)
    if (!request) throw new Error(refusal?.detail)
    return request
  }

  async function decide(requestId: string, verdict: 'APPROVE' | 'REJECT' = 'APPROVE') {
    return wordOf(await approvals.decide('SchemeRules', requestId, { verdict }))
  }

  test('A change applies when another person approves it', async () => {
    const { iteration, rulesJson: before } = await calls.GetSchemeRules({})
    const request = await requested('[]')
    expect(request).toMatchObject({ state: 'PENDING', createdBy: 'ada' })
    expect(JSON.parse(request.replacesJson ?? '')).toEqual({
      iteration,
      rules: JSON.parse(before) as unknown,
    })
    expect((await calls.GetSchemeRules({})).iteration).toBe(iteration)
    expect(await decide(request.requestId)).toBe('APPROVED')
    expect(await calls.GetSchemeRules({})).toMatchObject({
      iteration: iteration + 1,
      rulesJson: '[]',
      changedBy: 'ada',
    })
    expect(world.work.rules.rules()).toEqual([])
  })

  test('A rejected change leaves the rules', async () => {
    const before = await calls.GetSchemeRules({})
    const { requestId } = await requested(euros)
    expect(await decide(requestId, 'REJECT')).toBe('REJECTED')
    expect(await calls.GetSchemeRules({})).toEqual(before)
  })

  test('One request is pending at a time, and the list shows it', async () => {
    const request = await requested(euros)
    const { iteration } = await calls.GetSchemeRules({})
    expect((await set(iteration, '[]', 'joan')).refusal?.reason).toBe('REQUEST_PENDING')
    expect(await approvals.pending('SchemeRules')).toEqual([request])
    await decide(request.requestId, 'REJECT')
  })

  test('A request that is based on replaced rules is refused, and stays pending', async () => {
    const { requestId } = await requested('[]')
    needsApproval = false
    const { iteration } = await calls.GetSchemeRules({})
    await set(iteration, euros)
    expect(await decide(requestId)).toBe('STALE')
    expect(await decide(requestId, 'REJECT')).toBe('REJECTED')
  })

  test('Rules that cannot be read are refused at the request', async () => {
    needsApproval = true
    const { iteration } = await calls.GetSchemeRules({})
    expect((await set(iteration, '{}')).refusal?.reason).toBe('INVALID')
  })
})
