/** POST /payrolls: one customer pays many people at once; progress is sent line by line. */
import type { BulkPaymentResult, BulkProgress, BulkResult, Fsp } from '@causeway/fsp'
import { currencyExponent, parseAmount } from '@causeway/money'
import { z } from 'zod'
import { scenarioExtension, scenarios } from './domain/scenario.ts'
import { firstCustomerOf, wholeStaff, type SandboxName } from './customers.ts'
import { badRequest, sentenceOf, type PersonalAnswer } from './payments.ts'

const payroll = z.strictObject({
  /** The amount for each payee. */
  amount: z.string().refine((text) => (parseAmount(text) ?? 0n) > 0n, {
    error: 'must be an amount such as "10" or "10.5", more than 0',
  }),
  currency: z.string().refine((code) => currencyExponent(code) !== undefined, {
    error: 'must be a currency code such as "USD"',
  }),
  /** The first so many of the staff. */
  people: z.int().min(1).max(1_000).optional(),
  /** The payees' scenario, for tests. */
  payeeDoes: z.enum(scenarios).optional(),
  /** The payroll expires after this many milliseconds. */
  validForMs: z.int().min(100).max(600_000).optional(),
})

/** A payroll takes longer than a payment. */
const validity_ms = 60_000

export interface PayrollSummary {
  /** True when every person was paid. */
  readonly ok: boolean
  readonly bulks: BulkResult['bulks']
  /** How many payments failed, by leg and code: `transfer 4001`. */
  readonly failures: Readonly<Record<string, number>>
  readonly ms: number
}

/** `onProgress` is called with each progress step; the result is the outcome. */
export async function payStaff(
  fsp: Pick<Fsp, 'payBulk'>,
  name: SandboxName,
  asked: unknown,
  onProgress: (progress: BulkProgress) => void,
): Promise<PersonalAnswer> {
  const read = payroll.safeParse(asked)
  if (!read.success) return badRequest(sentenceOf(read.error))
  const { amount, currency, people, payeeDoes, validForMs = validity_ms } = read.data
  const extensions = payeeDoes && [{ key: scenarioExtension, value: payeeDoes }]
  const result = await fsp.payBulk({
    payer: firstCustomerOf(name),
    payments: wholeStaff()
      .slice(0, people)
      .map(({ party: { type, id } }) => ({
        to: { type, id },
        amount: { amount, currency },
        ...(extensions && { extensions }),
      })),
    expiration: new Date(Date.now() + validForMs),
    onProgress,
  })
  return { status: 200, body: summaryOf(result) }
}

function summaryOf({ payments, bulks, ms }: BulkResult): PayrollSummary {
  const failures: Record<string, number> = {}
  for (const payment of payments) {
    if (payment.state === 'COMMITTED') continue
    const why = failureOf(payment)
    failures[why] = (failures[why] ?? 0) + 1
  }
  return { ok: Object.keys(failures).length === 0, bulks, failures, ms }
}

function failureOf(payment: Exclude<BulkPaymentResult, { state: 'COMMITTED' }>): string {
  const code = payment.error?.errorCode ?? 'no error was received'
  return payment.state === 'ABORTED' ? `${payment.leg} ${code}` : `unresolved ${code}`
}
