/**
 * `npm run simulate:mutants [-- PATTERN] [--seed N] [--histories M]`: breaks the hub in one line after the
 * other, and plays histories until one is wrong. Exit 1 if a mutant survives all of them.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutants, type Mutant } from './mutants.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '1000' },
  },
})
/** A part of the name, whatever its case. */
const [pattern = ''] = positionals

interface MutantResult {
  /** Undefined: the mutant has survived. */
  readonly by: string | undefined
  readonly seconds: number
}

async function play(mutant: Mutant): Promise<MutantResult> {
  const began = performance.now()
  const args = [
    '--conditions=source',
    '--disable-warning=ExperimentalWarning',
    '--import',
    './libs/tooling/src/jest/hooks.mjs',
    '--import',
    './test-e2e/simulation/src/mutants/hooks.mjs',
    'test-e2e/simulation/src/main.ts',
    '--seed',
    values.seed,
    '--histories',
    values.histories,
    '--no-shrink',
    ...(mutant.isDistributed === true ? ['--distributed'] : []),
  ]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, SIMULATION_MUTANT: JSON.stringify(mutant) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => void lines.push(line))
  }
  const code = await new Promise((resolve) => child.on('close', resolve))
  const seconds = Math.round((performance.now() - began) / 1_000)
  if (code === 0) return { by: undefined, seconds }
  const at = lines.findIndex((line) => line.startsWith('WRONG'))
  if (at >= 0) return { by: lines.slice(at, at + 2).join(' '), seconds }
  // It has not started: nothing was played.
  throw new Error(`${mutant.name}: exit code ${String(code)}\n${lines.slice(-10).join('\n')}`)
}

let survivors = 0
const isMeant = ({ name }: Mutant) => name.toLowerCase().includes(pattern.toLowerCase())
for (const mutant of mutants.filter(isMeant)) {
  const { by, seconds } = await play(mutant)
  if (by === undefined) survivors += 1
  const what = by ?? `SURVIVES ${values.histories} histories`
  process.stdout.write(`${mutant.name} (${seconds} s)\n  ${what.slice(0, 300)}\n`)
}
process.exitCode = survivors === 0 ? 0 : 1
