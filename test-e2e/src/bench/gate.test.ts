import { expect, test } from '@jest/globals'
import type { Holdings } from './database.ts'
import { faultsOf, type RunEvidence } from './gate.ts'
import { legNames } from './options.ts'

const leg = { commands: 100, refused: 0, requests: 100, callbacks: 100 }
const holdings: Holdings = {
  reservations: 100,
  open_reservations: 0,
  posted: 100,
  committed_transfers: 100,
  accepted_quotes: 100,
  kept_quotes: 100,
  undelivered: 0,
  dead_letters: 0,
}
const good: RunEvidence = {
  totals: {
    begun: 100,
    committed: 100,
    refused: 0,
    refusedByPayer: [],
    failures: {},
    repeated: 0,
    legs: { lookup: leg, quote: leg, transfer: leg },
  },
  holdings,
  probed: { refusesChangedBody: true, refusesOthersName: true, signsItsOwn: true },
  options: { legs: legNames },
  verify: { clean: true, differences: [] },
}

test('A run counts when the FSPs, the ledger and the tables agree', () => {
  expect(faultsOf(good)).toEqual([])
})

test('A payment that failed is reported as a fault', () => {
  const totals = { ...good.totals, committed: 99 }
  expect(faultsOf({ ...good, totals })).toEqual(['1 of 100 payments failed'])
})

test('Payments that the hub was too busy for are no failures and have no later steps', () => {
  const of = (taken: number, refused: number) => ({
    commands: taken,
    refused,
    requests: taken,
    callbacks: taken,
  })
  const totals = {
    ...good.totals,
    committed: 85,
    refused: 15,
    legs: { lookup: of(90, 10), quote: of(87, 3), transfer: of(85, 2) },
  }
  const stored = { reservations: 85, posted: 85, committed_transfers: 85 }
  const quotes = { accepted_quotes: 87, kept_quotes: 87 }
  expect(faultsOf({ ...good, totals, holdings: { ...holdings, ...stored, ...quotes } })).toEqual([])
  const more = { ...holdings, ...stored, accepted_quotes: 87, kept_quotes: 88 }
  expect(faultsOf({ ...good, totals, holdings: more })).toEqual([
    '88 quotes kept, but 85 POST /transfers taken and 2 refused',
  ])
})

test.each([
  ['reservations', '99 transfers reserved, but 100 POST /transfers taken'],
  ['posted', '99 transfers posted, but 100 POST /transfers taken'],
  ['committed_transfers', '99 transfers COMMITTED, but 100 POST /transfers taken'],
  ['accepted_quotes', '99 quotes ACCEPTED, but 100 POST /transfers taken'],
  ['kept_quotes', '99 quotes kept, but 100 POST /transfers taken'],
] as const)('A difference in the number of %s is reported', (name, fault) => {
  const changed = { ...holdings, [name]: 99 }
  expect(faultsOf({ ...good, holdings: changed })).toEqual([fault])
})

test('Missing and duplicate callbacks are reported', () => {
  const transfer = { ...leg, callbacks: 98 }
  const totals = { ...good.totals, repeated: 2, legs: { ...good.totals.legs, transfer } }
  expect(faultsOf({ ...good, totals })).toEqual([
    '98 PUT /transfers at payers, but 100 POST /transfers taken',
    '2 messages came a second time',
  ])
})

test('Open reservations, undelivered callbacks and dead letters are reported', () => {
  const left = { ...holdings, open_reservations: 1, undelivered: 2, dead_letters: 3 }
  expect(faultsOf({ ...good, holdings: left })).toEqual([
    '1 reservations are open',
    '2 callbacks are not delivered',
    '3 events are dead letters',
  ])
})

test.each([{ clean: false }, 'answered 500', undefined])(
  'A run with the verify result %j does not count',
  (verify) => {
    expect(faultsOf({ ...good, verify })).toEqual(['verify is not clean'])
  },
)

test('A run of transfers alone is not compared with quotes and lookups', () => {
  const changed = { ...holdings, accepted_quotes: 0, kept_quotes: 0 }
  const totals = { ...good.totals, legs: { transfer: leg } }
  const options = { ...good.options, legs: ['transfer'] as const }
  expect(faultsOf({ ...good, totals, options, holdings: changed })).toEqual([])
})

test('A missing check of identity or signatures is a fault', () => {
  const probed = { refusesChangedBody: false, refusesOthersName: false, signsItsOwn: false }
  expect(faultsOf({ ...good, probed })).toHaveLength(3)
})
