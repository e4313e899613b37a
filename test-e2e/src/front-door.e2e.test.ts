/** `npm start` as a person meets it: it pays, it remembers, and it says in a sentence what is wrong. */
import { eventually } from '@causeway/runtime/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort, freePorts, newDataDir, removeDataDir, startHub } from './hub/hub-process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Summary {
  readonly ok: boolean
  readonly state: string
  readonly transferId: string
  readonly amount: string
  readonly currency: string
  readonly ms: Readonly<Record<'lookup' | 'quote' | 'transfer' | 'total', number>>
  readonly balances: Readonly<
    Record<'before' | 'after', Readonly<Record<string, { position: number; settlement: number }>>>
  >
  readonly urls: Readonly<Record<string, string>>
}

let dataDir: string
let ports: Readonly<Record<string, string>>

beforeAll(async () => {
  dataDir = await newDataDir()
  ports = {
    ...(await freePorts()),
    SANDBOX_GREENBANK_PORT: await freePort(),
    SANDBOX_BLUEWALLET_PORT: await freePort(),
    SANDBOX_GREENBANK_TLS_PORT: await freePort(),
    SANDBOX_BLUEWALLET_TLS_PORT: await freePort(),
    SANDBOX_AMBERPAY_PORT: await freePort(),
    SANDBOX_AMBERPAY_TLS_PORT: await freePort(),
    SANDBOX_LEMONPAY_PORT: await freePort(),
    SANDBOX_LEMONPAY_TLS_PORT: await freePort(),
  }
  // What is stale is built here, so that no test meets the words that go with it.
  await npmStart(['--help'])
}, 240_000)

afterAll(() => removeDataDir(dataDir))

function npmStart(flags: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  return npm(['start', '--silent', '--', ...flags], settings)
}

async function npm(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const child = spawn('npm', args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DATA_DIR: dataDir, ...ports, ...settings },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

function summaryOf({ stdout }: Run): Summary {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Summary
}

describe('npm start -- --once --json', () => {
  test('makes a payment and ends with its summary on the last line', async () => {
    const run = await npmStart(['--once', '--json'])
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
  }, 60_000)

  test('a second start remembers the first', async () => {
    const summary = summaryOf(await npmStart(['--once', '--json']))
    expect(summary.balances.before['greenbank']).toEqual({ position: 10, settlement: -10000 })
    expect(summary.balances.after['bluewallet']).toEqual({ position: -20, settlement: -10000 })
  }, 60_000)

  test.each([
    ['bearer tokens', { EDGE_IDENTITY: 'token' }],
    [
      'nothing proven and nothing signed',
      { EDGE_IDENTITY: 'header', EDGE_TLS: 'off', JWS_VERIFY: 'off', JWS_SIGN: 'off' },
    ],
  ])(
    'with %s it pays as well',
    async (_how, settings) => {
      expect(summaryOf(await npmStart(['--once', '--json'], settings))).toMatchObject({ ok: true })
    },
    60_000,
  )

  test('--pisp links an account with a FIDO key and pays from it', async () => {
    const run = await npmStart(['--once', '--json', '--pisp'])
    const summary: unknown = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '')
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown
    expect(summary).toMatchObject({
      ok: true,
      state: 'COMPLETED',
      consentId: id,
      transactionRequestId: id,
      transferId: id,
      account: 'greenbank.12025550101.everyday',
      amount: '10',
      currency: 'USD',
      ms: { link: expect.any(Number), payment: expect.any(Number) },
      urls: { lemonpay: `http://127.0.0.1:${ports['SANDBOX_LEMONPAY_PORT']}` },
    })
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('lemonpay linked greenbank.12025550101.everyday with a FIDO key')
  }, 60_000)

  test('--bulk pays 1,000 people at two FSPs, and says how far it is', async () => {
    const run = await npmStart(['--once', '--json', '--bulk', '--fresh'])
    const summary: unknown = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '')
    const bulkTransferId = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown
    const bulk = { bulkTransferId, state: 'COMPLETED', failed: 0 }
    expect(summary).toMatchObject({
      ok: true,
      bulks: [
        { ...bulk, payeeFsp: 'bluewallet', committed: 600 },
        { ...bulk, payeeFsp: 'amberpay', committed: 400 },
      ],
      amount: '5',
      currency: 'USD',
      ms: expect.any(Number),
      balances: {
        after: {
          greenbank: { position: 5000 },
          bluewallet: { position: -3000 },
          amberpay: { position: -2000 },
        },
      },
      urls: { amberpay: `http://127.0.0.1:${ports['SANDBOX_AMBERPAY_PORT']}` },
    })
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('1000 looked up, 1000 quoted, 1000 paid, 0 failed')
  }, 120_000)

  test('--fresh begins anew', async () => {
    const summary = summaryOf(await npmStart(['--once', '--json', '--fresh']))
    expect(summary.balances.before['greenbank']).toEqual({ position: 0, settlement: -10000 })
  }, 60_000)
})

