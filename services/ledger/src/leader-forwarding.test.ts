import { openGrpcHost, type HandledCall, type Handlers, type OpenGrpcHost } from '@causeway/grpc'
import { isOutage, openLog, Outage } from '@causeway/process'
import { ledgerService } from '@causeway/protos'
import { afterEach, expect, test } from '@jest/globals'
import {
  openLeaderForwarding,
  type LeaderForwarding,
  type LeaderForwardingParts,
} from './leader/forwarding.ts'

type Ledger = Handlers<typeof ledgerService>

const log = openLog({ name: 'test', level: 'silent' })
const nothing = () => Promise.reject(new Error('not called'))
const stranger: HandledCall = {
  signal: new AbortController().signal,
  left_ms: () => 30_000,
  callers: ['transfers'],
}
const replica: HandledCall = { ...stranger, callers: ['participant-lifecycle'] }
const answers = () => Promise.resolve()
const opened: OpenGrpcHost[] = []

afterEach(async () => {
  for (const host of opened.splice(0)) await host.stop()
})

const windows = { one: 1, two: 2, three: 3 }

/** A replica whose answers carry its name, or its window. */
function ledgerOf(name: keyof typeof windows): Ledger {
  const answer = () =>
    Promise.resolve({ outcome: 'ROTATED' as const, nets: [], nextWindowId: windows[name] })
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
    SetModelRule: nothing,
    ListModelRules: nothing,
    SetInterchangeFee: (_, { left_ms }) =>
      Promise.resolve({ refusal: { reason: 'INVALID', detail: `${name}: ${left_ms()}` } }),
    VerifyLedger: () => Promise.resolve({ accountsCompared: '1', differences: [name] }),
  }
}

async function openReplica(
  name: keyof typeof windows,
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
    const { nextWindowId } = await two.ledger.RotateSettlementWindow(rotation, stranger)
    expect(nextWindowId).toBe(windows.one)
  }
  expect(finds()).toBe(1)
  const { differences } = await two.ledger.VerifyLedger({}, stranger)
  expect(differences).toEqual(['two'])
})

test('The writer may take as long as the caller of the replica waits', async () => {
  const { two } = await openBoth()
  const fee = { currency: 'USD', rule: null }
  const { refusal } = await two.ledger.SetInterchangeFee(fee, stranger)
  const [writer, left_ms] = refusal?.detail.split(': ') ?? []
  expect(writer).toBe('one')
  expect(Number(left_ms)).toBeGreaterThan(10_000)
  expect(Number(left_ms)).toBeLessThanOrEqual(30_000)
})

test('A forwarded call is not forwarded again', async () => {
  const { two } = await openBoth()
  const { nextWindowId } = await two.ledger.RotateSettlementWindow(rotation, replica)
  expect(nextWindowId).toBe(windows.two)
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
  expect((await two.ledger.RotateSettlementWindow(rotation, stranger)).nextWindowId).toBe(
    windows.two,
  )
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
