import {
  ledgerService,
  settlementReportsService,
  transfersService,
  type LedgerEntry,
  type TransferState,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { connect, type Upstream } from '../upstream.ts'
import { verify } from './verify.ts'

/** The two sides, each with what it says to every reader after the first few. */
const ledger = new Map<string, string>()
const states = new Map<string, string>()
let booksWrong: string[] = []
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

function entry([id, outcome]: readonly [string, string]): LedgerEntry {
  return {
    id,
    kind: id.startsWith('funds') ? 'FUNDS_IN' : 'TRANSFER',
    outcome,
    reason: '',
    amount: '1',
    currency: 'USD',
    payerFsp: 'a',
    payeeFsp: 'b',
    expiresAt: '',
    createdAt: '',
    completedAt: '',
    evidence: Buffer.alloc(0),
    settlementModelId: 0,
    settles: 'NET',
    windowId: 0,
  }
}

function transfer([id, state]: readonly [string, string]): TransferState {
  return { id, state, reason: '', expiresAt: '' }
}

const notAsked = () => Promise.reject(new Error('nobody asks this'))

beforeAll(async () => {
  parts = await openTestParts()
  parts.grpc.serve(ledgerService, {
    ProcessTransferPrepare: notAsked,
    ProcessTransferFulfil: notAsked,
    ProcessTransferRelease: notAsked,
    ListOverdueReservations: notAsked,
    GetLedgerRecord: notAsked,
    RotateSettlementWindow: notAsked,
    ListWindowFees: notAsked,
    PostSettlementEntries: notAsked,
    SetInterchangeFee: notAsked,
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
    GetTransferActivity: notAsked,
  })
  parts.grpc.serve(settlementReportsService, {
    ListSettlementTransfers: notAsked,
    ListReconciliation: notAsked,
    VerifySettlements: () => Promise.resolve({ windowsCompared: 3, differences: [] }),
  })
  sources = connect(parts.grpc)
})

afterAll(() => parts.stop())

beforeEach(() => {
  ledger.clear()
  states.clear()
  booksWrong = []
  reads = 0
  onRead = () => undefined
})

test('compares everything, however short the pages are that it gets', async () => {
  for (let n = 10; n < 30; n++) {
    ledger.set(`t${n}`, n % 2 === 0 ? 'POSTED' : 'VOIDED')
    states.set(`t${n}`, n % 2 === 0 ? 'COMMITTED' : 'ABORTED')
  }
  expect(await verify(sources, 1)).toEqual({
    clean: true,
    compared: { accounts: 7, entries: 20, transfers: 20, windows: 3 },
    differences: [],
  })
})

test('a difference that goes away while it is looked at again is none', async () => {
  ledger.set('a', 'POSTED')
  states.set('a', 'RESERVED')
  onRead = (read) => {
    if (read === 2) states.set('a', 'COMMITTED')
  }
  expect(await verify(sources, 1)).toMatchObject({ clean: true, differences: [] })
  expect(reads).toBeLessThanOrEqual(3)
})

test('a difference that stands is told after three looks', async () => {
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

test('an id that the ledger used for funds is no transfer of the ledger', async () => {
  ledger.set('funds1', 'POSTED')
  states.set('funds1', 'COMMITTED').set('x', 'COMMITTED')
  ledger.delete('funds1')
  onRead = () => ledger.set('funds1', 'POSTED')
  const { differences } = await verify(sources, 1)
  expect(differences).toContain('transfer funds1 is COMMITTED, but the ledger has no entry of it')
})

test('what is wrong in the books of the ledger is told first', async () => {
  booksWrong = ['account 3 differs from its journal']
  states.set('a', 'COMMITTED')
  const { clean, differences } = await verify(sources, 1)
  expect(clean).toBe(false)
  expect(differences[0]).toBe('account 3 differs from its journal')
  expect(differences).toHaveLength(2)
})
