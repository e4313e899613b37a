/**
 * What the payee FSP checks a transfer against: its own packet, amount and secret. The fulfilment
 * is derived from secret and packet alone, and the packet holds the terms of the quote and its
 * expiration; so nothing has to be stored, and nothing can be lost.
 */
import {
  amountToIlp,
  conditionOf,
  decodePacket,
  encodePacket,
  type ErrorInformation,
  errorInformation,
  fulfilmentOf,
  fulfils,
  type PostTransfers,
  readTransaction,
  type Transaction,
} from '@causeway/fspiop'
import type { Amount } from '../amount.ts'

export interface Agreement {
  readonly ilpPacket: string
  readonly condition: string
}

export interface AgreementTerms {
  readonly payeeFsp: string
  /** What the transfer must carry. */
  readonly amount: Amount
  /** The content of the packet for the two FSPs; the hub does not read it. */
  readonly data: Buffer
}

/** The extension of the packet's transaction with the expiration of the quote. */
export const quoteExpirationKey = 'quoteExpiration'

/**
 * The packet of these terms and the condition that the payee FSP will fulfil; undefined when the
 * amount has more decimals than the currency, or the data is too long for a packet.
 */
export function agree(secret: Buffer, terms: AgreementTerms): Agreement | undefined {
  const amount = amountToIlp(terms.amount.amount, terms.amount.currency)
  if (amount === undefined) return undefined
  const ilpPacket = encodePacket({ amount, address: addressOf(terms.payeeFsp), data: terms.data })
  if (ilpPacket === undefined) return undefined
  return { ilpPacket, condition: conditionOf(fulfilmentOf(secret, ilpPacket)) }
}

/** The address of all accounts of an FSP: a global ILP address in the permitted characters. */
function addressOf(fspId: string): string {
  return `g.${fspId.replace(/[^A-Za-z0-9_~-]/g, '-')}`
}

export type Fulfilled =
  | { readonly fulfilment: string; readonly transaction: Transaction | undefined }
  | { readonly error: ErrorInformation }

/** The fulfilment of a transfer that matches this FSP's quote, or the error to answer. */
export function fulfilAgreement(secret: Buffer, transfer: PostTransfers, now: Date): Fulfilled {
  if (Date.parse(transfer.expiration) <= now.getTime()) return { error: errorInformation('3303') }
  const packet = decodePacket(transfer.ilpPacket)
  if (packet === undefined) return broken('the packet cannot be read')
  if (packet.address !== addressOf(transfer.payeeFsp)) {
    return broken('the address of the packet is not that of the payee FSP')
  }
  if (packet.amount !== amountToIlp(transfer.amount.amount, transfer.amount.currency)) {
    return broken('the amount is not that of the packet')
  }
  const fulfilment = fulfilmentOf(secret, transfer.ilpPacket)
  if (!fulfils(fulfilment, transfer.condition)) {
    return broken('the condition is not that of the packet')
  }
  const reading = readTransaction(packet.data)
  if (!reading.ok) return { fulfilment, transaction: undefined }
  const error = breachOf(reading.value, transfer, now)
  return error === undefined ? { fulfilment, transaction: reading.value } : { error }
}

/** The condition proves that the packet is this FSP's own, so its content is what was agreed. */
function breachOf(
  { amount, payer, extensionList }: Transaction,
  transfer: PostTransfers,
  now: Date,
): ErrorInformation | undefined {
  if (amount.currency !== transfer.amount.currency) {
    return errorInformation('5105', 'the currency is not that of the quote')
  }
  const { fspId } = payer.partyIdInfo
  if (fspId !== undefined && fspId !== transfer.payerFsp) {
    return errorInformation('5105', 'the quote was given to another FSP')
  }
  const expiration = extensionList?.extension.find(({ key }) => key === quoteExpirationKey)?.value
  return expiration !== undefined && Date.parse(expiration) <= now.getTime()
    ? errorInformation('3302')
    : undefined
}

function broken(detail: string): Fulfilled {
  return { error: errorInformation('5105', detail) }
}
