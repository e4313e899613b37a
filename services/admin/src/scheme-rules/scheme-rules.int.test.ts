import { schemeRulesService } from '@causeway/protos'
import * as quoting from '@causeway/quoting'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { openWorld, type ApiResponse, type AdminWorld } from '../testing/world.ts'

let admin: AdminWorld

beforeAll(async () => {
  admin = await openWorld([quoting])
})

afterAll(() => admin.stop())

beforeEach(async () => {
  for (const { id } of await listed()) await admin.call('DELETE', `/scheme-rules/${id}`)
})

interface Listed {
  readonly iteration: number
  readonly changedAt?: string
  readonly changedBy?: string
  readonly rules: readonly { readonly id: string }[]
}

async function list(): Promise<Listed> {
  const { status, json } = await admin.call('GET', '/scheme-rules')
  expect(status).toBe(200)
  return json as Listed
}

async function listed(): Promise<Listed['rules']> {
  return (await list()).rules
}

function refusalOf({ status, json }: ApiResponse): string {
  const { errorInformation } = json as {
    errorInformation: { errorCode: string; errorDescription: string }
  }
  expect(errorInformation.errorDescription.length).toBeGreaterThan(3)
  return `${status} ${errorInformation.errorCode}`
}

/** One of each type, as it is shown. */
const rules = [
  { id: 'currencies', type: 'CURRENCY', currencies: ['USD', 'EUR'] },
  {
    id: 'cash',
    type: 'AMOUNT',
    currency: 'USD',
    min: '0.5',
    max: '999999999999999999.9999',
    payerFsp: 'greenbank',
    payeeFsp: 'bluewallet',
    scenario: 'WITHDRAWAL',
  },
  {
    id: 'hour',
    type: 'VELOCITY',
    currency: 'USD',
    windowMinutes: 60,
    maxCount: 100,
    maxAmount: '5000',
    payerFsp: 'greenbank',
  },
  {
    id: 'fees',
    type: 'FEE',
    currency: 'USD',
    payeeFsp: 'bluewallet',
    maxFee: '1',
    maxFeePercent: '2.5',
    maxCommission: '0',
    maxCommissionPercent: '100',
  },
  { id: 'validity', type: 'VALIDITY', minMs: 1_000, maxMs: 60_000 },
] as const

const path = (id: string) => `/scheme-rules/${id}`

