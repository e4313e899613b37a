/** What the flags and settings of `npm start` do, and a second start beside a running hub. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePorts, startHub } from './hub/hub-process.ts'
import { openNpmRunner, summaryOf, type NpmRunner } from './hub/npm-runner.ts'

let runner: NpmRunner

beforeAll(async () => {
  runner = await openNpmRunner()
})

afterAll(() => runner.close())

test.each([
  ['bearer tokens', { EDGE_IDENTITY: 'token' }],
  [
    'no authentication and no signatures',
    { EDGE_IDENTITY: 'header', EDGE_TLS: 'off', JWS_VERIFY: 'off', JWS_SIGN: 'off' },
  ],
])(
  'A payment with %s is made by npm start as well',
  async (_how, settings) => {
    expect(summaryOf(await runner.npmStart(['--once', '--json'], settings))).toMatchObject({
      ok: true,
    })
  },
  120_000,
)

test('--pisp links an account with a FIDO key and pays from it', async () => {
  const run = await runner.npmStart(['--once', '--json', '--pisp'])
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
    urls: { lemonpay: `http://127.0.0.1:${runner.sandboxPorts['lemonpay']}` },
  })
  expect(run.code).toBe(0)
  expect(run.stdout).toContain('lemonpay linked greenbank.12025550101.everyday with a FIDO key')
}, 120_000)

test('--bulk pays 1,000 people at two FSPs, and prints its progress', async () => {
  // On a busy machine 1,000 payments take longer than the sandbox's 15 s.
  const settings = { SANDBOX_VALIDITY_MS: '60000' }
  const run = await runner.npmStart(['--once', '--json', '--bulk', '--fresh'], settings)
  expect([run.code, run.stderr]).toEqual([0, ''])
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
    urls: { amberpay: `http://127.0.0.1:${runner.sandboxPorts['amberpay']}` },
  })
  expect(run.code).toBe(0)
  expect(run.stdout).toContain('1000 looked up, 1000 quoted, 1000 sent, 1000 paid, 0 failed')
}, 120_000)

test('Without --json, --once prints the outcome of the payment and nothing else', async () => {
  const run = await runner.npmStart(['--once', '--fresh'])
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(run.stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^greenbank paid bluewallet 10 USD in [\d.]+ ms: COMMITTED\.$/),
    expect.stringMatching(/^ {2}lookup /),
    expect.stringMatching(/^ {2}quote /),
    expect.stringMatching(/^ {2}transfer /),
    '  greenbank  position 0 → 10',
    '  bluewallet position 0 → -10',
  ])
}, 120_000)

test('--fresh starts without the data of earlier starts', async () => {
  const summary = summaryOf(await runner.npmStart(['--once', '--json', '--fresh']))
  expect(summary.balances.before['greenbank']).toEqual({ position: 0, settlement: -10000 })
}, 120_000)

test('A second hub on a DATA_DIR refuses to start and changes nothing, and after kill -9 the next one recovers', async () => {
  const hub = await startHub({ dataDir: runner.dataDir, settings: runner.ports })
  const second = await runner.npmStart(['--once'], { ...(await freePorts()) })
  expect(second.code).toBe(1)
  expect(second.stderr).toBe(
    `Causeway already runs on DATA_DIR ${runner.dataDir} as process ${hub.pid}.\n`,
  )

  await hub.kill()
  const summary = summaryOf(await runner.npmStart(['--once', '--json']))
  expect(summary.balances.before['greenbank']).toEqual({ position: 10, settlement: -10000 })
}, 90_000)
