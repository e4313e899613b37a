/** `npm start` as a new user runs it: it pays, and a second start has the data of the first. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startHub } from './hub/hub-process.ts'
import { openNpmRunner, summaryOf, type NpmRunner } from './hub/npm-runner.ts'

let runner: NpmRunner

beforeAll(async () => {
  runner = await openNpmRunner()
})

afterAll(() => runner.close())

test('One payment of npm start -- --once --json ends with its summary on the last line', async () => {
  const run = await runner.npmStart(['--once', '--json'])
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(run.stdout).toContain('greenbank paid bluewallet 10 USD')
  const summary = summaryOf(run)
  expect(summary).toMatchObject({ ok: true, state: 'COMMITTED', amount: '10', currency: 'USD' })
  const { lookup, quote, transfer, total } = summary.ms
  for (const leg of [lookup, quote, transfer]) expect(leg).toBeGreaterThan(0)
  expect(total).toBeGreaterThanOrEqual(lookup + quote + transfer - 1)
  expect(run.stdout).toContain('12025550111 is Mei Example at bluewallet')
  expect(summary.balances.before['greenbank']).toEqual({ position: 0, settlement: -10000 })
  expect(summary.balances.after['greenbank']).toEqual({ position: 10, settlement: -10000 })
  expect(summary.balances.after['bluewallet']).toEqual({ position: -10, settlement: -10000 })
}, 120_000)

test('A second start has the data of the first', async () => {
  const summary = summaryOf(await runner.npmStart(['--once', '--json']))
  expect(summary.balances.before['greenbank']).toEqual({ position: 10, settlement: -10000 })
  expect(summary.balances.after['bluewallet']).toEqual({ position: -20, settlement: -10000 })
}, 120_000)

test('A start logs no warning but that of its insecure modes', () => {
  const lines = readFileSync(join(runner.dataDir, 'causeway.log'), 'utf8').trim().split('\n')
  const logged = lines.map(
    (line) => JSON.parse(line) as { readonly level: string; readonly insecureMode?: string },
  )
  expect(logged.length).toBeGreaterThan(0)
  const warnings = logged.filter(({ level }) => level !== 'info' && level !== 'debug')
  expect(warnings.filter(({ insecureMode }) => insecureMode === undefined)).toEqual([])
})

test('The command npm run verify uses the running hub, and starts its own without one', async () => {
  const hub = await startHub({ dataDir: runner.dataDir, settings: runner.ports })
  const asked = await runner.npm(['run', '--silent', 'verify'])
  expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining('clean')])
  expect(await hub.stop()).toBe(0)
  const own = await runner.npm(['run', '--silent', 'verify'])
  expect([own.code, own.stdout]).toEqual([0, expect.stringContaining('clean')])
}, 90_000)
