/** The messages of `npm start` when something is wrong, and the commands that it prints. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openNpmRunner, projectFolder, type NpmRunner } from './hub/npm-runner.ts'

let runner: NpmRunner

beforeAll(async () => {
  runner = await openNpmRunner()
})

afterAll(() => runner.close())

describe('Errors of npm start', () => {
  let taken: Server

  beforeAll(async () => {
    taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
  })

  afterAll(() => {
    taken.close()
  })

  test('A port in use is named by npm start in one sentence', async () => {
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const run = await runner.npmStart(['--once'], { FSP_PORT: String(port) })
    expect(run.code).toBe(1)
    expect(run.stderr.trim().split('\n')).toEqual([expect.stringContaining(String(port))])
  }, 120_000)

  test.each([
    ['an unknown flag', ['--nonsense'], {}, '--nonsense'],
    ['an unknown setting from a flag', ['--set', 'FSP_PROT=1'], {}, 'FSP_PROT'],
    ['an unknown setting of a service', [], { TRANSFERS_NONSENSE: '1' }, 'TRANSFERS_NONSENSE'],
    ['a value out of its bound', ['--set', 'FSP_PORT=70000'], {}, 'FSP_PORT'],
    [
      'an insecure mode on every address',
      ['--set', 'EDGE_IDENTITY=header', '--set', 'FSP_HOST=0.0.0.0'],
      {},
      'EDGE_IDENTITY',
    ],
    [
      'plain http for operators on every address',
      ['--no-sandbox', '--set', 'OPERATOR_HOST=0.0.0.0'],
      {},
      'OPERATOR_TLS',
    ],
    [
      'a sandbox where each change needs a second person',
      ['--set', 'OPERATOR_HOST=0.0.0.0', '--set', 'OPERATOR_TLS=on'],
      {},
      'FOUR_EYES=auto',
    ],
  ] as const)(
    'The errors of npm start name %s in one sentence',
    async (_, flags, settings, name) => {
      const run = await runner.npmStart(['--once', ...flags], settings)
      expect(run.code).toBe(1)
      expect(run.stderr.trim().split('\n')).toEqual([expect.stringContaining(name)])
    },
  )
})

test('A hub whose operators come from anywhere has a second administrator, who approves', async () => {
  const flags = ['--set', 'OPERATOR_HOST=0.0.0.0', '--set', 'OPERATOR_TLS=on']
  const run = await runner.npmStart(['--no-sandbox', '--once', ...flags])
  expect(run).toMatchObject({ code: 0, stderr: '' })
  const file = join(runner.dataDir, 'secrets', 'administrator2', 'administrator2-password')
  const password = readFileSync(file, 'utf8')
  expect(password.trim()).toMatch(/^[\w-]{20}$/u)
})

describe('Commands for users to paste', () => {
  let child: ChildProcess
  let printed = ''

  beforeAll(async () => {
    child = spawn('npm', ['start', '--silent'], {
      cwd: projectFolder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, DATA_DIR: runner.dataDir, ...runner.ports },
      detached: true,
    })
    for await (const chunk of child.stdout ?? []) {
      printed += String(chunk)
      if (printed.includes('Ctrl-C stops')) break
    }
  }, 120_000)

  afterAll(async () => {
    const ended = once(child, 'exit')
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await ended
  })

  /**
   * Runs them one after the other as a shell would: variables that one sets are known to the next
   * ones.
   */
  async function paste(commands: readonly string[]): Promise<readonly string[]> {
    const outputs: string[] = []
    let token = ''
    for (const command of commands) {
      const isLogIn = command.trim().startsWith('TOKEN=')
      const env = { ...process.env, TOKEN: token }
      const line = isLogIn ? `${command}; printf %s "$TOKEN"` : command
      const { stdout } = await promisify(execFile)('sh', ['-c', line], { env })
      if (isLogIn) {
        token = stdout
        continue
      }
      outputs.push(stdout)
    }
    return outputs
  }

  test('The commands that npm start prints work', async () => {
    const commands = printed.replaceAll('\\\n', ' ').match(/^ *(curl|TOKEN=) ?.*$/gm) ?? []
    // That the FSPs answered their ping is reported half a second later, and no user pastes so
    // fast.
    const [payment, question, readiness, accounts] = await eventually(async () => {
      const outputs = await paste(commands)
      return outputs[2]?.includes('"ready":true') === true ? outputs : undefined
    }, 'an FSP that is ready')
    expect(JSON.parse(payment ?? '')).toMatchObject({ state: 'COMMITTED' })
    expect(question).toMatch(/^HTTP\/1.1 202 /)
    expect(JSON.parse(readiness ?? '')).toMatchObject({ ready: true })
    expect(JSON.parse(accounts ?? '')).toContainEqual(
      expect.objectContaining({ ledgerAccountType: 'SETTLEMENT', value: -10000 }),
    )
  })

  test('The commands in the README work', async () => {
    const readme = readFileSync(join(projectFolder, 'README.md'), 'utf8')
    const ported = readme
      .replaceAll(':4301', `:${runner.sandboxPorts['greenbank'] ?? ''}`)
      .replaceAll(':4100', `:${runner.ports['OPERATOR_PORT'] ?? ''}`)
      .replaceAll(':4190', `:${runner.ports['METRICS_PORT'] ?? ''}`)
      .replaceAll('.data/', `${runner.dataDir}/`)
    const [payment, readiness, accounts, ready] = await paste(
      ported.match(/^(curl|TOKEN=) ?.*$/gm) ?? [],
    )
    expect(JSON.parse(payment ?? '')).toMatchObject({ state: 'COMMITTED' })
    expect(JSON.parse(readiness ?? '')).toMatchObject({ ready: true })
    expect(accounts).toContain('POSITION')
    expect(JSON.parse(ready ?? '')).toMatchObject({ ok: true })
  })
})

test('--print-settings lists every setting with its origin and starts nothing', async () => {
  const run = await runner.npmStart(['--print-settings'], { EXPIRY_GRACE_MS: '1500' })
  expect(run.code).toBe(0)
  const line = run.stdout.split('\n').find((each) => each.startsWith('EXPIRY_GRACE_MS'))
  expect(line).toMatch(/1500 .*ms .*1000 .*environment/)
  expect(run.stdout).toContain('FSP_PORT')
})
