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
    thirdParty: undefined,
    identity: 'mtls',
    signed: 'RS256',
  })
  expect(relaxations(options)).toEqual([])
  expect(hubSettings(options)).toMatchObject({
    EDGE_IDENTITY: 'mtls',
    JWS_VERIFY: 'on',
    JWS_SIGN: 'on',
  })
})

test('Everything that is less than the default is named as a relaxation', () => {
  const args = ['--open-doors', '--legs', 'transfer', '--set', 'LEDGER_BATCH_MAX=10']
  expect(relaxations(runOf(...args))).toEqual([
    'no TLS, no proof of identity',
    'no JWS',
    'transfer alone',
    'LEDGER_BATCH_MAX=10',
  ])
})

test('--open-doors means plain http and no signatures', () => {
  expect(hubSettings(runOf('--open-doors'))).toMatchObject({
    EDGE_IDENTITY: 'header',
    JWS_VERIFY: 'off',
    JWS_SIGN: 'off',
  })
})

test('The load many has a thousand FSPs unless --fsps is given', () => {
  expect(runOf('--load', 'many').fsps).toBe(1_000)
  expect(runOf('--load', 'many', '--fsps', '100').fsps).toBe(100)
})

test('Several rates are several runs of the same kind', () => {
  const { runs } = readOptions(['--rate', '10,20,40', '--load', 'hot'])
  expect(runs.map(({ rate, load }) => [rate, load])).toEqual([
    [10, 'hot'],
    [20, 'hot'],
    [40, 'hot'],
  ])
})

test('--profiles takes profiles without --profile', () => {
  expect(runOf('--profiles', 'here').profile).toBe(true)
  expect(runOf().profile).toBe(false)
})

test.each([
  [['--rate', '0'], '--rate takes a whole number from 1 to 100000'],
  [['--rate', '10,x'], '--rate takes a whole number from 1 to 100000'],
  [['--rate', '1.5'], '--rate takes a whole number from 1 to 100000'],
  [['--load', 'huge'], '--load is one of uniform, hot, pair, many'],
  [
    ['--legs', 'lookup'],
    '--legs is one of lookup,quote,transfer; quote,transfer; transfer; link; third-party-payment',
  ],
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

test('--close-windows closes settlement windows during the payments', () => {
  expect(runOf().closeWindows_s).toBeUndefined()
  expect(runOf('--close-windows', '5').closeWindows_s).toBe(5)
  expect(() => runOf('--close-windows', 'often')).toThrow('--close-windows takes a whole number')
})

test('--overload makes three runs at and beyond the rate, and --disturb ill has five FSPs unless --fsps is given', () => {
  const plan = readOptions(['--rate', '300', '--overload', '--load', 'hot'])
  expect(plan.runs.map(({ rate }) => rate)).toEqual([300, 450, 600])
  expect(plan.overload).toBe(true)
  expect(runOf('--disturb', 'ill')).toMatchObject({ disturb: 'ill', fsps: 5 })
  expect(() => readOptions(['--disturb', 'rain'])).toThrow('ill, flood, windows')
})

test('Bulks have no lookup, and may be measured without their quotes', () => {
  expect(runOf('--load', 'bulk')).toMatchObject({
    bulk: { legs: ['quote', 'transfer'], items: 1_000, bulks: 20, rate: 1 },
    settings: {},
  })
  expect(runOf('--load', 'bulk', '--legs', 'transfer', '--items', '10')).toMatchObject({
    bulk: { legs: ['transfer'], items: 10 },
    settings: { TRANSFERS_CHECK_BULK_QUOTES: 'off' },
  })
  expect(runOf().bulk).toBeUndefined()
})

test('Third-party legs run with --apart and --compare, and are never disturbed', () => {
  const plan = readOptions(['--legs', 'link', '--apart', '1', '--compare', 'earlier.json'])
  expect(plan.runs[0]).toMatchObject({ thirdParty: 'link', apart: 1, legs: [] })
  expect(plan.compare).toBe('earlier.json')
  expect(() => readOptions(['--legs', 'third-party-payment', '--disturb', 'flood'])).toThrow(
    '--disturb has no meaning with --legs third-party-payment',
  )
})

test('A flag that has no meaning for a load is refused', () => {
  expect(() => readOptions(['--load', 'bulk', '--apart', '1'])).toThrow(
    'no meaning with --load bulk',
  )
  expect(() => readOptions(['--load', 'bulk', '--legs', 'link'])).toThrow('no meaning')
  expect(() => readOptions(['--bulks', '5'])).toThrow('--bulks has no meaning with --load uniform')
})
