/**
 * Many payments of one customer: their payees are looked up, and for each payee FSP, and each 1,000 of its
 * payees, one bulk quote and one bulk transfer are made. A payment that fails does not affect others.
 */
import {
  bulkItems_max,
  type ErrorInformation,
  errorInformation,
  type TransactionType,
} from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { tenths } from '../pending-requests.ts'
import type { Lookups } from '../parties/lookups.ts'
import { partyKey, type PartyId } from '../parties/party.ts'
import type { Quote } from '../quotes/quote.ts'
import type {
  BulkOrder,
  BulkPayment,
  BulkPaymentResult,
  BulkProgress,
  BulkResult,
  BulkSummary,
  BulkTransferItem,
  BulkTransferResult,
} from './order.ts'
import type { BulkQuotePayer } from './quote-payer.ts'
import type { BulkPayer } from './transfer-payer.ts'

export interface BulkClients {
  readonly lookups: Lookups
  readonly bulkQuotes: BulkQuotePayer
  readonly bulkTransfers: BulkPayer
}

/** Lookups of one order at the same time: more of them make a small hub refuse some. */
const lookups_max = 8

const transactionType_default: TransactionType = {
  scenario: 'TRANSFER',
  initiator: 'PAYER',
  initiatorType: 'BUSINESS',
}

/** One payment in progress. */
interface BulkPaymentInProgress {
  readonly at: number
  readonly payment: BulkPayment
  readonly transactionId: string
  payeeFsp: string | undefined
  quote: Quote | undefined
  result: BulkPaymentResult | undefined
}

export async function payBulk(clients: BulkClients, order: BulkOrder): Promise<BulkResult> {
  const begun_ms = performance.now()
  const items: readonly BulkPaymentInProgress[] = order.payments.map((payment, at) => ({
    at,
    payment,
    transactionId: randomUUID(),
    payeeFsp: payment.to.fspId,
    quote: undefined,
    result: undefined,
  }))
  const progress = progressOf(items, order)
  await lookUpAll(clients.lookups, items, { ...order, progress })
  const summaries = await Promise.all(
    bulksOf(items).map(([payeeFsp, ofBulk]) =>
      payOneBulk(clients, order, { payeeFsp, items: ofBulk, progress }),
    ),
  )
  return {
    payments: items.map(({ result, ...item }) => {
      if (result === undefined) throw new Error(`payment ${item.at} has no result`)
      return result
    }),
    bulks: summaries.flatMap((bulk) => bulk ?? []),
    ms: tenths(performance.now() - begun_ms),
  }
}

type ProgressCounts = { -readonly [Name in keyof BulkProgress]: number }

interface Progress {
  readonly counts: ProgressCounts
  /** Every item ends once. */
  end(item: BulkPaymentInProgress, result: BulkPaymentResult): void
  report(): void
  /** After each tenth of the payments. */
  reportLookups(): void
}

function progressOf(
  { length }: readonly BulkPaymentInProgress[],
  { onProgress }: BulkOrder,
): Progress {
  const none = { lookedUp: 0, quoted: 0, sent: 0, committed: 0, failed: 0, unresolved: 0 }
  const counts: ProgressCounts = { payments: length, ...none }
  let reported = 0
  const report = () => {
    reported = counts.lookedUp
    onProgress?.({ ...counts })
  }
  return {
    counts,
    report,
    end(item, result) {
      item.result = result
      if (result.state === 'COMMITTED') counts.committed += 1
      else if (result.state === 'ABORTED') counts.failed += 1
      else counts.unresolved += 1
    },
    reportLookups() {
      if (counts.lookedUp - reported >= length / 10) report()
    },
  }
}

/**
 * Looks up each party once, however often it is paid. Half of the time until the expiration is reserved
 * for quotes and transfers, so that one lost answer does not hold up the other payments.
 */
async function lookUpAll(
  lookups: Lookups,
  items: readonly BulkPaymentInProgress[],
  { expiration, progress }: Pick<BulkOrder, 'expiration'> & { readonly progress: Progress },
): Promise<void> {
  let isLate = false
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max((expiration.getTime() - Date.now()) / 2, 0))
  })
  await Promise.race([late, lookUpEach(lookups, items, { progress, isOver: () => isLate })])
  clearTimeout(timer)
  isLate = true
  for (const item of items) {
    if (item.payeeFsp === undefined && item.result === undefined) {
      const error = errorInformation('2004', 'the payee was not found in time')
      progress.end(item, aborted(item, 'lookup', error))
    }
  }
  progress.report()
}

async function lookUpEach(
  lookups: Lookups,
  items: readonly BulkPaymentInProgress[],
  { progress, isOver }: { readonly progress: Progress; readonly isOver: () => boolean },
): Promise<void> {
  const byParty = new Map<string, BulkPaymentInProgress[]>()
  for (const item of items) {
    if (item.payeeFsp !== undefined) {
      progress.counts.lookedUp += 1
      continue
    }
    const key = partyKey(item.payment.to)
    byParty.set(key, [...(byParty.get(key) ?? []), item])
  }
  const waiting = [...byParty.values()].values()
  const work = async () => {
    for (const same of waiting) {
      const [first] = same
      if (first === undefined || isOver()) continue
      const { type, id, subId }: PartyId = first.payment.to
      const found = await lookups.lookUp({ type, id, ...(subId === undefined ? {} : { subId }) })
      if (isOver()) return
      progress.counts.lookedUp += same.length
      for (const item of same) {
        if (found.state === 'FOUND') item.payeeFsp = found.party.fspId
        else progress.end(item, aborted(item, 'lookup', found.error ?? errorInformation('2004')))
      }
      progress.reportLookups()
    }
  }
  await Promise.all(Array.from({ length: lookups_max }, work))
}

