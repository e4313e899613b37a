/**
 * The messages of payments, made and signed ahead: an RSA signature takes an FSP more CPU than the
 * hub takes for the signed message, and here both share the same cores. Only random and signed
 * parts are made ahead; every message is still sent at the time when an FSP sends it.
 */
import {
  conditionOf,
  contentType,
  encodePacket,
  fulfilmentOf,
  signatureHeader,
  writeHttpDate,
  writeTransaction,
  type Resource,
} from '@causeway/fspiop'
import { createPublicKey, generateKeyPair, randomUUID, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { BenchOptions, LegName } from './options.ts'

export interface Message {
  /** Numbers of FSPs. */
  readonly from: number
  readonly to: number
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly resource: Resource
  /** The path from the resource on. */
  readonly path: string
  readonly body: Buffer | undefined
  /** FSPIOP-Signature; undefined: not signed. */
  signature: string | undefined
}

export interface Payment {
  readonly condition: string
  readonly legs: readonly { readonly request: Message; readonly answer: Message }[]
}

export interface PaymentOptions {
  readonly names: readonly string[]
  readonly legs: readonly LegName[]
  readonly pairOf: (n: number) => readonly [number, number]
  /** The date of the messages. */
  readonly now: Date
  readonly expiration: Date
}

/** The resource of each leg. */
export const resources = {
  lookup: 'parties',
  quote: 'quotes',
  transfer: 'transfers',
} as const satisfies Readonly<Record<LegName, Resource>>

/** On a hub that was measured before, numbers that are registered are left out. */
const firstParty = 10_000_000_000 + Number(process.env['CAUSEWAY_BENCH_PARTIES_TAKEN'] ?? 0)
const firstPayer = 20_000_000_000
const amount = { currency: 'USD', amount: '1' } as const
const amountInCents = 100n
/** The same for all payees: only its hash is used. */
const secret = Buffer.alloc(32, 7)

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

/** Nothing is signed yet. */
export function paymentOf(n: number, options: PaymentOptions): Payment {
  const { names, legs, pairOf, now, expiration } = options
  const [payer, payee] = pairOf(n)
  const quoteId = idOf(n)
  const transferId = idOf(n)
  const terms = termsOf(n, quoteId, names[payer] ?? '', names[payee] ?? '')
  const expires = expiration.toISOString()
  const ask = (method: 'GET' | 'POST', resource: Resource, path: string, body?: object) =>
    messageOf({ from: payer, to: payee, method, resource, path }, body)
  const put = (resource: Resource, path: string, body: object) =>
    messageOf({ from: payee, to: payer, method: 'PUT', resource, path }, body)
  const { ilpPacket, fulfilment, condition, quoteRequest, party } = terms
  const all = {
    lookup: {
      request: ask('GET', 'parties', `/parties/MSISDN/${partyOf(n)}`),
      answer: put('parties', `/parties/MSISDN/${partyOf(n)}`, { party }),
    },
    quote: {
      request: ask('POST', 'quotes', '/quotes', { ...quoteRequest, expiration: expires }),
      answer: put('quotes', `/quotes/${quoteId}`, {
        transferAmount: amount,
        payeeReceiveAmount: amount,
        expiration: expires,
        ilpPacket,
        condition,
      }),
    },
    transfer: {
      request: ask('POST', 'transfers', '/transfers', {
        transferId,
        payerFsp: names[payer],
        payeeFsp: names[payee],
        amount,
        ilpPacket,
        condition,
        expiration: expires,
      }),
      answer: put('transfers', `/transfers/${transferId}`, {
        fulfilment,
        completedTimestamp: now.toISOString(),
        transferState: 'COMMITTED',
      }),
    },
  } as const satisfies Readonly<Record<LegName, Payment['legs'][number]>>
  return { condition, legs: legs.map((leg) => all[leg]) }
}

export function messageOf(
  head: Omit<Message, 'body' | 'signature'>,
  body: object | undefined,
): Message {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  return { ...head, body: bytes, signature: undefined }
}

/** The agreement between payer FSP and payee FSP. */
export function termsOf(n: number, quoteId: string, payerFsp: string, payeeFsp: string) {
  const party = {
    partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: partyOf(n), fspId: payeeFsp },
    name: 'Ana Silva',
    personalInfo: {
      complexName: { firstName: 'Ana', lastName: 'Silva' },
      dateOfBirth: '1986-02-14',
    },
  } as const
  const quoteRequest = {
    quoteId,
    transactionId: randomUUID(),
    payee: party,
    payer: {
      partyIdInfo: {
        partyIdType: 'MSISDN',
        partyIdentifier: String(firstPayer + n),
        fspId: payerFsp,
      },
      name: 'Ben Okoro',
    },
    amountType: 'SEND',
    amount,
    transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
    note: 'for lunch',
  } as const
  const { transactionId, payee, payer, transactionType, note } = quoteRequest
  const ilpPacket = encodePacket({
    amount: amountInCents,
    address: `g.${payeeFsp}.msisdn.${partyOf(n)}`,
    data: writeTransaction({
      transactionId,
      quoteId,
      payee,
      payer,
      amount,
      transactionType,
      note,
    }),
  })
  if (ilpPacket === undefined) throw new Error('the packet cannot be written')
  const fulfilment = fulfilmentOf(secret, ilpPacket)
  return { party, quoteRequest, ilpPacket, fulfilment, condition: conditionOf(fulfilment) }
}

