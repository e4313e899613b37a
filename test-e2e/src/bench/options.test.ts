import { expect, test } from '@jest/globals'
import { hubSettings, readOptions, relaxations, type BenchOptions } from './options.ts'

/** Of the only run. */
function runOf(...args: readonly string[]): BenchOptions {
  const [run] = readOptions(args).runs
  if (run === undefined) throw new Error('no run')
  return run
}

test('left alone, the whole payment is measured with everything on', () => {
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

test('everything that is less than the default is named', () => {
  const args = ['--open-doors', '--legs', 'transfer', '--set', 'LEDGER_BATCH_MAX=10']
  expect(relaxations(runOf(...args))).toEqual([
    'no TLS, no proof of identity',
    'no JWS',
    'transfer alone',
    'LEDGER_BATCH_MAX=10',
  ])
})

test('open doors: plain http, and nothing is signed', () => {
  expect(hubSettings(runOf('--open-doors'))).toMatchObject({
    EDGE_IDENTITY: 'header',
    JWS_VERIFY: 'off',
    JWS_SIGN: 'off',
  })
})

test('many: a thousand FSPs unless told otherwise', () => {
  expect(runOf('--load', 'many').fsps).toBe(1_000)
  expect(runOf('--load', 'many', '--fsps', '100').fsps).toBe(100)
})

test('several rates are several runs of the same kind', () => {
  const { runs } = readOptions(['--rate', '10,20,40', '--load', 'hot'])
  expect(runs.map(({ rate, load }) => [rate, load])).toEqual([
    [10, 'hot'],
    [20, 'hot'],
    [40, 'hot'],
  ])
})

test('who wants to keep profiles has them taken', () => {
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
])('%j is refused with a sentence', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence)
})

test('services run apart when that is asked for', () => {
  expect(runOf().apart).toBeUndefined()
  expect(runOf('--apart', '2').apart).toBe(2)
  expect(() => runOf('--apart', '0')).toThrow('--apart takes a whole number from 1 to 16')
})

test('an unknown flag is refused', () => {
  expect(() => readOptions(['--fast'])).toThrow("Unknown option '--fast'")
})

test('settlement windows are closed beside the payments when that is asked for', () => {
  expect(runOf().closeWindows_s).toBeUndefined()
  expect(runOf('--close-windows', '5').closeWindows_s).toBe(5)
  expect(() => runOf('--close-windows', 'often')).toThrow('--close-windows takes a whole number')
})

test('overload: three runs at and beyond the rate; ill: five FSPs unless others are asked for', () => {
  const plan = readOptions(['--rate', '300', '--overload', '--load', 'hot'])
  expect(plan.runs.map(({ rate }) => rate)).toEqual([300, 450, 600])
  expect(plan.overload).toBe(true)
  expect(runOf('--disturb', 'ill')).toMatchObject({ disturb: 'ill', fsps: 5 })
  expect(() => readOptions(['--disturb', 'rain'])).toThrow('ill, flood, windows')
})

test('bulks have no lookup, and may come without their quotes', () => {
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

test('third-party legs run apart and are compared, but are never disturbed', () => {
  const plan = readOptions(['--legs', 'link', '--apart', '1', '--compare', 'earlier.json'])
  expect(plan.runs[0]).toMatchObject({ thirdParty: 'link', apart: 1, legs: [] })
  expect(plan.compare).toBe('earlier.json')
  expect(() => readOptions(['--legs', 'third-party-payment', '--disturb', 'flood'])).toThrow(
    '--disturb has no meaning with --legs third-party-payment',
  )
})

test('a flag that has no meaning for a load is refused', () => {
  expect(() => readOptions(['--load', 'bulk', '--apart', '1'])).toThrow(
    'no meaning with --load bulk',
  )
  expect(() => readOptions(['--load', 'bulk', '--legs', 'link'])).toThrow('no meaning')
  expect(() => readOptions(['--bulks', '5'])).toThrow('--bulks has no meaning with --load uniform')
})