describe('while a hub runs on the same DATA_DIR', () => {
  test('a second one says so and touches nothing; after kill -9 the next one recovers', async () => {
    const hub = await startHub({ dataDir, settings: ports })
    const second = await npmStart(['--once'], { ...(await freePorts()) })
    expect(second.code).toBe(1)
    expect(second.stderr).toBe(
      `Causeway already runs on DATA_DIR ${dataDir} as process ${hub.pid}.\n`,
    )

    await hub.kill()
    const summary = summaryOf(await npmStart(['--once', '--json']))
    expect(summary.balances.before['greenbank']).toEqual({ position: 10, settlement: -10000 })
  }, 90_000)

  test('npm run verify asks it, and without one starts its own', async () => {
    const hub = await startHub({ dataDir, settings: ports })
    const asked = await npm(['run', '--silent', 'verify'])
    expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining('clean')])
    expect(await hub.stop()).toBe(0)
    const own = await npm(['run', '--silent', 'verify'])
    expect([own.code, own.stdout]).toEqual([0, expect.stringContaining('clean')])
  }, 90_000)
})

describe('what is wrong is said in one sentence', () => {
  let taken: Server

  beforeAll(async () => {
    taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
  })

  afterAll(() => {
    taken.close()
  })

  test('a port in use is named', async () => {
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const run = await npmStart(['--once'], { FSP_PORT: String(port) })
    expect(run.code).toBe(1)
    expect(run.stderr.trim().split('\n')).toEqual([expect.stringContaining(String(port))])
  }, 60_000)

  test.each([
    ['an unknown flag', ['--nonsense'], {}, '--nonsense'],
    ['an unknown setting from a flag', ['--set', 'FSP_PROT=1'], {}, 'FSP_PROT'],
    ['an unknown setting of a service', [], { TRANSFERS_NONSENSE: '1' }, 'TRANSFERS_NONSENSE'],
    ['a value out of its bound', ['--set', 'FSP_PORT=70000'], {}, 'FSP_PORT'],
    [
      'an open door to everybody',
      ['--set', 'EDGE_IDENTITY=header', '--set', 'FSP_HOST=0.0.0.0'],
      {},
      'EDGE_IDENTITY',
    ],
  ] as const)('%s', async (_, flags, settings, name) => {
    const run = await npmStart(['--once', ...flags], settings)
    expect(run.code).toBe(1)
    expect(run.stderr.trim().split('\n')).toEqual([expect.stringContaining(name)])
  })
})

describe('the commands that people are told to paste', () => {
  let child: ChildProcess
  let printed = ''

  beforeAll(async () => {
    child = spawn('npm', ['start', '--silent'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, DATA_DIR: dataDir, ...ports },
      detached: true,
    })
    for await (const chunk of child.stdout ?? []) {
      printed += String(chunk)
      if (printed.includes('Ctrl-C stops')) break
    }
  }, 60_000)

  afterAll(async () => {
    const ended = once(child, 'exit')
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await ended
  })

  /** Runs them one after the other as a shell would: what one of them sets, the next ones know. */
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

  test('work as npm start prints them', async () => {
    const commands = printed.replaceAll('\\\n', ' ').match(/^ *(curl|TOKEN=) ?.*$/gm) ?? []
    // That the FSPs were pinged back is told half a second later, and nobody pastes so fast.
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

  test('work as the README has them', async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const ported = readme
      .replaceAll(':4301', `:${ports['SANDBOX_GREENBANK_PORT'] ?? ''}`)
      .replaceAll(':4100', `:${ports['OPERATOR_PORT'] ?? ''}`)
      .replaceAll(':4190', `:${ports['METRICS_PORT'] ?? ''}`)
      .replaceAll('.data/', `${dataDir}/`)
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
  const run = await npmStart(['--print-settings'], { EXPIRY_GRACE_MS: '1500' })
  expect(run.code).toBe(0)
  const line = run.stdout.split('\n').find((each) => each.startsWith('EXPIRY_GRACE_MS'))
  expect(line).toMatch(/1500 .*ms .*1000 .*environment/)
  expect(run.stdout).toContain('FSP_PORT')
})
