/** The first payment of a start: greenbank pays bluewallet, and the outcome is printed. */
import { request } from 'undici'
import { readBalances, type Balances } from './onboarding.ts'
import type { Operator } from './operator.ts'
import type { SandboxFsp } from './sandbox-fsps.ts'

export interface PaymentSummary extends FirstPayment {
  readonly urls: Urls
}

export interface FirstPayment {
  /** True when the money moved. */
  readonly ok: boolean
  readonly state: string
  /** Absent when the payment ended before its transfer. */
  readonly transferId?: string
  readonly amount: string
  readonly currency: string
  readonly from: PartySummary
  readonly to: PartySummary
  readonly ms: Durations
  readonly balances: { readonly before: Balances; readonly after: Balances }
  /** The reason when it failed. */
  readonly error?: unknown
}

interface Durations {
  readonly lookup?: number
  readonly quote?: number
  readonly transfer?: number
  readonly total: number
}

interface PartySummary {
  readonly fspId?: string
  readonly partyIdentifier: string
  readonly name?: string
}

export interface Urls {
  readonly fsp: string
  readonly operator: string
  readonly metrics: string
  readonly greenbank?: string
  readonly bluewallet?: string
  readonly amberpay?: string
  readonly lemonpay?: string
}

/** The sandbox FSP's answer to POST /payments. */
interface PaymentAnswer {
  readonly state: string
  readonly transferId?: string
  readonly from: PartySummary
  readonly to: PartySummary
  readonly ms: Durations
  readonly error?: unknown
}

const amount = '10'
const currency = 'USD'

type Paying = Pick<SandboxFsp, 'name' | 'url'>

/** Both FSPs ping the hub first, as when joining a scheme. */
export async function makeFirstPayment(
  operator: Operator,
  fsps: readonly [payer: Paying, payee: Paying],
): Promise<FirstPayment> {
  const [payer, payee] = fsps
  await Promise.all(fsps.map(({ url }) => post(`${url}/ping`)))
  const before = await readBalances(operator, fsps)
  const payment = (await post(`${payer.url}/payments`, {
    to: payee.name,
    amount,
    currency,
  })) as PaymentAnswer
  const after = await readBalances(operator, fsps)
  const { state, transferId, from, to, ms, error } = payment
  return {
    ok: state === 'COMMITTED',
    state,
    ...(transferId === undefined ? {} : { transferId }),
    amount,
    currency,
    from,
    to,
    ms,
    balances: { before, after },
    ...(error === undefined ? {} : { error }),
  }
}

export async function post(url: string, body: unknown = {}): Promise<unknown> {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return answer.body.json()
}

/** Describes the payment as text. */
export function describePayment({ ok, state, from, to, ms, ...summary }: FirstPayment): string {
  const payer = from.fspId ?? ''
  const payee = to.fspId ?? 'bluewallet'
  const took = (leg: number | undefined) => (leg === undefined ? 'not begun' : `${leg} ms`)
  const position = (name: string) => {
    const { before, after } = summary.balances
    return `  ${name.padEnd(10)} position ${before[name]?.position} → ${after[name]?.position}`
  }
  return [
    ok
      ? `${payer} paid ${payee} ${amount} ${currency} in ${ms.total} ms: ${state}.`
      : `${payer} could not pay ${payee}: ${state} ${JSON.stringify(summary.error ?? '')}`,
    `  lookup     ${took(ms.lookup)}: ${to.partyIdentifier} is ${to.name ?? 'unknown'} at ${payee}`,
    `  quote      ${took(ms.quote)}: the terms, and the condition that ${payee} can fulfil`,
    `  transfer   ${took(ms.transfer)}: ${summary.transferId ?? ''}`,
    position('greenbank'),
    position('bluewallet'),
    '',
  ].join('\n')
}
