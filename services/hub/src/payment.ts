/** The first payment of a start: greenbank pays bluewallet, and people see that it happened. */
import { request } from 'undici'
import { readBalances, type Balances, type SandboxFsp } from './onboarding.ts'
import type { Operator } from './operator.ts'

export interface PaymentSummary {
  /** True when the money moved. */
  readonly ok: boolean
  readonly state: string
  readonly transferId: string
  readonly amount: string
  readonly currency: string
  readonly ms: { readonly transfer: number; readonly total: number }
  readonly balances: { readonly before: Balances; readonly after: Balances }
  readonly urls: Urls
  /** Why it was not made. */
  readonly error?: unknown
}

export interface Urls {
  readonly fsp: string
  readonly operator: string
  readonly metrics: string
  readonly greenbank?: string
  readonly bluewallet?: string
}

/** What the sandbox FSP answers to POST /payments. */
interface PaymentAnswer {
  readonly transferId: string
  readonly state: string
  readonly ms: number
  readonly error?: unknown
}

const amount = '10'
const currency = 'USD'

export async function makeFirstPayment(
  operator: Operator,
  payer: SandboxFsp,
  payee: SandboxFsp,
  urls: Urls,
): Promise<PaymentSummary> {
  const begun_ms = performance.now()
  const before = await readBalances(operator, [payer, payee])
  const answer = await request(`${payer.url}/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to: payee.name, amount, currency }),
  })
  const payment = (await answer.body.json()) as PaymentAnswer
  const after = await readBalances(operator, [payer, payee])
  return {
    ok: payment.state === 'COMMITTED',
    state: payment.state,
    transferId: payment.transferId,
    amount,
    currency,
    ms: { transfer: Math.round(payment.ms), total: Math.round(performance.now() - begun_ms) },
    balances: { before, after },
    urls,
    ...(payment.error === undefined ? {} : { error: payment.error }),
  }
}

/** The way of the payment in plain words. */
export function describePayment(summary: PaymentSummary, payer: string, payee: string): string {
  const { state, transferId, ms, balances } = summary
  const row = (name: string) => {
    const before = balances.before[name]
    const after = balances.after[name]
    return `  ${name.padEnd(12)} position ${String(before?.position)} → ${String(after?.position)}`
  }
  const outcome = summary.ok
    ? `${payer} paid ${payee} ${amount} ${currency} in ${ms.transfer} ms: ${state}.`
    : `${payer} could not pay ${payee}: ${state} ${JSON.stringify(summary.error ?? '')}`
  return [outcome, `  transfer     ${transferId}`, row(payer), row(payee), ''].join('\n')
}
