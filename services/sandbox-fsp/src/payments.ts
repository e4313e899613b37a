/** POST /payments: makes a whole payment; the answer is its outcome. */
import {
  refundOf,
  type Fsp,
  type NamedParty,
  type PaymentOrder,
  type PaymentResult,
  type Quote,
} from '@causeway/fsp'
import { elements, partyIdInfo } from '@causeway/fspiop'
import { currencyExponent, parseAmount } from '@causeway/money'
import { z } from 'zod'
import { scenarioExtension, scenarios } from './domain/scenario.ts'
import { customerOf, firstCustomerOf, type SandboxName } from './customers.ts'

const payment = z.strictObject({
  /** A party, or a sandbox FSP: then its first customer. */
  to: z.union([
    z.enum(['greenbank', 'bluewallet']),
    z.strictObject({
      partyIdType: partyIdInfo.shape.partyIdType,
      partyIdentifier: partyIdInfo.shape.partyIdentifier,
      partySubIdOrType: partyIdInfo.shape.partySubIdOrType,
    }),
  ]),
  /** The number of the paying customer; the first one when left out. */
  from: z.string().optional(),
  amount: z.string().refine((text) => (parseAmount(text) ?? 0n) > 0n, {
    error: 'must be an amount such as "10" or "10.5", more than 0',
  }),
  currency: z.string().refine((code) => currencyExponent(code) !== undefined, {
    error: 'must be a currency code such as "USD"',
  }),
  /** RECEIVE: the payee gets exactly the amount, and fees come on top. */
  amountType: z.enum(['SEND', 'RECEIVE']).optional(),
  note: z.string().min(1).max(128).optional(),
  /** The transactionId of the payment that this one refunds. */
  refundOf: elements.correlationId.optional(),
  /** The payee's scenario, for tests; special amounts select the same scenarios. */
  payeeDoes: z.enum(scenarios).optional(),
  /** The payment expires after this many milliseconds. */
  validForMs: z.int().min(100).max(600_000).optional(),
})

type PaymentBody = z.infer<typeof payment>

export interface PersonalAnswer {
  readonly status: number
  readonly body: object
}

export async function payOnRequest(
  fsp: Pick<Fsp, 'pay'>,
  name: SandboxName,
  asked: unknown,
  validity_ms: number,
): Promise<PersonalAnswer> {
  const read = payment.safeParse(asked)
  if (!read.success) return badRequest(sentenceOf(read.error))
  const { from, validForMs = validity_ms } = read.data
  const payer =
    from === undefined ? firstCustomerOf(name) : customerOf(name, { type: 'MSISDN', id: from })
  if (payer === undefined) return badRequest(`from: ${name} has no customer ${from}`)
  const order = orderOf(read.data, payer, new Date(Date.now() + validForMs))
  const result = await fsp.pay(order)
  return { status: statuses[result.state], body: outcomeOf(name, order, result) }
}

function orderOf(asked: PaymentBody, payer: NamedParty, expiration: Date): PaymentOrder {
  const { amount, currency, amountType, note, refundOf: original, payeeDoes } = asked
  return {
    payer,
    to: payeeOf(asked.to),
    amount: { currency, amount },
    expiration,
    ...(amountType && { amountType }),
    ...(note && { note }),
    ...(original && { transactionType: refundOf(original) }),
    ...(payeeDoes && { extensions: [{ key: scenarioExtension, value: payeeDoes }] }),
  }
}

function payeeOf(to: PaymentBody['to']): PaymentOrder['to'] {
  if (typeof to === 'string') {
    const { type, id } = firstCustomerOf(to)
    return { type, id }
  }
  const { partyIdType: type, partyIdentifier: id, partySubIdOrType: subId } = to
  return { type, id, ...(subId === undefined ? {} : { subId }) }
}

function outcomeOf(name: string, { payer, to, amount }: PaymentOrder, result: PaymentResult) {
  const { state, transactionId, transferId, payee, quote, ms, ...end } = result
  return {
    state,
    ...(transferId === undefined ? {} : { transferId }),
    transactionId,
    from: shown({ ...payer, fspId: name }),
    to: shown(payee ?? to),
    ...amount,
    ...(quote === undefined ? {} : termsOf(quote)),
    ms,
    ...('extensions' in end
      ? { fulfilment: end.fulfilment, completedTimestamp: end.completedTimestamp }
      : end),
  }
}

function shown({
  fspId,
  type,
  id,
  subId,
  name,
}: Omit<NamedParty, 'fspId'> & { readonly fspId?: string | undefined }) {
  return {
    ...(fspId === undefined ? {} : { fspId }),
    partyIdType: type,
    partyIdentifier: id,
    ...(subId === undefined ? {} : { partySubIdOrType: subId }),
    ...(name === undefined ? {} : { name }),
  }
}

function termsOf({ transferAmount, payeeReceiveAmount, payeeFspFee, payeeFspCommission }: Quote) {
  return {
    quote: {
      transferAmount,
      ...(payeeReceiveAmount && { payeeReceiveAmount }),
      ...(payeeFspFee && { payeeFspFee }),
      ...(payeeFspCommission && { payeeFspCommission }),
    },
  }
}

/** An aborted payment was processed correctly: the answer is 200 with the outcome, not an error. */
const statuses = {
  COMMITTED: 200,
  ABORTED: 200,
  DECLINED: 200,
  REFUSED: 502,
  UNRESOLVED: 504,
} as const satisfies Record<PaymentResult['state'], number>

export function badRequest(error: string): PersonalAnswer {
  return { status: 400, body: { error } }
}

export function sentenceOf({ issues }: z.ZodError): string {
  const [issue] = issues
  if (issue === undefined) return 'the request cannot be read'
  return `${issue.path.join('.') || 'the request'}: ${issue.message}`
}