/**
 * Every header except those of the connection. A GET has the Content-Type of the resource that it
 * requests.
 */
export function headersOf(
  { from, to, method, resource, path, signature }: Message,
  names: readonly string[],
  date: string,
): Record<string, string> {
  const media = contentType(resource, '1.1')
  const headers: Record<string, string> = {
    'content-type': media,
    date,
    'fspiop-source': names[from] ?? '',
  }
  if (method !== 'PUT') headers['accept'] = media
  const destination = destinationOf({ method, resource, to }, names)
  if (destination !== undefined) headers['fspiop-destination'] = destination
  if (signature !== undefined) {
    headers['fspiop-signature'] = signature
    headers['fspiop-uri'] = path
    headers['fspiop-http-method'] = method
  }
  return headers
}

/** A lookup has no destination, since the hub finds it; a registration goes to the hub. */
function destinationOf(
  { method, resource, to }: Pick<Message, 'method' | 'resource' | 'to'>,
  names: readonly string[],
): string | undefined {
  const isAsked = method === 'GET' || resource === 'participants'
  return isAsked ? undefined : names[to]
}

/** How FSPs sign. */
export interface Signing {
  readonly algorithm: NonNullable<BenchOptions['signed']>
  /** By the number of the FSP. */
  readonly keys: readonly KeyObject[]
  readonly names: readonly string[]
  /** For the header Date of signed messages. */
  readonly date: string
}

export const kid = 'bench'
/** Where there are many FSPs, several have the same key: generating one takes long. */
const keys_max = 8
const inHand = 64

const newKeyPair = promisify(generateKeyPair)

export async function newKeys(
  algorithm: Signing['algorithm'],
  fsps: number,
): Promise<readonly KeyObject[]> {
  const make = async () => {
    const { privateKey } =
      algorithm === 'RS256'
        ? await newKeyPair('rsa', { modulusLength: 2_048 })
        : await newKeyPair('ec', { namedCurve: 'P-256' })
    return privateKey
  }
  const made = await Promise.all(Array.from({ length: Math.min(fsps, keys_max) }, make))
  return Array.from({ length: fsps }, (_, n) => made[n % made.length]).filter(
    (key) => key !== undefined,
  )
}

export function publicPem(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
}

export async function sign(message: Message, signing: Signing): Promise<void> {
  const { method, path: uri, from, body } = message
  const { names, keys, algorithm: alg, date } = signing
  const key = keys[from]
  if (body === undefined || key === undefined) return
  const source = names[from] ?? ''
  const destination = destinationOf(message, names)
  const toSign = { alg, kid, key, method, uri, source, destination, date, body }
  message.signature = await signatureHeader(toSign)
}

/** Signs on every core; `onSigned` receives the number of payments that are done. */
export async function signAhead(
  payments: readonly Payment[],
  signing: Signing,
  onSigned: (payments: number) => void,
): Promise<void> {
  for (let from = 0; from < payments.length; from += inHand) {
    const some = payments.slice(from, from + inHand)
    const messages = some.flatMap(({ legs }) =>
      legs.flatMap(({ request, answer }) => [request, answer]),
    )
    await Promise.all(messages.map((message) => sign(message, signing)))
    onSigned(from + some.length)
  }
}

export function httpDate(now: Date): string {
  return writeHttpDate(now)
}
