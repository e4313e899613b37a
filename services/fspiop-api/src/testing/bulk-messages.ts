/**
 * Valid messages about bulks of a number of items, from greenbank, the payer FSP, and bluewallet.
 */
import { condition, expiration, id } from './messages.ts'

/** The id of the item at this position. */
export function itemId(at: number): string {
  return `${at.toString(16).padStart(8, '0')}${id.slice(8)}`
}

const usd = (amount: string) => ({ currency: 'USD', amount })

function partyOf(partyIdentifier: string, fspId: string) {
  return { partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier, fspId } }
}

export function bulkQuoteRequest(items: number) {
  return {
    bulkQuoteId: id,
    payer: partyOf('987654321', 'greenbank'),
    expiration,
    individualQuotes: Array.from({ length: items }, (_, at) => ({
      quoteId: itemId(at),
      transactionId: itemId(at),
      payee: partyOf(String(100_000_000 + at), 'bluewallet'),
      amountType: 'SEND',
      amount: usd('10'),
      transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'BUSINESS' },
    })),
  }
}

export function bulkQuoteAnswer(items: number) {
  return {
    individualQuoteResults: Array.from({ length: items }, (_, at) => ({
      quoteId: itemId(at),
      transferAmount: usd('10'),
      payeeReceiveAmount: usd('9.5'),
      payeeFspFee: usd('0.5'),
      ilpPacket: 'ASgAAAAAAAAmrBtnLnBheWVlZnNwLm1zaXNkbi4xMjM0NTY3ODkCe30A',
      condition,
    })),
    expiration,
  }
}

export function bulkTransferRequest(items: number) {
  return {
    bulkTransferId: id,
    bulkQuoteId: itemId(0xff),
    payerFsp: 'greenbank',
    payeeFsp: 'bluewallet',
    expiration,
    individualTransfers: Array.from({ length: items }, (_, at) => ({
      transferId: itemId(at),
      transferAmount: usd('10'),
      ilpPacket: 'ASgAAAAAAAAmrBtnLnBheWVlZnNwLm1zaXNkbi4xMjM0NTY3ODkCe30A',
      condition,
    })),
  }
}

export function bulkTransferAnswer(items: number) {
  return {
    completedTimestamp: '2026-11-21T10:00:00.000Z',
    bulkTransferState: 'COMPLETED',
    individualTransferResults: Array.from({ length: items }, (_, at) => ({
      transferId: itemId(at),
      fulfilment: 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA',
    })),
  }
}
