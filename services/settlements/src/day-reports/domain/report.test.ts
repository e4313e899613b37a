import { parseDecimal } from '@causeway/money'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { DayFacts, Flow } from './facts.ts'
import { operator, reportsOf, type Section, type Total } from './report.ts'
import { addFlows, openSums } from './sums.ts'

const names = ['bluewallet', 'greenbank', 'redpay'] as const
const currencies = ['EUR', 'USD'] as const
const from = new Date('2026-11-24T22:00:00.000Z')
const until = new Date('2026-11-25T22:00:00.000Z')

/** A transfer as the lines have it: a flow on each side. */
function transferFlows(transfer: {
  readonly payer: string
  readonly payee: string
  readonly currency: string
  readonly value: bigint
  readonly kind: 'TRANSFER' | 'FEE'
  readonly isBulkItem: boolean
  readonly errorCode: string
}): readonly Flow[] {
  const { payer, payee, errorCode, ...rest } = transfer
  const state = errorCode === '' ? 'COMMITTED' : 'ABORTED'
  const flow = { ...rest, errorCode, state, count: 1 } as const
  return [
    { ...flow, side: 'SENT', fsp: payer },
    { ...flow, side: 'RECEIVED', fsp: payee },
  ]
}

const amount = fc.bigInt({ min: 1n, max: 10n ** 22n })
const anyTransfer = fc
  .record({
    payer: fc.constantFrom(...names),
    payee: fc.constantFrom(...names),
    currency: fc.constantFrom(...currencies),
    value: amount,
    kind: fc.constantFrom('TRANSFER', 'FEE'),
    isBulkItem: fc.boolean(),
    errorCode: fc.constantFrom('', '', '4001', '5104'),
  })
  .map((one) => (one.kind === 'FEE' ? { ...one, isBulkItem: false, errorCode: '' } : one))

const anyFacts = fc
  .record({
    transfers: fc.array(anyTransfer),
    positions: fc.array(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), {
      minLength: 6,
      maxLength: 6,
    }),
  })
  .map(({ transfers, positions }): DayFacts => {
    const sums = openSums()
    for (const transfer of transfers) addFlows(sums, transferFlows(transfer))
    return {
      periods: currencies.map((currency) => ({ currency, from, until })),
      flows: [...sums.flows.values()],
      latencies: [],
      thirdParty: [],
      positions: names.flatMap((fsp, at) =>
        currencies.map((currency, second) => ({
          fsp,
          currency,
          value: positions[at * 2 + second] ?? 0n,
        })),
      ),
      windows: [],
      participants: names,
    }
  })

function unitsOf(text: string): bigint {
  const units = parseDecimal(text)
  if (units === undefined) throw new Error(`${text} is not a decimal`)
  return units
}

const figures: readonly (readonly [string, (section: Section) => readonly Total[]])[] = [
  ['sent', ({ sent }) => [sent.total]],
  ['sent single', ({ sent }) => [sent.single]],
  ['sent in bulks', ({ sent }) => [sent.bulkItems]],
  ['received', ({ received }) => [received.total]],
  ['fees paid', ({ fees }) => [fees.paid]],
  ['fees received', ({ fees }) => [fees.received]],
  ['failures sent', ({ failures }) => failures.sent],
  ['failures received', ({ failures }) => failures.received],
]

/** In ten-thousandths. */
function totalOf(totals: readonly Total[]) {
  return {
    count: totals.reduce((all, { count }) => all + count, 0),
    units: totals.reduce((all, { value }) => all + unitsOf(value), 0n),
  }
}

test("The operator's report is the sum of all participants' reports", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const reports = reportsOf(facts)
      const whole = reports.get(operator)
      for (const currency of currencies) {
        const own = names.flatMap((name) =>
          (reports.get(name)?.currencies ?? []).filter((each) => each.currency === currency),
        )
        const all = whole?.currencies.filter((each) => each.currency === currency) ?? []
        for (const [name, figure] of figures) {
          expect([name, totalOf(all.flatMap(figure))]).toEqual([name, totalOf(own.flatMap(figure))])
        }
        const positions = (sections: readonly Section[]) =>
          sections.reduce((sum, { position }) => sum + unitsOf(position), 0n)
        expect(positions(all)).toBe(positions(own))
      }
    }),
  )
})

test('What all participants have sent is what all have received', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      for (const { sent, received, fees } of reportsOf(facts).get(operator)?.currencies ?? []) {
        expect(sent).toEqual(received)
        expect(fees.paid).toEqual(fees.received)
      }
    }),
  )
})

const oneDay: DayFacts = {
  periods: [{ currency: 'USD', from, until }],
  flows: [
    ...transferFlows({
      payer: 'greenbank',
      payee: 'redpay',
      currency: 'USD',
      value: 1_005_000n,
      kind: 'TRANSFER',
      isBulkItem: false,
      errorCode: '',
    }),
    ...transferFlows({
      payer: 'greenbank',
      payee: '',
      currency: 'USD',
      value: 10_000n,
      kind: 'TRANSFER',
      isBulkItem: false,
      errorCode: '3203',
    }),
  ],
  latencies: [{ currency: 'USD', side: 'SENT', fsp: 'greenbank', duration_ms: 80, count: 1 }],
  thirdParty: [
    { currency: 'USD', payerFsp: 'greenbank', payeeFsp: 'redpay', count: 1, value: 1_005_000n },
  ],
  positions: [{ currency: 'USD', fsp: 'greenbank', value: 1_005_000n }],
  windows: [
    {
      id: 3,
      closedAt: '2026-11-25T12:00:00.000Z',
      nets: [
        {
          currency: 'USD',
          model: 'DEFERREDNET',
          participant: 'greenbank',
          net: 1_005_000n,
          transfersCount: 1,
        },
      ],
    },
  ],
  participants: ['bluewallet', 'greenbank', 'redpay'],
}

test('A report has its payments by kind, its failures with their meaning, latency and position', () => {
  const [section] = reportsOf(oneDay).get('greenbank')?.currencies ?? []
  const none = { count: 0, value: '0' }
  const one = { count: 1, value: '100.5' }
  expect(section).toMatchObject({
    currency: 'USD',
    sent: { total: one, single: none, bulkItems: none, thirdParty: one },
    received: { total: none },
    failures: {
      sent: [{ errorCode: '3203', description: 'Payee FSP ID not found', count: 1, value: '1' }],
    },
    latency: { sent: { count: 1, p50_ms: 80, p99_ms: 80 }, received: { count: 0, p50_ms: null } },
    position: '100.5',
  })
})

test('A participant without account and payments in a currency has no figures of it', () => {
  expect(reportsOf(oneDay).get('bluewallet')).toEqual({ currencies: [], windowsClosed: [] })
})

test('A participant sees the closed windows that hold a net of its own', () => {
  const reports = reportsOf(oneDay)
  expect(reports.get('greenbank')?.windowsClosed).toMatchObject([
    { id: 3, nets: [{ net: '100.5' }] },
  ])
  expect(reports.get('redpay')?.windowsClosed).toEqual([])
  expect(reports.get(operator)?.windowsClosed).toHaveLength(1)
})

test('A refused transfer to an FSP that is no participant counts once, for its payer FSP', () => {
  const [section] = reportsOf(oneDay).get(operator)?.currencies ?? []
  expect(section?.failures).toMatchObject({ sent: [{ errorCode: '3203', count: 1 }], received: [] })
})
