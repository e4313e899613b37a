/**
 * The sandbox FSPs and their onboarding as the compose file and the chart run them: a payment, a
 * payment of a PISP, and payrolls.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { request } from 'undici'
import { position } from './operator/operator.ts'
import { openSandbox, type Sandbox } from './hub/sandbox.ts'
import { programHost, shareSafeScheme, type Scheme } from './hub/scheme.ts'

interface Payroll {
  readonly ok: boolean
  readonly bulks: readonly { readonly bulkTransferId: string; readonly committed: number }[]
  readonly failures: Readonly<Record<string, number>>
}

let scheme: Scheme
let sandbox: Sandbox

beforeAll(async () => {
  scheme = await shareSafeScheme()
  sandbox = await openSandbox(scheme, await programHost())
}, 240_000)

afterAll(async () => {
  await (sandbox as Sandbox | undefined)?.stop()
  await (scheme as Scheme | undefined)?.stop()
})

async function payroll(order: object): Promise<Payroll> {
  const { body } = await request(`${sandbox.greenbank}/payrolls`, {
    method: 'POST',
    body: JSON.stringify({ currency: 'USD', ...order }),
  })
  const lines = (await body.text()).trim().split('\n')
  return JSON.parse(lines.at(-1) ?? '') as Payroll
}

const positions = async () => ({
  greenbank: await position(scheme.operator, 'greenbank'),
  bluewallet: await position(scheme.operator, 'bluewallet'),
  amberpay: await position(scheme.operator, 'amberpay'),
})

test('The onboarding brings the sandbox in, and each of its three ways of paying moves the money', async () => {
  const { code, lines } = await sandbox.onboard()
  const summary: unknown = JSON.parse(lines.at(-1) ?? '')
  expect(summary).toMatchObject({
    ok: true,
    state: 'COMMITTED',
    thirdParty: { ok: true, state: 'COMPLETED' },
    payroll: {
      ok: true,
      bulks: [
        { payeeFsp: 'bluewallet', state: 'COMPLETED', committed: 60, failed: 0 },
        { payeeFsp: 'amberpay', state: 'COMPLETED', committed: 40, failed: 0 },
      ],
    },
  })
  expect(code).toBe(0)
  expect(lines).toContain('  100 looked up, 100 quoted, 100 sent, 100 paid, 0 failed')
  expect(await positions()).toEqual({ greenbank: 120, bluewallet: -80, amberpay: -40 })
}, 240_000)

test('A payroll pays so many people at several FSPs, and the operator sees its bulks', async () => {
  const before = await positions()
  const { ok, bulks } = await payroll({ people: 10, amount: '2' })
  expect(ok).toBe(true)
  expect(await positions()).toEqual({
    greenbank: before.greenbank + 20,
    bluewallet: before.bluewallet - 12,
    amberpay: before.amberpay - 8,
  })
  const shown = bulks.map(({ bulkTransferId }) =>
    scheme.operator.call('GET', `/bulkTransfers/${bulkTransferId}`),
  )
  expect((await Promise.all(shown)).map(({ json }) => json)).toMatchObject([
    { payeeFsp: 'bluewallet', state: 'COMPLETED', items: 6, committed: 6, open: 0 },
    { payeeFsp: 'amberpay', state: 'COMPLETED', items: 4, committed: 4, open: 0 },
  ])
}, 90_000)

test('A payroll whose payees are refused moves no money and counts why', async () => {
  const before = await positions()
  const { ok, failures } = await payroll({ people: 5, amount: '2', payeeDoes: 'reject' })
  expect([ok, failures]).toEqual([false, { 'transfer 5104': 5 }])
  expect(await positions()).toEqual(before)
}, 90_000)

test('The onboarding of a sandbox that is there already changes no participant and pays again', async () => {
  const before = await positions()
  const { code, lines } = await sandbox.onboard()
  expect({ code, lines }).toMatchObject({ code: 0 })
  expect((await positions()).greenbank).toBe(before.greenbank + 120)
}, 240_000)
