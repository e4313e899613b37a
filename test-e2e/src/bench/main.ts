/**
 * `npm run bench`: how many transfers a second, how long each takes, and what one costs in CPU time,
 * on a hub of its own with fsync on. Everything it talks to is on 127.0.0.1, and it ends by itself.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newDataDir, removeDataDir, startHub, type HubProcess } from '../hub/hub-process.ts'
import { onboard, openScheme, operatorAt } from '../hub/operator.ts'
import { postmasterOf, readCpu, type CpuUse } from './cpu.ts'
import type { Command, Report, RunResult } from './messages.ts'
import { readOptions, usage, type BenchOptions } from './options.ts'
import { largestEntries } from './profile.ts'
import { printReport, type BenchReport } from './report.ts'

const funds = '100000000'

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return void process.stdout.write(usage)
  const options = readOptions(process.argv.slice(2))
  const dataDir = await newDataDir()
  const profiles = await mkdtemp(join(tmpdir(), 'causeway-profile-'))
  const hub = await startHub({
    dataDir,
    settings: { FSP_PORT: '0', OPERATOR_PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'warn' },
    nodeFlags: options.profile ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [],
  })
  const fsps = fork(fileURLToPath(new URL('./fsps.js', import.meta.url)))
  try {
    const measured = await measure(options, hub, fsps)
    const verified = await operatorAt(hub.urls.operator).call('POST', '/verify')
    await hub.stop()
    const report: BenchReport = {
      ...measured,
      verify: verified.status === 200 ? verified.json : `answered ${verified.status}`,
      profile: options.profile ? largestEntries(profiles, 12) : [],
    }
    printReport(options, report)
    if (options.profile) process.stdout.write(`profile in ${profiles}\n`)
    if (options.json !== undefined) await writeFile(options.json, JSON.stringify(report, null, 2))
    if (report.result.committed !== report.result.transfers) process.exitCode = 1
  } finally {
    fsps.disconnect()
    await hub.stop()
    await removeDataDir(dataDir)
  }
}

async function measure(
  { fsps: count, warmup, transfers, rate, load }: BenchOptions,
  hub: HubProcess,
  fsps: ChildProcess,
): Promise<{ readonly result: RunResult; readonly cpu: CpuUse }> {
  const operator = operatorAt(hub.urls.operator)
  const names = Array.from({ length: count }, (_, n) => `bench${n}`)
  const opened = await ask(fsps, { type: 'OPEN', names, hubUrl: hub.urls.fsp }, 'OPENED')
  await openScheme(operator)
  for (const name of names) {
    const fsp = { name, url: `${opened.url}/${name}` }
    await onboard(operator, fsp, { netDebitCap: funds, funds })
  }
  await ask(fsps, { type: 'RUN', transfers: warmup, rate: Math.min(rate, 200), load }, 'DONE')
  const cpuNow = () => readCpu(hub.pid, postmasterOf(hub.dataDir), fsps.pid ?? 0)
  const before = cpuNow()
  const { result } = await ask(fsps, { type: 'RUN', transfers, rate, load }, 'DONE')
  const after = cpuNow()
  return {
    result,
    cpu: {
      hub_ms: after.hub_ms - before.hub_ms,
      postgres_ms: after.postgres_ms - before.postgres_ms,
      load_ms: after.load_ms - before.load_ms,
    },
  }
}

/** Sends a command and waits for its answer, showing progress meanwhile. */
function ask<Type extends Report['type']>(
  fsps: ChildProcess,
  command: Command,
  answer: Type,
): Promise<Extract<Report, { type: Type }>> {
  return new Promise((resolve, reject) => {
    const total = command.type === 'RUN' ? command.transfers : 0
    const gone = () => reject(new Error('the process of the FSPs ended'))
    const listen = (report: Report) => {
      if (report.type === 'PROGRESS') {
        showProgress(report.finished, total)
        return
      }
      if (report.type !== answer) return
      fsps.off('message', listen).off('exit', gone)
      resolve(report as Extract<Report, { type: Type }>)
    }
    fsps.on('message', listen).on('exit', gone)
    fsps.send(command)
  })
}

function showProgress(finished: number, total: number): void {
  if (!process.stderr.isTTY) return
  const done = Math.round((finished / total) * 40)
  const bar = '#'.repeat(done).padEnd(40, '.')
  process.stderr.write(`\r${bar} ${finished}/${total}${finished + 200 > total ? '\n' : ''}`)
}

await main()
