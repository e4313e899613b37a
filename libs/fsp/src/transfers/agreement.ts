/**
 * What the payee FSP holds a transfer against: its own packet, amount and secret. The fulfilment is
 * made from secret and packet alone, and the packet says what was agreed in the quote and until when;
 * so nothing has to be stored, and nothing can be forgotten.
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
  /** What the packet says to the two FSPs; the hub does not look at it. */
  readonly data: Buffer
}

/** The extension of the packet's transaction that says until when the quote holds. */
export const quoteExpirationKey = 'quoteExpiration'

/**
 * The packet of these terms and the condition that the payee FSP will fulfil; undefined when the
 * amount cannot be said in the currency's smallest coin, or the data is too long for a packet.
 */
export function agree(secret: Buffer, terms: AgreementTerms): Agreement | undefined {
  const amount = amountToIlp(terms.amount.amount, terms.amount.currency)
  if (amount === undefined) return undefined
  const ilpPacket = encodePacket({ amount, address: addressOf(terms.payeeFsp), data: terms.data })
  if (ilpPacket === undefined) return undefined
  return { ilpPacket, condition: conditionOf(fulfilmentOf(secret, ilpPacket)) }
}

/** The address of all accounts of an FSP: a global one, with what an address may hold. */
function addressOf(fspId: string): string {
  return `g.${fspId.replace(/[^A-Za-z0-9_~-]/g, '-')}`
}

export type Kept =
  | { readonly fulfilment: string; readonly transaction: Transaction | undefined }
  | { readonly error: ErrorInformation }

/** The fulfilment of a transfer that is what this FSP has agreed to, or the error to answer. */
export function keepAgreement(secret: Buffer, transfer: PostTransfers, now: Date): Kept {
  if (Date.parse(transfer.expiration) <= now.getTime()) return { error: errorInformation('3303') }
  const packet = decodePacket(transfer.ilpPacket)
  if (packet === undefined) return broken('the packet cannot be read')
  if (packet.address !== addressOf(transfer.payeeFsp)) {
    return broken('the address of the packet is not of the payee FSP')
  }
  if (packet.amount !== amountToIlp(transfer.amount.amount, transfer.amount.currency)) {
    return broken('the amount is not the one of the packet')
  }
  const fulfilment = fulfilmentOf(secret, transfer.ilpPacket)
  if (!fulfils(fulfilment, transfer.condition)) {
    return broken('the condition is not the one of the packet')
  }
  const reading = readTransaction(packet.data)
  if (!reading.ok) return { fulfilment, transaction: undefined }
  const error = breachOf(reading.value, transfer, now)
  return error === undefined ? { fulfilment, transaction: reading.value } : { error }
}

/** The packet is this FSP's own, for the condition proves it: what it says is what was agreed. */
function breachOf(
  { amount, payer, extensionList }: Transaction,
  transfer: PostTransfers,
  now: Date,
): ErrorInformation | undefined {
  if (amount.currency !== transfer.amount.currency) {
    return errorInformation('5105', 'the currency is not the one of the quote')
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

function broken(detail: string): Kept {
  return { error: errorInformation('5105', detail) }
}
