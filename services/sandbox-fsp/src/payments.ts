/** POST /payments: a payment that a person asks for; the answer is its outcome. */
import type { Fsp, TransferResult } from '@causeway/fsp'
import { currencyExponent, parseAmount } from '@causeway/money'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { conductExtension, conducts } from './domain/conduct.ts'
import { agreedTerms } from './terms.ts'

const payment = z.strictObject({
  to: z.string().min(1).max(32),
  amount: z.string().refine((text) => (parseAmount(text) ?? 0n) > 0n, {
    error: 'must be an amount such as "10" or "10.5", more than 0',
  }),
  currency: z.string().refine((code) => currencyExponent(code) !== undefined, {
    error: 'must be a currency code such as "USD"',
  }),
  /** What the payee is to do with it, for tests; it reads the same from special amounts. */
  payeeDoes: z.enum(conducts).optional(),
  /** The transfer expires after so many milliseconds. */
  validForMs: z.int().min(100).max(600_000).optional(),
})

export interface PaymentAnswer {
  readonly status: number
  readonly body: object
}

export async function pay(fsp: Fsp, asked: unknown, validity_ms: number): Promise<PaymentAnswer> {
  const read = payment.safeParse(asked)
  if (!read.success) return badRequest(sentenceOf(read.error))
  const { to, payeeDoes, validForMs = validity_ms } = read.data
  const amount = { currency: read.data.currency, amount: read.data.amount }
  const transferId = randomUUID()
  const terms = agreedTerms({ transferId, payerFsp: fsp.name, payeeFsp: to, amount })
  if (terms === undefined) return badRequest(`amount has too many decimals for ${amount.currency}`)
  const result = await fsp.transfer({
    transferId,
    payeeFsp: to,
    amount,
    ...terms,
    expiration: new Date(Date.now() + validForMs),
    ...(payeeDoes && { extensions: [{ key: conductExtension, value: payeeDoes }] }),
  })
  const { transferId: id, state, ms, ...details } = result
  return {
    status: statuses[state],
    body: { transferId: id, state, from: fsp.name, to, ...amount, ms, ...details },
  }
}

/** An aborted payment was carried out correctly: the person who asked is told so, not refused. */
const statuses = {
  COMMITTED: 200,
  ABORTED: 200,
  REFUSED: 502,
  UNRESOLVED: 504,
} as const satisfies Record<TransferResult['state'], number>

function badRequest(error: string): PaymentAnswer {
  return { status: 400, body: { error } }
}

function sentenceOf({ issues }: z.ZodError): string {
  const [issue] = issues
  if (issue === undefined) return 'the request cannot be read'
  return `${issue.path.join('.') || 'the request'}: ${issue.message}`
}
