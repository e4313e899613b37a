import { expect, test } from '@jest/globals'
import type { Holdings } from './database.ts'
import { faultsOf, type Evidence } from './gate.ts'
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
const good: Evidence = {
  totals: {
    begun: 100,
    committed: 100,
    refused: 0,
    refusedByPayer: [],
    unanswered: 0,
    failures: {},
    repeated: 0,
    legs: { lookup: leg, quote: leg, transfer: leg },
  },
  holdings,
  probed: { refusesChangedBody: true, refusesOthersName: true, signsItsOwn: true },
  options: { identity: 'mtls', signed: 'RS256', legs: legNames, disturb: undefined },
  verify: { clean: true, differences: [] },
}

test('a run counts when everybody says the same of it', () => {
  expect(faultsOf(good)).toEqual([])
})

test('a payment that failed is not hidden', () => {
  const totals = { ...good.totals, committed: 99 }
  expect(faultsOf({ ...good, totals })).toEqual(['1 of 100 payments failed'])
})

test('payments that the hub was too busy for did not fail, and have no step beyond that', () => {
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
  const kept = { reservations: 85, posted: 85, committed_transfers: 85 }
  const quotes = { accepted_quotes: 87, kept_quotes: 87 }
  expect(faultsOf({ ...good, totals, holdings: { ...holdings, ...kept, ...quotes } })).toEqual([])
  const more = { ...holdings, ...kept, accepted_quotes: 87, kept_quotes: 88 }
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
] as const)('%s that differ are told', (name, fault) => {
  const changed = { ...holdings, [name]: 99 }
  expect(faultsOf({ ...good, holdings: changed })).toEqual([fault])
})

test('callbacks that are missing or doubled are told', () => {
  const transfer = { ...leg, callbacks: 98 }
  const totals = { ...good.totals, repeated: 2, legs: { ...good.totals.legs, transfer } }
  expect(faultsOf({ ...good, totals })).toEqual([
    '98 PUT /transfers at payers, but 100 POST /transfers taken',
    '2 messages came a second time',
  ])
})

test('what is left behind is told', () => {
  const left = { ...holdings, open_reservations: 1, undelivered: 2, dead_letters: 3 }
  expect(faultsOf({ ...good, holdings: left })).toEqual([
    '1 reservations are open',
    '2 callbacks are not delivered',
    '3 events are dead letters',
  ])
})

test.each([{ clean: false }, 'answered 500', undefined])('verify: %j is not clean', (verify) => {
  expect(faultsOf({ ...good, verify })).toEqual(['verify is not clean'])
})

test('transfers alone: no quotes and lookups are asked for', () => {
  const changed = { ...holdings, accepted_quotes: 0, kept_quotes: 0 }
  const totals = { ...good.totals, legs: { transfer: leg } }
  const options = { ...good.options, legs: ['transfer'] as const }
  expect(faultsOf({ ...good, totals, options, holdings: changed })).toEqual([])
})

test('a door that stands open counts only where it was asked to', () => {
  const probed = { refusesChangedBody: false, refusesOthersName: false, signsItsOwn: false }
  expect(faultsOf({ ...good, probed })).toHaveLength(3)
  const options = { ...good.options, identity: 'header', signed: undefined } as const
  expect(faultsOf({ ...good, probed, options })).toEqual([])
})
