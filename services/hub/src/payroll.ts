/** A payroll: greenbank pays people at two FSPs, in one bulk each. */
import { createInterface } from 'node:readline'
import { request } from 'undici'
import { readBalances, type Balances } from './onboarding.ts'
import type { Operator } from './operator.ts'
import { post, type Urls } from './payment.ts'
import type { SandboxFsp } from './sandbox-fsps.ts'

export interface PayrollSummary extends Payroll {
  readonly urls: Urls
}

export interface Payroll {
  /** True when every payee was paid. */
  readonly ok: boolean
  readonly bulks: readonly PayrollBulk[]
  readonly amount: string
  readonly currency: string
  readonly ms: number
  readonly balances: { readonly before: Balances; readonly after: Balances }
  /** How many payments failed, by reason; absent when none did. */
  readonly failures?: Readonly<Record<string, number>>
}

interface PayrollBulk {
  readonly bulkTransferId: string
  readonly bulkQuoteId: string
  readonly payeeFsp: string
  readonly state: string
  readonly committed: number
  readonly failed: number
}

interface Progress {
  readonly lookedUp: number
  readonly quoted: number
  readonly sent: number
  readonly committed: number
  readonly failed: number
}

/** The sandbox FSP's answer to POST /payrolls: progress lines, then the outcome. */
type PayrollLine = { readonly progress: Progress } | PayrollOutcome

interface PayrollOutcome {
  readonly ok: boolean
  readonly bulks: readonly PayrollBulk[]
  readonly failures: Readonly<Record<string, number>>
  readonly ms: number
}

export interface PayrollOrder {
  /** How many are paid, at most 1,000. */
  readonly people: number
  /** For each of them, in USD. */
  readonly amount: string
}

const currency = 'USD'

type Reached = Pick<SandboxFsp, 'name' | 'url'>

/** All FSPs ping the hub first. `onProgress` is called with each progress line. */
export async function makePayroll(
  operator: Operator,
  fsps: readonly [payer: Reached, ...payees: Reached[]],
  { people, amount }: PayrollOrder,
  onProgress: (sentence: string) => void,
): Promise<Payroll> {
  const [payer] = fsps
  await Promise.all(fsps.map(({ url }) => post(`${url}/ping`)))
  const before = await readBalances(operator, fsps)
  const answer = await request(`${payer.url}/payrolls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount, currency, people }),
  })
  let outcome: PayrollOutcome | undefined
  for await (const text of createInterface({ input: answer.body })) {
    const line = JSON.parse(text) as PayrollLine
    if ('progress' in line) onProgress(sentenceOf(line.progress))
    else outcome = line
  }
  if (outcome?.bulks === undefined) throw new Error(`${payer.name} could not pay its people`)
  const { ok, bulks, failures, ms } = outcome
  const balances = { before, after: await readBalances(operator, fsps) }
  return { ok, bulks, amount, currency, ms, balances, ...(ok ? {} : { failures }) }
}

function sentenceOf({ lookedUp, quoted, sent, committed, failed }: Progress): string {
  return `  ${lookedUp} looked up, ${quoted} quoted, ${sent} sent, ${committed} paid, ${failed} failed`
}

/** Describes the payroll as text. */
export function describePayroll({ bulks, amount, ms, failures, balances }: Payroll): string {
  const paid = bulks.reduce((sum, { committed }) => sum + committed, 0)
  const { before, after } = balances
  const position = (name: string) =>
    `  ${name.padEnd(10)} position ${before[name]?.position} → ${after[name]?.position}`
  return [
    `greenbank paid ${paid} people ${amount} ${currency} each in ${ms} ms, in bulk.`,
    ...bulks.map(
      ({ bulkTransferId, payeeFsp, state, committed, failed }) =>
        `  ${payeeFsp.padEnd(10)} ${state}: ${committed} paid, ${failed} failed; bulk transfer ${bulkTransferId}`,
    ),
    ...(failures === undefined ? [] : [`  failed: ${JSON.stringify(failures)}`]),
    ...Object.keys(after).map(position),
    '',
  ].join('\n')
}
