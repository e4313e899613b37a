import { expect, test } from '@jest/globals'
import { hubSettings, readOptions, relaxations, type BenchOptions } from './options.ts'

/** The options of the only run. */
function runOf(...args: readonly string[]): BenchOptions {
  const [run] = readOptions(args).runs
  if (run === undefined) throw new Error('no run')
  return run
}

test('Without flags the whole payment is measured with every guarantee', () => {
  const options = runOf()
  expect(options).toMatchObject({
    payments: 10_000,
    rate: 200,
    load: 'uniform',
    fsps: 8,
    legs: ['lookup', 'quote', 'transfer'],
    apart: undefined,
    profiles: undefined,
  })
  expect(relaxations(options)).toEqual([])
  expect(hubSettings(options)).toMatchObject({
    EDGE_IDENTITY: 'mtls',
    JWS_VERIFY: 'on',
    JWS_SIGN: 'on',
  })
})

test('Everything that is less than the default is named as a relaxation', () => {
  const args = ['--legs', 'transfer', '--set', 'SWEEP_INTERVAL_MS=10', '--profiles', 'here']
  expect(relaxations(runOf(...args))).toEqual([
    'transfer alone',
    'SWEEP_INTERVAL_MS=10',
    'CPU profiles taken',
  ])
  expect(hubSettings(runOf(...args))).toMatchObject({ SWEEP_INTERVAL_MS: '10' })
})

test('Several rates are several runs of the same kind', () => {
  const { runs } = readOptions(['--rate', '10,20,40', '--load', 'hot'])
  expect(runs.map(({ rate, load }) => [rate, load])).toEqual([
    [10, 'hot'],
    [20, 'hot'],
    [40, 'hot'],
  ])
})

test.each([
  [['--rate', '0'], '--rate takes a whole number from 1 to 100000'],
  [['--rate', '10,x'], '--rate takes a whole number from 1 to 100000'],
  [['--rate', '1.5'], '--rate takes a whole number from 1 to 100000'],
  [['--load', 'huge'], '--load is one of uniform, hot, bulk, link, third-party-payment'],
  [['--legs', 'lookup'], '--legs is one of lookup,quote,transfer; quote,transfer; transfer'],
  [['--set', 'X'], '--set takes NAME=VALUE'],
])('The flags %j are refused with a sentence', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence)
})

test('--apart runs each service in processes of its own', () => {
  expect(runOf().apart).toBeUndefined()
  expect(runOf('--apart', '2').apart).toBe(2)
  expect(() => runOf('--apart', '0')).toThrow('--apart takes a whole number from 1 to 16')
})

test('An unknown flag is refused', () => {
  expect(() => readOptions(['--fast'])).toThrow("Unknown option '--fast'")
})

test('--overload makes three runs at and beyond the rate', () => {
  const plan = readOptions(['--rate', '300', '--overload', '--load', 'hot'])
  expect(plan.runs.map(({ rate }) => rate)).toEqual([300, 450, 600])
  expect(plan.overload).toBe(true)
})

test('Bulks have a thousand items, unless --items is given', () => {
  expect(runOf('--load', 'bulk').bulk).toEqual({ items: 1_000, bulks: 20, rate: 1 })
  expect(runOf('--load', 'bulk', '--items', '10').bulk.items).toBe(10)
})

test.each([
  [['--load', 'bulk', '--apart', '1'], '--apart has no meaning with --load bulk'],
  [['--load', 'link', '--overload'], '--overload has no meaning with --load link'],
  [['--load', 'third-party-payment', '--fsps', '3'], '--fsps has no meaning with --load third-'],
  [['--bulks', '5'], '--bulks has no meaning with --load uniform'],
])('The flags %j, which have no meaning together, are refused', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence)
})
