/** POST /payrolls: one customer pays many people at once; how far it has come is told line by line. */
import type { BulkPaymentResult, BulkProgress, BulkResult, Fsp } from '@causeway/fsp'
import { currencyExponent, parseAmount } from '@causeway/money'
import { z } from 'zod'
import { conductExtension, conducts } from './domain/conduct.ts'
import { firstCustomerOf, wholeStaff, type SandboxName } from './customers.ts'
import { badRequest, sentenceOf, type PersonalAnswer } from './payments.ts'

const payroll = z.strictObject({
  /** Each of them gets it. */
  amount: z.string().refine((text) => (parseAmount(text) ?? 0n) > 0n, {
    error: 'must be an amount such as "10" or "10.5", more than 0',
  }),
  currency: z.string().refine((code) => currencyExponent(code) !== undefined, {
    error: 'must be a currency code such as "USD"',
  }),
  /** The first so many of the staff. */
  people: z.int().min(1).max(1_000).optional(),
  /** What the payees are to do with it, for tests. */
  payeeDoes: z.enum(conducts).optional(),
  /** It expires after so many milliseconds. */
  validForMs: z.int().min(100).max(600_000).optional(),
})

/** A payroll is longer on its way than a payment. */
const validity_ms = 60_000

export interface PayrollSummary {
  /** Every person was paid. */
  readonly ok: boolean
  readonly bulks: BulkResult['bulks']
  /** How many payments failed with which code, at which leg: `transfer 4001`. */
  readonly failures: Readonly<Record<string, number>>
  readonly ms: number
}

/** `tell` is called with each step; the answer is the outcome. */
export async function payStaff(
  fsp: Pick<Fsp, 'payBulk'>,
  name: SandboxName,
  asked: unknown,
  tell: (progress: BulkProgress) => void,
): Promise<PersonalAnswer> {
  const read = payroll.safeParse(asked)
  if (!read.success) return badRequest(sentenceOf(read.error))
  const { amount, currency, people, payeeDoes, validForMs = validity_ms } = read.data
  const extensions = payeeDoes && [{ key: conductExtension, value: payeeDoes }]
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
    onProgress: tell,
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
  const code = payment.error?.errorCode ?? 'nothing was said'
  return payment.state === 'ABORTED' ? `${payment.leg} ${code}` : `unresolved ${code}`
}
