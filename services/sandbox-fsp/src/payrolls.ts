/** POST /payrolls: one customer pays many people at once; progress is sent line by line. */
import type { BulkOrder, BulkPaymentResult, BulkProgress, BulkResult, Fsp } from '@causeway/fsp'
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
  /** The payroll expires after this many milliseconds; then nobody is paid in a further round. */
  validForMs: z.int().min(100).max(600_000).optional(),
})

/** A round of a payroll takes longer than a payment. */
const validity_ms = 60_000

export interface PayrollSummary {
  /** True when every person was paid. */
  readonly ok: boolean
  readonly bulks: BulkResult['bulks']
  /** How many payments failed, by leg and code: `transfer 4001`. */
  readonly failures: Readonly<Record<string, number>>
  readonly ms: number
}

type OnProgress = (progress: BulkProgress) => void

/** `onProgress` is called with each progress step; the result is the outcome. */
export async function payStaff(
  fsp: Pick<Fsp, 'payBulk'>,
  name: SandboxName,
  asked: unknown,
  onProgress: OnProgress,
): Promise<PersonalAnswer> {
  const read = payroll.safeParse(asked)
  if (!read.success) return badRequest(sentenceOf(read.error))
  const { amount, currency, people, payeeDoes, validForMs = validity_ms } = read.data
  const extensions = payeeDoes && [{ key: scenarioExtension, value: payeeDoes }]
  const payments = wholeStaff()
    .slice(0, people)
    .map(({ party: { type, id } }) => ({
      to: { type, id },
      amount: { amount, currency },
      ...(extensions && { extensions }),
    }))
  const payer = firstCustomerOf(name)
  const pay = (round: BulkOrder['payments'], onRound: OnProgress) =>
    fsp.payBulk({
      payer,
      payments: round,
      onProgress: onRound,
      expiration: new Date(Date.now() + validForMs),
    })
  const isOneRound = read.data.validForMs !== undefined
  const result = isOneRound
    ? await pay(payments, onProgress)
    : await payInRounds(pay, payments, onProgress)
  return { status: 200, body: summaryOf(result) }
}

/** Too little time. Such a payment has ended and reserves nothing, so it may be made again. */
const lateCodes: ReadonlySet<string> = new Set(['2003', '2004', '3302', '3303'])

function isLate(payment: BulkPaymentResult): boolean {
  return payment.state === 'ABORTED' && lateCodes.has(payment.error.errorCode)
}

/**
 * A slow machine does not pay all people before the expiration: who is left is paid in a further round, as
 * long as each round pays some.
 */
async function payInRounds(
  pay: (payments: BulkOrder['payments'], onProgress: OnProgress) => Promise<BulkResult>,
  all: BulkOrder['payments'],
  onProgress: OnProgress,
): Promise<BulkResult> {
  const payments: BulkPaymentResult[] = []
  const bulks: BulkResult['bulks'][number][] = []
  let left = all
  for (let ms = 0; ;) {
    const round = await pay(left, (progress) => onProgress(after(payments, progress)))
    const late = round.payments.map(isLate)
    const again = left.filter((_, at) => late[at])
    const isLast = again.length === 0 || again.length === left.length
    payments.push(...round.payments.filter((_, at) => isLast || !late[at]))
    bulks.push(...round.bulks)
    ms += round.ms
    if (isLast) return { payments, bulks, ms }
    left = again
  }
}

/** The progress of a round after others in which these payments have ended. */
function after(ended: readonly BulkPaymentResult[], round: BulkProgress): BulkProgress {
  const count = (has: (payment: BulkPaymentResult) => boolean) => ended.filter(has).length
  return {
    payments: round.payments + ended.length,
    lookedUp: round.lookedUp + ended.length,
    quoted: round.quoted + count(({ quote }) => quote !== undefined),
    sent: round.sent + count(({ transferId }) => transferId !== undefined),
    committed: round.committed + count(({ state }) => state === 'COMMITTED'),
    failed: round.failed + count(({ state }) => state === 'ABORTED'),
    unresolved: round.unresolved + count(({ state }) => state === 'UNRESOLVED'),
  }
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
