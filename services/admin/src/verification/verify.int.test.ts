import {
  consentsService,
  ledgerService,
  settlementReportsService,
  thirdPartyTransactionsService,
  transfersService,
  type LedgerEntry,
  type LedgerEntryOutcome,
  type TransferRow,
  type KnownTransfer,
  type TransferState,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { connect, type Upstream } from '../upstream.ts'
import { verify } from './verify.ts'

/** The two sides, each with its answers to reads after the first few. */
const ledger = new Map<string, LedgerEntryOutcome>()
const states = new Map<string, TransferState>()
/** Ids with other values in transfers, and missing lines in no window. */
const changes = new Map<string, Partial<KnownTransfer>>()
const lost = new Set<string>()
let booksWrong: string[] = []
let bulksWrong: string[] = []
let consentsWrong: string[] = []
let begunWrong: string[] = []
let reads = 0
let onRead: (read: number) => void = () => undefined

let parts: TestParts
let sources: Upstream

function page<Row>(rows: ReadonlyMap<string, Row>, afterId: string, limit: number) {
  return [...rows]
    .sort(([a], [b]) => a.localeCompare(b))
    .filter(([id]) => id > afterId)
    .slice(0, Math.min(limit, 3))
}

function among<Row>(rows: ReadonlyMap<string, Row>, ids: readonly string[]) {
  reads += 1
  onRead(reads)
  return [...rows].filter(([id]) => ids.includes(id))
}

function entry([id, outcome]: readonly [string, LedgerEntryOutcome]): LedgerEntry {
  return {
    id,
    kind: id.startsWith('funds') ? 'FUNDS_IN' : 'TRANSFER',
    outcome,
    amount: '1',
    currency: 'USD',
    payerFsp: 'a',
    payeeFsp: 'b',
    createdAt: '',
    evidence: Buffer.alloc(0),
    settlementModelId: 1,
    settles: 'NET',
    windowId: outcome === 'POSTED' ? 1 : undefined,
  }
}

function transfer([id, state]: readonly [string, TransferState]): KnownTransfer {
  return {
    id,
    state,
    expiresAt: '',
    payerFsp: 'a',
    payeeFsp: 'b',
    amount: '1',
    currency: 'USD',
    condition: '',
    ...(state === 'COMMITTED' ? { fulfilment: 'fulfilled', windowId: 1 } : {}),
    ...(state === 'ABORTED' || state === 'COMMITTED'
      ? { completedAt: '2026-03-01T12:00:00.000Z' }
      : {}),
    ...changes.get(id),
  }
}

/** The lines that settlements stores for transfers that are in no window. */
function line(transferId: string): TransferRow {
  return {
    transferId,
    kind: 'TRANSFER',
    state: 'ABORTED',
    payerFsp: 'a',
    payeeFsp: 'b',
    amount: '1',
    currency: 'USD',
    finalisedAt: '',
    originUnavailable: false,
  }
}

const notAsked = () => Promise.reject(new Error('nobody asks this'))

beforeAll(async () => {
  parts = await openTestParts()
  parts.grpc.serve(ledgerService, {
    ProcessTransferPrepare: notAsked,
    ProcessTransferFulfil: notAsked,
    ProcessTransferRelease: notAsked,
    ListOverdueReservations: notAsked,
    ListSettlementEntries: notAsked,
    GetCurrentWindow: notAsked,
    GetWholeEntries: ({ ids }) =>
      Promise.resolve({
        entries: [...ledger]
          .filter(([id]) => ids.includes(id))
          .map((row) => ({
            ...entry(row),
            evidence: Buffer.from(JSON.stringify({ fulfilment: 'fulfilled' })),
          })),
      }),
    GetLedgerRecord: notAsked,
    RotateSettlementWindow: notAsked,
    ListWindowFees: notAsked,
    PostSettlementEntries: notAsked,
    SetInterchangeFee: notAsked,
    SetModelRule: notAsked,
    ListModelRules: notAsked,
    GetLedgerEntries: ({ ids }) => Promise.resolve({ entries: among(ledger, ids).map(entry) }),
    ListTransferEntries: ({ afterId, limit }) =>
      Promise.resolve({ entries: page(ledger, afterId, limit).map(entry) }),
    VerifyLedger: () => Promise.resolve({ accountsCompared: '7', differences: booksWrong }),
  })
  parts.grpc.serve(transfersService, {
    GetTransferStates: ({ ids }) =>
      Promise.resolve({ transfers: [...states].filter(([id]) => ids.includes(id)).map(transfer) }),
    ListTransferStates: ({ afterId, limit }) =>
      Promise.resolve({ transfers: page(states, afterId, limit).map(transfer) }),
    GetTransferPacket: notAsked,
    GetTransferRecord: notAsked,
    SearchTransfers: notAsked,
    FindTransfersOfCondition: notAsked,
    GetTransferActivity: notAsked,
    ErasePerson: notAsked,
    GetBulkTransferRecord: notAsked,
    SearchBulkTransfers: notAsked,
    VerifyBulkTransfers: () => Promise.resolve({ compared: 0, differences: bulksWrong }),
  })
  parts.grpc.serve(consentsService, {
    SearchConsents: notAsked,
    GetConsentRecord: notAsked,
    EraseConsent: notAsked,
    ErasePerson: notAsked,
    VerifyConsents: () =>
      Promise.resolve({ consents: 4, verifications: 5, differences: consentsWrong }),
  })
  parts.grpc.serve(thirdPartyTransactionsService, {
    SearchThirdPartyTransactions: notAsked,
    FindThirdPartyTransactions: notAsked,
    GetThirdPartyTransaction: notAsked,
    VerifyThirdPartyTransactions: () => Promise.resolve({ compared: 6, differences: begunWrong }),
  })
  parts.grpc.serve(settlementReportsService, {
    ListSettlementTransfers: notAsked,
    ListReconciliation: notAsked,
    GetLinesOutsideWindows: ({ transferIds }) =>
      Promise.resolve({ rows: transferIds.filter((id) => !lost.has(id)).map(line) }),
    VerifySettlements: () => Promise.resolve({ windowsCompared: 3, differences: [] }),
  })
  sources = connect(parts.grpc)
})

afterAll(() => parts.stop())

beforeEach(() => {
  ledger.clear()
  states.clear()
  changes.clear()
  lost.clear()
  booksWrong = []
  bulksWrong = []
  consentsWrong = []
  begunWrong = []
  reads = 0
  onRead = () => undefined
})

test('Everything is compared, however short the pages are', async () => {
  for (let n = 10; n < 30; n++) {
    ledger.set(`t${n}`, n % 2 === 0 ? 'POSTED' : 'VOIDED')
    states.set(`t${n}`, n % 2 === 0 ? 'COMMITTED' : 'ABORTED')
  }
  expect(await verify(sources, 1)).toEqual({
    clean: true,
    compared: {
      accounts: 7,
      entries: 20,
      transfers: 20,
      windows: 3,
      bulkTransfers: 0,
      consents: 4,
      verifications: 5,
      thirdPartyTransactions: 6,
    },
    differences: [],
  })
})

test('A difference that disappears while it is read again is not reported', async () => {
  ledger.set('a', 'POSTED')
  states.set('a', 'RESERVED')
  onRead = (read) => {
    if (read === 2) states.set('a', 'COMMITTED')
  }
  expect(await verify(sources, 1)).toMatchObject({ clean: true, differences: [] })
  expect(reads).toBeLessThanOrEqual(3)
})

test('A difference that persists is reported after three reads', async () => {
  ledger.set('a', 'POSTED').set('b', 'POSTED')
  states.set('a', 'ABORTED').set('b', 'COMMITTED').set('c', 'COMMITTED')
  expect(await verify(sources, 1)).toMatchObject({
    clean: false,
    differences: [
      'transfer a is ABORTED, but the ledger holds it as POSTED',
      'transfer c is COMMITTED, but the ledger has no entry of it',
    ],
  })
  expect(reads).toBe(3)
})

const planted: readonly (readonly [string, Partial<KnownTransfer>, string])[] = [
  ['amount', { amount: '2' }, 'transfer a differs from the ledger: amount 2 instead of 1'],
  [
    'currency',
    { currency: 'EUR' },
    'transfer a differs from the ledger: currency EUR instead of USD',
  ],
  ['payer', { payerFsp: 'x' }, 'transfer a differs from the ledger: payer x instead of a'],
  ['payee', { payeeFsp: 'x' }, 'transfer a differs from the ledger: payee x instead of b'],
  ['window', { windowId: 2 }, 'transfer a differs from the ledger: window 2 instead of 1'],
  [
    'fulfilment',
    { fulfilment: 'x' },
    'transfer a has another fulfilment than the evidence in the ledger',
  ],
  [
    'end, though its id is posted for it',
    { state: 'ABORTED', reason: 'MISMATCH' },
    'transfer a is aborted for MISMATCH, but the ledger holds it as POSTED',
  ],
]

test.each(planted)('A transfer with another %s is found', async (_, change, sentence) => {
  ledger.set('a', 'POSTED')
  states.set('a', 'COMMITTED')
  expect(await verify(sources, 1)).toMatchObject({ clean: true })
  changes.set('a', change)
  expect(await verify(sources, 1)).toMatchObject({ clean: false, differences: [sentence] })
})

test('An aborted transfer without a line in settlements is found', async () => {
  ledger.set('a', 'VOIDED')
  states.set('a', 'ABORTED')
  expect(await verify(sources, 1)).toMatchObject({ clean: true })
  lost.add('a')
  expect(await verify(sources, 1)).toMatchObject({
    clean: false,
    differences: ['transfer a is ABORTED, but settlements has no line of it'],
  })
})

test('An id that the ledger used for funds is not a transfer of the ledger', async () => {
  ledger.set('funds1', 'POSTED')
  states.set('funds1', 'COMMITTED').set('x', 'COMMITTED')
  ledger.delete('funds1')
  onRead = () => ledger.set('funds1', 'POSTED')
  const { differences } = await verify(sources, 1)
  expect(differences).toContain('transfer funds1 is COMMITTED, but the ledger has no entry of it')
})

test('Differences within the ledger are reported first', async () => {
  booksWrong = ['account 3 differs from its journal']
  states.set('a', 'COMMITTED')
  const { clean, differences } = await verify(sources, 1)
  expect(clean).toBe(false)
  expect(differences[0]).toBe('account 3 differs from its journal')
  expect(differences).toHaveLength(2)
})

test('A bulk transfer whose counts differ from its items is a difference', async () => {
  bulksWrong = ['bulk transfer b counts 1 open; its items are 0 open']
  expect(await verify(sources, 1)).toMatchObject({ clean: false, differences: bulksWrong })
})

test('A consent without proof and a transaction without its message are differences', async () => {
  consentsWrong = ['consent c is ISSUED, but its registration does not prove its credential']
  begunWrong = ["third-party transaction t is FAILED, but its FSP's messages say otherwise"]
  expect(await verify(sources, 1)).toMatchObject({
    clean: false,
    differences: [...consentsWrong, ...begunWrong],
  })
})
