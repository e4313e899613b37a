import { openGrpcHost, type HandledCall, type Handlers, type OpenGrpcHost } from '@causeway/grpc'
import { isOutage, openLog, Outage } from '@causeway/process'
import { ledgerService } from '@causeway/protos'
import { afterEach, expect, test } from '@jest/globals'
import {
  openLeaderForwarding,
  type LeaderForwarding,
  type LeaderForwardingParts,
} from './leader-forwarding.ts'

type Ledger = Handlers<typeof ledgerService>

const log = openLog({ name: 'test', level: 'silent' })
const nothing = () => Promise.reject(new Error('not called'))
const stranger: HandledCall = {
  signal: new AbortController().signal,
  left_ms: () => 30_000,
  caller: 'transfers',
}
const replica: HandledCall = { ...stranger, caller: 'participant-lifecycle' }
const answers = () => Promise.resolve()
const opened: OpenGrpcHost[] = []

afterEach(async () => {
  for (const host of opened.splice(0)) await host.stop()
})

/** A replica whose answers carry its name. */
function ledgerOf(name: string): Ledger {
  const answer = () => Promise.resolve({ outcome: name, nets: [], nextWindowId: 0 })
  return {
    ProcessTransferPrepare: nothing,
    ProcessTransferFulfil: nothing,
    ProcessTransferRelease: nothing,
    GetLedgerEntries: () => Promise.resolve({ entries: [] }),
    GetLedgerRecord: nothing,
    ListTransferEntries: nothing,
    ListOverdueReservations: nothing,
    GetWholeEntries: nothing,
    ListSettlementEntries: nothing,
    GetCurrentWindow: nothing,
    RotateSettlementWindow: answer,
    ListWindowFees: nothing,
    PostSettlementEntries: nothing,
    SetInterchangeFee: (_, { left_ms }) =>
      Promise.resolve({ refusal: { reason: name, detail: String(left_ms()) } }),
    VerifyLedger: () => Promise.resolve({ accountsCompared: '1', differences: [name] }),
  }
}

async function openReplica(
  name: string,
  place: Omit<LeaderForwardingParts, 'grpc'>,
): Promise<{
  readonly host: OpenGrpcHost
  readonly ledger: Ledger
  readonly forwarding: LeaderForwarding
}> {
  const host = await openGrpcHost({ log, listen: '127.0.0.1:0' })
  opened.push(host)
  const forwarding = openLeaderForwarding({ ...place, grpc: host })
  const ledger = forwarding.toLeader(ledgerService, ledgerOf(name))
  host.serve(ledgerService, ledger)
  return { host, ledger, forwarding }
}

const rotation = { requestId: 'r', windowId: 1, nextWindowId: 2 }

async function openBoth() {
  let place: string | undefined
  let finds = 0
  const here = { two: false }
  const find = () => {
    finds++
    return Promise.resolve(place)
  }
  const one = await openReplica('one', { connection: { holdsLock: () => true, answers }, find })
  const two = await openReplica('two', { connection: { holdsLock: () => here.two, answers }, find })
  place = one.host.address
  return { one, two, here, finds: () => finds }
}

test('A replica forwards changes and answers queries itself', async () => {
  const { two, finds } = await openBoth()
  for (const _ of [1, 2, 3]) {
    const { outcome } = await two.ledger.RotateSettlementWindow(rotation, stranger)
    expect(outcome).toBe('one')
  }
  expect(finds()).toBe(1)
  const { differences } = await two.ledger.VerifyLedger({}, stranger)
  expect(differences).toEqual(['two'])
})

test('The writer may take as long as the caller of the replica waits', async () => {
  const { two } = await openBoth()
  const fee = { currency: 'USD', settlementModelId: 0, percentage: '' }
  const { refusal } = await two.ledger.SetInterchangeFee(fee, stranger)
  expect(refusal?.reason).toBe('one')
  expect(Number(refusal?.detail)).toBeGreaterThan(10_000)
  expect(Number(refusal?.detail)).toBeLessThanOrEqual(30_000)
})

test('A forwarded call is not forwarded again', async () => {
  const { two } = await openBoth()
  const { outcome } = await two.ledger.RotateSettlementWindow(rotation, replica)
  expect(outcome).toBe('two')
})

test('A writer that is gone is an outage at once, and its successor is looked up', async () => {
  const { one, two, here, finds } = await openBoth()
  await two.ledger.RotateSettlementWindow(rotation, stranger)
  await one.host.stop()
  const begin_ms = Date.now()
  const failed: unknown = await two.ledger
    .RotateSettlementWindow(rotation, stranger)
    .catch((error: unknown) => error)
  expect(isOutage(failed)).toBe(true)
  expect(Date.now() - begin_ms).toBeLessThan(1_500)
  await expect(two.forwarding.answers()).rejects.toThrow('participant-lifecycle')
  expect(finds()).toBeGreaterThan(1)
  here.two = true
  expect((await two.ledger.RotateSettlementWindow(rotation, stranger)).outcome).toBe('two')
  await two.forwarding.answers()
})

test('A replica is ready when the writer answers it, and not without a writer', async () => {
  const { two } = await openBoth()
  await two.forwarding.answers()
  const alone = await openReplica('three', {
    connection: { holdsLock: () => false, answers },
    find: () => Promise.resolve(undefined),
  })
  await expect(alone.forwarding.answers()).rejects.toThrow("no process holds the ledger's lock")
})

test('The writer is ready only while its own connection answers', async () => {
  const frozen = await openReplica('one', {
    connection: {
      holdsLock: () => true,
      answers: () => Promise.reject(new Outage('PostgreSQL has not answered')),
    },
    find: () => Promise.resolve(undefined),
  })
  await expect(frozen.forwarding.answers()).rejects.toThrow('PostgreSQL has not answered')
})
