/**
 * `npm run chaos`: payments go on while parts of the hub are killed, frozen, restarted and cut off
 * from each other, at random. After that, without any intervention, every accepted payment must be
 * final, the books must agree, and no work may be left. Everything is on 127.0.0.1, in containers
 * of its own, and ends by itself.
 *
 *   npm run chaos -- [--minutes 10] [--seed N] [--rate 5] [--logs FOLDER]
 *
 * It lasts at least that long: until every process has been killed and frozen, and each of the
 * other faults has been injected. Only root can give Kafka a disk of its own that is filled.
 * A failure is repeated with its seed: the same faults hit the same parts in the same order.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect, parseArgs } from 'node:util'
import { openApartHub, type ApartHub } from '../hub/apart.ts'
import { containers, openInfrastructure, type Infrastructure } from '../hub/containers.ts'
import type { Fsp } from '../fsp/fsp.ts'
import { position } from '../operator/operator.ts'
import { processNames } from '../hub/services.ts'
import { restartEnded } from '../hub/supervisor.ts'
import { newTransfer } from '../fsp/transfer.ts'
import { violationsAfter, p99_ms } from './final-checks.ts'
import { roundOfFaults, type Fault, type FaultContext } from './faults.ts'
import { openLoad } from './load.ts'
import { openRandom, type Random } from './random.ts'
import { openLinks, type Links } from './links.ts'

/** How long processes that have just started may take to warm up. */
const warm_ms = 15_000
const quiet_ms = 30_000
const between_ms = [2_000, 10_000] as const
const disk_bytes = 768 * 2 ** 20

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      rate: { type: 'string' },
      logs: { type: 'string' },
    },
  })
  const seed = Number(values.seed ?? Date.now() % 2 ** 31)
  const minutes = Number(values.minutes ?? 10)
  const per_second = Number(values.rate ?? 5)
  print(`seed ${seed}, ${minutes} minutes, ${per_second} payments begun per second`)
  const disk = mountDisk()
  const infrastructure = await openInfrastructure(disk)
  const links = openLinks()
  try {
    const host = { ...containers, reach: (name: string, port: number) => links.open(name, port) }
    const hub = await openApartHub({ LOG_LEVEL: 'info' }, host)
    try {
      await runChaos({ hub, infrastructure, links, kafkaDisk: disk }, { seed, minutes, per_second })
    } finally {
      if (values.logs !== undefined) saveLogs(hub, values.logs)
      await hub.stop()
    }
  } finally {
    links.close()
    const { postgres, kafka, redis } = infrastructure
    // A process that could not be restarted is gone already; the error that is thrown here gives
    // the reason.
    await Promise.allSettled([postgres.stop(), kafka.stop(), redis.stop()])
    if (disk !== undefined) unmountDisk(disk)
  }
}

interface Setup {
  readonly hub: ApartHub
  readonly infrastructure: Infrastructure
  readonly links: Links
  readonly kafkaDisk: string | undefined
}

interface Plan {
  readonly seed: number
  readonly minutes: number
  readonly per_second: number
}

async function runChaos(setup: Setup, { seed, minutes, per_second }: Plan): Promise<void> {
  const { hub } = setup
  const [payer, payee, silentFsp] = [
    await hub.join('greenbank'),
    await hub.join('bluewallet'),
    await hub.join('silentbank'),
  ]
  const before = { payer: payer.name, position: await position(hub.operator, payer.name) }
  const load = await openLoad({ payer, payee, per_second })
  const supervisor = restartEnded(hub, print)
  await wait(warm_ms)
  const quiet_from_ms = Date.now()
  await wait(quiet_ms)
  const faults_from_ms = Date.now()
  const context = { ...setup, silentFsp, random: openRandom(seed), ...paymentsTo(payer, silentFsp) }
  const counts = await injectFaults(context, faults_from_ms + minutes * 60_000)
  const faults_until_ms = Date.now()
  await wait(2 * quiet_ms)
  await load.stop()
  supervisor.abort()
  const violations = await violationsAfter(hub, load, before)
  for (const [name, count] of Object.entries(counts)) print(`${name.padEnd(12)}${count}`)
  print(`payments    ${load.accepted.size} accepted, ${load.ended.length} ended`)
  print(`p99 before  ${p99_ms(load.ended, quiet_from_ms, faults_from_ms) ?? '-'} ms`)
  print(`p99 during  ${p99_ms(load.ended, faults_from_ms, faults_until_ms) ?? '-'} ms`)
  print(`p99 after   ${p99_ms(load.ended, faults_until_ms + quiet_ms, Infinity) ?? '-'} ms`)
  for (const violation of violations) print(`WRONG       ${violation}`)
  print(violations.length === 0 ? 'nothing lost, duplicated or left open' : `seed ${seed}`)
  if (violations.length > 0) process.exitCode = 1
}

/**
 * Injects one fault after the other, a whole round and then until the time is over; counts each
 * kind.
 */
async function injectFaults(
  context: FaultContext,
  until_ms: number,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const { kind, inject } of faultSequence(context.random, until_ms)) {
    const what = await inject(context)
    counts[kind] = (counts[kind] ?? 0) + 1
    print(`${new Date().toISOString()} ${what}`)
    await wait(context.random.between(...between_ms))
  }
  return counts
}

function* faultSequence(random: Random, until_ms: number): Generator<Fault> {
  yield* roundOfFaults(random)
  while (Date.now() < until_ms) {
    for (const fault of roundOfFaults(random)) {
      if (Date.now() >= until_ms) return
      yield fault
    }
  }
}

function paymentsTo(payer: Fsp, silentFsp: Fsp): Pick<FaultContext, 'paySilentFsp'> {
  return {
    async paySilentFsp(count) {
      const transfers = Array.from({ length: count }, () => newTransfer(payer, silentFsp))
      await Promise.all(
        transfers.map(({ request }) =>
          payer.send('POST', '/transfers', request).catch(() => undefined),
        ),
      )
    },
  }
}

/** A disk of its own for Kafka's log, in memory; only root can mount one. */
function mountDisk(): string | undefined {
  if (process.getuid?.() !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'causeway-chaos-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${disk_bytes},mode=1777`, 'tmpfs', folder])
  return folder
}

function unmountDisk(folder: string): void {
  execFileSync('umount', [folder])
  rmdirSync(folder)
}

function saveLogs(hub: ApartHub, folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of processNames) writeFileSync(join(folder, `${name}.log`), hub.logOf(name))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

main()
  .catch((error: unknown) => {
    process.stderr.write(`${inspect(error)}\n`)
    process.exitCode = 2
  })
  // After an error payments may still be under way.
  .finally(() => process.exit())
