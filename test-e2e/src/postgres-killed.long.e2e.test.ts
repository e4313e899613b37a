/**
 * PostgreSQL fails under a running hub: it is killed with all its processes, the closest simulation
 * of a power loss for a process, or it is frozen. The hub exits with a message and the exit code
 * for which a supervisor restarts it, and the next start has every acknowledged message.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Fsp, Received } from './fsp/fsp.ts'
import {
  freePorts,
  newDataDir,
  removeDataDir,
  startHub,
  type HubProcess,
} from './hub/hub-process.ts'
import { joinScheme } from './operator/join.ts'
import { openScheme, operatorAt, position, type Operator } from './operator/operator.ts'
import { insecureSettings } from './hub/scheme.ts'
import { committed, newTransfer, type Transfer, type TransferRequest } from './fsp/transfer.ts'

const exit_code_broken = 70

let dataDir: string
let settings: Readonly<Record<string, string>>
let hub: HubProcess
let operator: Operator
let payer: Fsp
let payee: Fsp
const sent = new Map<string, Transfer>()

beforeAll(async () => {
  dataDir = await newDataDir()
  settings = { ...(await freePorts()), ...insecureSettings, LOG_LEVEL: 'warn', WATCHDOG_MS: '3000' }
  hub = await startHub({ dataDir, settings })
  operator = operatorAt(hub.urls.operator, hub.passwordFile)
  await openScheme(operator)
  const access = { operator, fspUrl: () => hub.urls.fsp, isSafe: false }
  payer = await joinScheme(access, 'greenbank', { funds: '1000000', netDebitCap: '1000000' })
  payee = await joinScheme(access, 'bluewallet')
  payee.answerWith((message) => {
    if (message.method !== 'POST') return 200
    const transfer = sent.get((message.json() as TransferRequest).transferId)
    if (transfer !== undefined) void answer(transfer)
    return 202
  })
})

afterAll(async () => {
  await hub.stop()
  await Promise.all([payer.stop(), payee.stop()])
  await removeDataDir(dataDir)
})

/** Repeats until the hub has accepted it, as an FSP does. */
async function answer(transfer: Transfer): Promise<void> {
  for (;;) {
    const path = `/transfers/${transfer.transferId}`
    const response = await payee.send('PUT', path, committed(transfer)).catch(() => undefined)
    if (response?.status === 200) return
    await delay(50)
  }
}

/** PostgreSQL and every process that it has started. */
function postgresProcesses(): readonly number[] {
  const pidFile = readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8')
  const postmaster = Number(pidFile.split('\n')[0])
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === postmaster
    } catch {
      return false
    }
  })
  return [postmaster, ...children.map(Number)]
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended by itself.
    }
  }
}

/** Pays at about this rate until stopped; resolves with the transfers that the hub has accepted. */
function payContinuously(per_second: number): () => Promise<ReadonlySet<string>> {
  const accepted = new Set<string>()
  const over = new AbortController()
  async function pay(): Promise<void> {
    const transfer = newTransfer(payer, payee, { amount: '1', expires_ms: 30_000 })
    sent.set(transfer.transferId, transfer)
    const response = await payer.send('POST', '/transfers', transfer.request).catch(() => undefined)
    if (response?.status === 202) accepted.add(transfer.transferId)
  }
  const paying = (async () => {
    for (; !over.signal.aborted; await delay(1_000 / per_second)) void pay()
  })()
  return async () => {
    over.abort()
    await paying
    return accepted
  }
}

const transferIdOf = ({ path }: Received) => path.split('/')[2] ?? ''

function outcomes(): ReadonlyMap<string, Received> {
  const ends = payer.received.filter(({ method }) => method === 'PUT')
  return new Map(ends.map((message) => [transferIdOf(message), message]))
}

async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  what: () => string,
): Promise<void> {
  const late = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > late) throw new Error(what())
    await delay(50)
  }
}

/** Checks that every accepted transfer has an outcome, and that the ledger agrees. */
async function expectAllOf(accepted: ReadonlySet<string>): Promise<void> {
  const missing = () => [...accepted].filter((id) => !outcomes().has(id))
  await waitUntil(
    () => missing().length === 0,
    () => `accepted without an outcome: ${missing().join(', ')}`,
  )
  const paid = () => [...outcomes().values()].filter(({ path }) => !path.endsWith('/error')).length
  await waitUntil(
    async () => (await position(operator, payer.name)) === paid(),
    () => `the payer received the outcome of ${paid()} payments, and its position differs`,
  )
  expect(paid()).toBeGreaterThan(accepted.size / 2)
  const verified = (await operator.call('POST', '/verify')).json
  expect(verified).toMatchObject({ clean: true, differences: [] })
}

test('When PostgreSQL is killed with all its processes, the hub exits with 70 and loses nothing that it accepted', async () => {
  const accepted = new Set<string>()
  for (let kills = 0; kills < 3; kills++) {
    const stopPaying = payContinuously(60)
    await waitUntil(
      () => outcomes().size > accepted.size + 20,
      () => 'no payments are made',
    )
    signalAll(postgresProcesses(), 'SIGKILL')
    expect(await hub.exited).toBe(exit_code_broken)
    expect(hub.errors()).toMatch(/^(PostgreSQL ended|The connection to PostgreSQL).*\n$/)
    hub = await startHub({ dataDir, settings })
    for (const id of await stopPaying()) accepted.add(id)
  }
  await expectAllOf(accepted)
}, 120_000)

test('When PostgreSQL is frozen, no event is processed, the hub exits with 70, and nothing is lost', async () => {
  const before = outcomes().size
  const stopPaying = payContinuously(60)
  await waitUntil(
    () => outcomes().size > before + 20,
    () => 'no payments are made',
  )
  const frozen = postgresProcesses()
  signalAll(frozen, 'SIGSTOP')
  expect(await hub.exited).toBe(exit_code_broken)
  expect(hub.errors()).toMatch(
    /^No event was processed for \d+.* ms though there is work; stopping\.\n$/,
  )
  signalAll(frozen, 'SIGCONT')
  hub = await startHub({ dataDir, settings })
  await expectAllOf(await stopPaying())
}, 120_000)