function aborted(
  { transactionId, payeeFsp, quote }: BulkPaymentInProgress,
  leg: 'lookup' | 'quote',
  error: ErrorInformation,
): BulkPaymentResult {
  return { transactionId, transferId: undefined, payeeFsp, quote, state: 'ABORTED', leg, error }
}

/** Groups of items by payee FSP, in the order of the payments, each within the bound of a bulk. */
function bulksOf(
  items: readonly BulkPaymentInProgress[],
): readonly (readonly [string, readonly BulkPaymentInProgress[]])[] {
  const byFsp = new Map<string, BulkPaymentInProgress[]>()
  for (const item of items) {
    if (item.payeeFsp === undefined || item.result !== undefined) continue
    byFsp.set(item.payeeFsp, [...(byFsp.get(item.payeeFsp) ?? []), item])
  }
  return [...byFsp].flatMap(([payeeFsp, all]) =>
    Array.from({ length: Math.ceil(all.length / bulkItems_max) }, (_, at) => {
      return [payeeFsp, all.slice(at * bulkItems_max, (at + 1) * bulkItems_max)] as const
    }),
  )
}

interface PayeeBulk {
  readonly payeeFsp: string
  readonly items: readonly BulkPaymentInProgress[]
  readonly progress: Progress
}

/** Undefined: no transfer was sent. */
async function payOneBulk(
  clients: BulkClients,
  order: BulkOrder,
  bulk: PayeeBulk,
): Promise<BulkSummary | undefined> {
  const bulkQuoteId = randomUUID()
  const agreed = await quoteOneBulk(clients, order, { ...bulk, bulkQuoteId })
  const { counts } = bulk.progress
  counts.quoted += agreed.size
  bulk.progress.report()
  if (agreed.size === 0) return undefined
  const bulkTransferId = randomUUID()
  const transferring = clients.bulkTransfers.transfer({
    bulkTransferId,
    bulkQuoteId,
    payeeFsp: bulk.payeeFsp,
    items: [...agreed.values()],
    expiration: order.expiration,
  })
  counts.sent += agreed.size
  bulk.progress.report()
  const ended = await transferring
  let committed = 0
  for (const [item, { transferId }] of agreed) {
    const result = resultOf(item, transferId, ended)
    bulk.progress.end(item, result)
    if (result.state === 'COMMITTED') committed += 1
  }
  bulk.progress.report()
  const state = ended.state === 'ABORTED' ? 'REJECTED' : ended.state
  const failed = ended.state === 'UNRESOLVED' ? 0 : agreed.size - committed
  return { bulkQuoteId, bulkTransferId, payeeFsp: bulk.payeeFsp, state, committed, failed }
}

function resultOf(
  { transactionId, payeeFsp, quote }: BulkPaymentInProgress,
  transferId: string,
  ended: BulkTransferResult,
): BulkPaymentResult {
  const known = { transactionId, transferId, payeeFsp, quote }
  if (ended.state === 'UNRESOLVED') return { ...known, state: 'UNRESOLVED', error: ended.error }
  const end =
    'items' in ended
      ? (ended.items.get(transferId) ?? noResult)
      : ({ state: 'ABORTED', error: ended.error } as const)
  return end.state === 'COMMITTED'
    ? { ...known, ...end }
    : { ...known, state: 'ABORTED', leg: 'transfer', error: end.error }
}

const noResult = { state: 'ABORTED', error: errorInformation('5000') } as const

/** The transfers of the agreed items; all other items end here. */
async function quoteOneBulk(
  { bulkQuotes }: BulkClients,
  { payer, transactionType = transactionType_default, expiration }: BulkOrder,
  { payeeFsp, items, progress, bulkQuoteId }: PayeeBulk & { readonly bulkQuoteId: string },
): Promise<ReadonlyMap<BulkPaymentInProgress, BulkTransferItem>> {
  const asked = new Map(items.map((item) => [randomUUID() as string, item]))
  const answer = await bulkQuotes.quote({
    bulkQuoteId,
    payeeFsp,
    payer,
    transactionType,
    expiration,
    items: [...asked].map(([quoteId, { payment, transactionId }]) => ({
      quoteId,
      transactionId,
      payee: payment.to,
      amountType: payment.amountType ?? 'SEND',
      amount: payment.amount,
      note: payment.note,
      extensions: payment.extensions,
    })),
  })
  const agreed = new Map<BulkPaymentInProgress, BulkTransferItem>()
  for (const [quoteId, item] of asked) {
    const quoted = answer.state === 'ANSWERED' ? answer.items.get(quoteId) : undefined
    if (quoted?.state === 'AGREED') {
      const { transferAmount: amount, ilpPacket, condition } = quoted.quote
      item.quote = quoted.quote
      const { extensions } = item.payment
      const transferId = randomUUID()
      agreed.set(item, { transferId, amount, ilpPacket, condition, extensions })
      continue
    }
    const error = quoted?.error ?? (answer.state === 'ANSWERED' ? undefined : answer.error)
    progress.end(item, aborted(item, 'quote', error ?? errorInformation('2004')))
  }
  return agreed
}
