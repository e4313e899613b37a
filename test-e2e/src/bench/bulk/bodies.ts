/** The messages of a bulk, made ahead. */
import { randomUUID } from 'node:crypto'
import { messageOf, termsOf, type Message } from '../payments.ts'
import { names, type BulkLeg } from './messages.ts'

export interface BulkOfBench {
  readonly items: number
  readonly legs: Readonly<Record<BulkLeg, { readonly request: Message; readonly answer: Message }>>
}

const amount = { currency: 'USD', amount: '1' } as const
const [payerFsp, payeeFsp] = names

/** @param first the number of its first item among the items of all bulks */
export function bulkOf(first: number, items: number, expiration: string): BulkOfBench {
  const bulkQuoteId = randomUUID()
  const bulkTransferId = randomUUID()
  const all = Array.from({ length: items }, (_, n) => itemOf(first + n))
  return {
    items,
    legs: {
      quote: {
        request: fromPayer('bulkQuotes', {
          bulkQuoteId,
          payer: {
            partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '20000000000', fspId: payerFsp },
          },
          individualQuotes: all.map(({ quote }) => quote),
          expiration,
        }),
        answer: fromPayee('bulkQuotes', bulkQuoteId, {
          individualQuoteResults: all.map(({ quoteResult }) => quoteResult),
          expiration,
        }),
      },
      transfer: {
        request: fromPayer('bulkTransfers', {
          bulkTransferId,
          bulkQuoteId,
          payerFsp,
          payeeFsp,
          individualTransfers: all.map(({ transfer }) => transfer),
          expiration,
        }),
        answer: fromPayee('bulkTransfers', bulkTransferId, {
          bulkTransferState: 'COMPLETED',
          completedTimestamp: new Date().toISOString(),
          individualTransferResults: all.map(({ transferResult }) => transferResult),
        }),
      },
    },
  }
}

function itemOf(n: number) {
  const quoteId = randomUUID()
  const transferId = randomUUID()
  const terms = termsOf(n, quoteId, payerFsp, payeeFsp)
  const { ilpPacket, condition, fulfilment } = terms
  const { transactionId, payee, amountType, transactionType, note } = terms.quoteRequest
  return {
    quote: { quoteId, transactionId, payee, amountType, amount, transactionType, note },
    quoteResult: {
      quoteId,
      transferAmount: amount,
      payeeReceiveAmount: amount,
      ilpPacket,
      condition,
    },
    transfer: { transferId, transferAmount: amount, ilpPacket, condition },
    transferResult: { transferId, fulfilment },
  }
}

type BulkResource = 'bulkQuotes' | 'bulkTransfers'

function fromPayer(resource: BulkResource, body: object): Message {
  return messageOf({ from: 0, to: 1, method: 'POST', resource, path: `/${resource}` }, body)
}

function fromPayee(resource: BulkResource, id: string, body: object): Message {
  return messageOf({ from: 1, to: 0, method: 'PUT', resource, path: `/${resource}/${id}` }, body)
}