describe('scheme rules', () => {
  test('Rules of every type are set, shown in the order in which they are checked, and removed', async () => {
    for (const rule of rules) {
      const { id, ...members } = rule
      expect(await admin.call('PUT', path(id), members)).toMatchObject({ status: 201, json: rule })
    }
    const shown = await list()
    expect(shown).toEqual({
      iteration: expect.any(Number) as unknown,
      changedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as unknown,
      changedBy: 'unknown',
      rules,
    })
    expect(await admin.call('DELETE', path('hour'))).toMatchObject({ status: 204, text: '' })
    expect(await list()).toMatchObject({
      iteration: shown.iteration + 1,
      rules: rules.filter(({ id }) => id !== 'hour'),
    })
  })

  test('A replaced rule keeps its position, also when it is sent as it was shown', async () => {
    for (const rule of rules) await admin.call('PUT', path(rule.id), rule)
    const [currencies, cash, ...others] = rules
    const changed = { ...cash, max: '50' }
    expect(await admin.call('PUT', path('cash'), changed)).toMatchObject({
      status: 200,
      json: changed,
    })
    expect(await listed()).toEqual([currencies, changed, ...others])
  })

  test('Rules take amounts as numbers or text, and retain every digit', async () => {
    const body = '{"type":"AMOUNT","currency":"USD","min":1.50,"max":999999999999999999.9999}'
    expect(await admin.call('PUT', path('exact'), body)).toMatchObject({
      status: 201,
      json: { min: '1.5', max: '999999999999999999.9999' },
    })
  })

  test('Rules apply in quoting', async () => {
    await admin.call('PUT', path('validity'), rules[4])
    const { GetSchemeRules } = admin.parts.grpc.client(schemeRulesService, 'quoting')
    const { rulesJson, changedBy } = await GetSchemeRules({})
    expect([JSON.parse(rulesJson), changedBy]).toEqual([[rules[4]], 'unknown'])
  })

  test('Concurrent changes of rules are all made', async () => {
    const ids = ['a', 'b', 'c', 'd']
    const answers = await Promise.all(
      ids.map((id) => admin.call('PUT', path(id), { ...rules[0], id })),
    )
    const made = ids.filter((_id, at) => answers[at]?.status === 201)
    expect((await listed()).map(({ id }) => id).toSorted()).toEqual(made)
    // A request that lost too often must be sent again.
    for (const answer of answers)
      if (answer.status !== 201) expect(refusalOf(answer)).toBe('503 2003')
    expect(made.length).toBeGreaterThan(0)
  })

  const [currencies, cash, hour, fees, validity] = rules

  test.each<[string, string, unknown, string]>([
    ['without a body', 'x', undefined, '400 3102'],
    ['that are no JSON', 'x', '{', '400 3101'],
    ['without a type', 'x', {}, '400 3102'],
    ['of an unknown type', 'x', { type: 'COLOUR' }, '400 3101'],
    ['without their currencies', 'x', { type: 'CURRENCY' }, '400 3102'],
    ['of no currency', 'currencies', { ...currencies, currencies: [] }, '400 3100'],
    ['of an unknown currency', 'currencies', { ...currencies, currencies: ['ZZZ'] }, '400 3101'],
    [
      'of too many',
      'currencies',
      { ...currencies, currencies: Array(501).fill('USD') },
      '400 3103',
    ],
    ['without a currency', 'cash', { ...cash, currency: undefined }, '400 3102'],
    ['with an amount in words', 'cash', { ...cash, max: 'ten' }, '400 3101'],
    ['with an amount of five decimals', 'cash', { ...cash, min: '0.00001' }, '400 3101'],
    ['with an amount below 0', 'cash', { ...cash, min: -1 }, '400 3100'],
    ['with a minimum above the maximum', 'cash', { ...cash, min: '11', max: '10' }, '400 3100'],
    ['that bound nothing', 'cash', { type: 'AMOUNT', currency: 'USD' }, '400 3100'],
    ['without a payer', 'cash', { ...cash, payerFsp: '' }, '400 3100'],
    ['without a window', 'hour', { ...hour, windowMinutes: undefined }, '400 3102'],
    ['with a window of more than a day', 'hour', { ...hour, windowMinutes: 1_441 }, '400 3100'],
    ['with half a minute', 'hour', { ...hour, windowMinutes: 0.5 }, '400 3100'],
    ['with a count below 0', 'hour', { ...hour, maxCount: -1 }, '400 3100'],
    ['with more than the whole', 'fees', { ...fees, maxFeePercent: 101 }, '400 3100'],
    ['with a time below 0', 'validity', { ...validity, minMs: -1 }, '400 3100'],
    ['that end before they begin', 'validity', { ...validity, maxMs: 1 }, '400 3100'],
    ['with an unknown member', 'validity', { ...validity, colour: 'red' }, '400 3100'],
    ['under another id', 'x', validity, '400 3100'],
    ['under an id with a blank', 'a%20b', { ...validity, id: undefined }, '400 3101'],
    ['under an id of 65 letters', 'a'.repeat(65), { ...validity, id: undefined }, '400 3101'],
  ])('Rules %s are refused, and nothing changes', async (_title, id, body, expected) => {
    expect(refusalOf(await admin.call('PUT', path(id), body))).toBe(expected)
    expect(await listed()).toEqual([])
  })

  test.each([
    ['DELETE', '/scheme-rules/unknown', '404 3200'],
    ['DELETE', '/scheme-rules', '405 3000'],
    ['POST', '/scheme-rules', '405 3000'],
    ['GET', '/scheme-rules/currencies', '405 3000'],
  ])('%s %s is refused with %s', async (method, of, expected) => {
    expect(refusalOf(await admin.call(method, of))).toBe(expected)
  })
})

test('A hub without scheme rules shows an empty list', async () => {
  const fresh = await openWorld([quoting])
  expect((await fresh.call('GET', '/scheme-rules')).json).toEqual({ iteration: 0, rules: [] })
  await fresh.stop()
})

test('Without quoting the operator is asked to try again later', async () => {
  const lonely = await openWorld([])
  expect(refusalOf(await lonely.call('GET', '/scheme-rules'))).toBe('503 2003')
  await lonely.stop()
})
