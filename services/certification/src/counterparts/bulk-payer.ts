/** The kit as the payer's FSP of bulk payments to the customer of the FSP under test. */
import { type PutBulkQuotes, putBulkQuotes } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { describe, type Kit, type Matches } from '../kit.ts'
import { bodyOf, ensure, isAnswer, servedOrNotRun } from '../read.ts'
import { inFuture, newQuote, route } from './payer.ts'

export interface BulkQuoteRequest {
  readonly bulkQuoteId: string
  readonly individualQuotes: readonly { readonly quoteId: string }[]
  readonly [member: string]: unknown
}

/** So many quotes for the FSP's customer. */
export function bulkQuote(kit: Kit, count: number): BulkQuoteRequest {
  const { payer } = newQuote(kit)
  return {
    bulkQuoteId: randomUUID(),
    payer,
    expiration: inFuture(kit.settings.answer_ms + kit.settings.silence_ms),
    individualQuotes: Array.from({ length: count }, () => {
      const { quoteId, transactionId, payee, amountType, amount, transactionType } = newQuote(kit)
      return { quoteId, transactionId, payee, amountType, amount, transactionType }
    }),
  }
}

export interface BulkQuoted {
  readonly request: BulkQuoteRequest
  readonly terms: PutBulkQuotes
}

function isBulkQuoteAnswer({ bulkQuoteId }: BulkQuoteRequest): Matches {
  return isAnswer(`/bulkQuotes/${bulkQuoteId}`)
}

/** The FSP's terms of each item. */
export async function bulkQuoted(kit: Kit, count: number): Promise<BulkQuoted> {
  const request = bulkQuote(kit, count)
  const draft = { method: 'POST', path: '/bulkQuotes', ...route(kit), body: request } as const
  servedOrNotRun(await kit.send(draft), '/bulkQuotes')
  const message = await kit.expect('PUT /bulkQuotes/{ID}', isBulkQuoteAnswer(request))
  ensure(!message.path.endsWith('/error'), 'PUT /bulkQuotes/{ID} with results', describe(message))
  return { request, terms: bodyOf(putBulkQuotes, message) }
}

export interface BulkTransferRequest {
  readonly bulkTransferId: string
  readonly individualTransfers: readonly {
    readonly transferId: string
    readonly condition: string
    readonly transferAmount: { readonly currency: string; readonly amount: string }
    readonly [member: string]: unknown
  }[]
  readonly [member: string]: unknown
}

/** A transfer on each item that has terms. */
export function bulkTransferOn(
  { settings }: Kit,
  { request, terms }: BulkQuoted,
): BulkTransferRequest {
  return {
    bulkTransferId: randomUUID(),
    bulkQuoteId: request.bulkQuoteId,
    payerFsp: settings.counterparty,
    payeeFsp: settings.fsp,
    expiration: inFuture(settings.answer_ms + settings.silence_ms),
    individualTransfers: (terms.individualQuoteResults ?? []).flatMap((result) => {
      const { transferAmount, ilpPacket, condition } = result
      if (transferAmount === undefined || ilpPacket === undefined || condition === undefined)
        return []
      const { currency, amount } = transferAmount
      return {
        transferId: randomUUID(),
        transferAmount: { currency, amount },
        ilpPacket,
        condition,
      }
    }),
  }
}
