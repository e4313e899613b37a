import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const hooks = './libs/tooling/src/jest/hooks.mjs'

/** The last line that the simulation writes. */
function summaryOf(seed: number, ...flags: readonly string[]): Promise<string> {
  const options = [
    '--conditions=source',
    '--disable-warning=ExperimentalWarning',
    '--import',
    hooks,
  ]
  const args = [
    'test-e2e/simulation/src/main.ts',
    '--seed',
    String(seed),
    '--histories',
    '2',
    ...flags,
  ]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...options, ...args], { cwd: root }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout.trim().split('\n').at(-1) ?? '')
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
    })
  })
}

test('The same seed gives the same bytes of SQL in and out, and another seed gives others', async () => {
  // Alone, since it may have to make the database of the scheme.
  const first = await summaryOf(5)
  const [again, other] = await Promise.all([summaryOf(5), summaryOf(6)])
  expect(first).toMatch(
    /^histories \d+, transfers \d+, links \d+, faults \d+, seed 5, digest [0-9a-f]{64}$/,
  )
  expect(again).toBe(first)
  expect(other.slice(-64)).not.toBe(first.slice(-64))
}, 180_000)

test('The same holds for replicas over Kafka', async () => {
  const first = await summaryOf(5, '--distributed')
  const [again, other] = await Promise.all([
    summaryOf(5, '--distributed'),
    summaryOf(6, '--distributed'),
  ])
  expect(first).toMatch(/^histories 3, .* digest [0-9a-f]{64}$/)
  expect(again).toBe(first)
  expect(other.slice(-64)).not.toBe(first.slice(-64))
}, 180_000)
