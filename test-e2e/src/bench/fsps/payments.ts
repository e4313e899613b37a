/**
 * The messages of payments, made ahead: random parts, bodies and, by the link, signatures. Every message is
 * still sent at the time when an FSP sends it.
 */
import { randomUUID } from 'node:crypto'
import { newQuote, termsOf, type Quoted } from '../../fsp/payment.ts'
import { committed, type NamedFsp } from '../../fsp/transfer.ts'
import type { LegName } from '../options.ts'
import { messageOf, type BenchMessage } from './link.ts'

export interface PreparedPayment {
  readonly condition: string
  readonly legs: readonly { readonly request: BenchMessage; readonly answer: BenchMessage }[]
}

export interface PaymentOptions {
  readonly names: readonly string[]
  readonly legs: readonly LegName[]
  readonly pairOf: (n: number) => readonly [payer: number, payee: number]
  readonly valid_ms: number
}

/** The resource of each leg. */
export const resources = {
  lookup: 'parties',
  quote: 'quotes',
  transfer: 'transfers',
} as const satisfies Readonly<Record<LegName, string>>

/** On a hub that was measured before, numbers that are registered are left out. */
const firstParty = 10_000_000_000 + Number(process.env['CAUSEWAY_BENCH_PARTIES_TAKEN'] ?? 0)
const firstPayer = 20_000_000_000

/** The party that is paid in the n-th payment: looked up once only. */
export function partyOf(n: number): string {
  return String(firstParty + n)
}

/** The number of the payment that an MSISDN, quoteId or transferId belongs to; NaN for others. */
export function numberOf(id: string): number {
  return id.length === 36 ? Number.parseInt(id.slice(24), 16) : Number(id) - firstParty
}

/** Random as any UUID, except for its last part, which has the number of the payment. */
function idOf(n: number): string {
  return randomUUID().slice(0, 24) + n.toString(16).padStart(12, '0')
}

/** What payer FSP and payee FSP agree on, with ids that have the number of the payment. */
export function agreementOf(n: number, payer: NamedFsp, payee: NamedFsp, valid_ms: number): Quoted {
  const expiration = new Date(Date.now() + valid_ms).toISOString()
  const quote = newQuote(payer, payee, {
    quoteId: idOf(n),
    payee: {
      partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: partyOf(n), fspId: payee.name },
      name: 'Ana Silva',
      personalInfo: {
        complexName: { firstName: 'Ana', lastName: 'Silva' },
        dateOfBirth: '1986-02-14',
      },
    },
    payer: {
      partyIdInfo: {
        partyIdType: 'MSISDN',
        partyIdentifier: String(firstPayer + n),
        fspId: payer.name,
      },
      name: 'Ben Okoro',
    },
    amount: { currency: 'USD', amount: '1' },
    note: 'for lunch',
    expiration,
  })
  return termsOf(quote, payer, payee, { expires_ms: valid_ms, transferId: idOf(n) })
}

/** Nothing is signed yet. */
export function paymentOf(
  n: number,
  { names, legs, pairOf, valid_ms }: PaymentOptions,
): PreparedPayment {
  const [from, to] = pairOf(n)
  const named = (fsp: number) => ({ name: names[fsp] ?? '' })
  const { quote, response, transfer } = agreementOf(n, named(from), named(to), valid_ms)
  const post = (path: string, body: object) => messageOf({ from, to, method: 'POST', path }, body)
  const put = (path: string, body: object) =>
    messageOf({ from: to, to: from, method: 'PUT', path }, body)
  const lookup = `/parties/MSISDN/${partyOf(n)}`
  const all: Readonly<Record<LegName, PreparedPayment['legs'][number]>> = {
    lookup: {
      request: messageOf({ from, to: undefined, method: 'GET', path: lookup }),
      answer: put(lookup, { party: quote.payee }),
    },
    quote: {
      request: post('/quotes', quote),
      answer: put(`/quotes/${quote.quoteId}`, response),
    },
    transfer: {
      request: post('/transfers', transfer.request),
      answer: put(`/transfers/${transfer.transferId}`, committed(transfer)),
    },
  }
  return { condition: response.condition, legs: legs.map((leg) => all[leg]) }
}
