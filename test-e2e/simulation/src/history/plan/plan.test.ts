import { expect, test } from '@jest/globals'
import { planOf } from './plan.ts'

const plans = Array.from({ length: 500 }, (_, index) => planOf(7, index))

test('A seed and a number always give the same history', () => {
  expect(planOf(7, 3)).toEqual(planOf(7, 3))
  expect(planOf(7, 3)).not.toEqual(planOf(7, 4))
  expect(planOf(8, 3)).not.toEqual(planOf(7, 3))
})

test('A history survives being stored as JSON', () => {
  expect(JSON.parse(JSON.stringify(plans[0]))).toEqual(plans[0])
})

test('About a sixth of the histories have links, with right and forged credentials, payments and revocations', () => {
  const links = plans.flatMap((plan) => plan.links)
  const histories = plans.filter((plan) => plan.links.length > 0).length
  expect(histories).toBeGreaterThan(plans.length / 9)
  expect(histories).toBeLessThan(plans.length / 4)
  expect(new Set(links.map(({ credential }) => credential))).toEqual(new Set(['RIGHT', 'FORGED']))
  const ways = links.flatMap(({ revocation }) =>
    revocation === undefined ? [] : [`${revocation.by} ${revocation.how}`],
  )
  expect(new Set(ways)).toEqual(new Set(['PISP DELETE', 'DFSP DELETE', 'DFSP PATCH']))
  const users = links.flatMap(({ payments }) => payments.map(({ user }) => user))
  expect(new Set(users).size).toBe(5)
})

test('Payee FSPs speak of bulks in every way, in one message and in parts; ids come twice, lists up to their bounds', () => {
  const bulks = plans.flatMap((plan) => plan.bulks)
  expect(new Set(bulks.map(({ speaks }) => speaks)).size).toBe(6)
  expect(new Set(bulks.map(({ parts }) => parts))).toEqual(new Set([0, 1, 3]))
  expect(bulks.some(({ twice }) => twice > 0)).toBe(true)
  expect(bulks.every(({ twice, items }) => twice <= items.length)).toBe(true)
  const lists = new Set(plans.flatMap((plan) => plan.transfers.map((each) => each.lists)))
  expect(lists).toEqual(new Set([undefined, 'ONE', 'LONGEST']))
  expect(new Set(bulks.map((each) => each.lists))).toEqual(lists)
})

test('In some histories the payee FSP of a bulk floods a hub without faults while transfers expire', () => {
  const floods = plans.filter(({ bulks }) => bulks.some(({ floods: count }) => count !== undefined))
  expect(floods.length).toBeGreaterThan(0)
  for (const { faults, transfers } of floods) {
    expect(faults).toEqual([])
    expect(transfers.every(({ answers }) => answers.join() === 'SILENT')).toBe(true)
  }
})

test('In some histories an operator changes what applies to the payments between two FSPs meanwhile', () => {
  const kinds = ['LOWER_CAP', 'END_FEES', 'SUSPEND']
  const changing = plans.filter(({ acts }) => acts.some(({ act }) => kinds.includes(act)))
  const acts = changing.flatMap((plan) => plan.acts.map(({ act }) => act))
  expect(new Set(acts)).toEqual(new Set(kinds))
  const payers = changing.flatMap(({ transfers }) => transfers.map(({ payer }) => payer))
  expect(new Set(payers)).toEqual(new Set(['mango', 'river']))
  expect(changing.some(({ faults }) => faults.length === 0)).toBe(true)
})

test('In some histories a month ends while payments are under way', () => {
  const ends = plans.flatMap(({ monthEnds_ms }) => monthEnds_ms ?? [])
  expect(ends.length).toBeGreaterThan(0)
  expect(Math.max(...ends)).toBeLessThan(2_000)
})

test('Every kind of fault occurs, several in one history, and some histories have none', () => {
  const counts = plans.map(({ faults }) => faults.length)
  expect(counts).toContain(0)
  expect(Math.max(...counts)).toBeGreaterThan(2)
  expect(
    [...new Set(plans.flatMap(({ faults }) => faults.map(({ type }) => type)))].sort(),
  ).toEqual([
    'CALL',
    'CALLBACK',
    'CLOCK',
    'CRASH',
    'CUT',
    'FREEZE',
    'LOCK_OUT',
    'REFUSE',
    'REQUEST',
    'SLOW',
    'STOP',
  ])
})

test('On replicas the brokers fail too, and the clocks differ by less than a second', () => {
  const faults = plans.flatMap((_, index) => planOf(7, index, true).faults)
  const types = faults.map(({ type }) => type)
  expect(types).toEqual(expect.arrayContaining(['BROKERS', 'PRODUCE']))
  const ahead = faults.flatMap((fault) => (fault.type === 'CLOCK' ? [fault.ahead_ms] : []))
  expect(Math.max(...ahead) - Math.min(...ahead)).toBeLessThan(1_000)
  expect(Math.max(...ahead)).toBeGreaterThan(0)
})
