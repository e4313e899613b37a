/**
 * What the payee FSP holds a transfer against: its own packet, amount and secret. The fulfilment is
 * made from secret and packet alone, so it can be made again at any time and need not be stored.
 */
import {
  conditionOf,
  decodePacket,
  encodePacket,
  type ErrorInformation,
  errorInformation,
  fulfilmentOf,
  fulfils,
  type PostTransfers,
} from '@causeway/fspiop'
import { currencyExponent, minorUnits, parseAmount } from '@causeway/money'

export interface Agreement {
  readonly ilpPacket: string
  readonly condition: string
}

export interface AgreementTerms {
  readonly payeeFsp: string
  readonly amount: { readonly currency: string; readonly amount: string }
  /** What the packet says to the two FSPs; the hub does not look at it. */
  readonly data: Buffer
}

/**
 * The packet of these terms and the condition that the payee FSP will fulfil; undefined when the
 * amount cannot be said in the currency's smallest coin.
 */
export function agree(secret: Buffer, terms: AgreementTerms): Agreement | undefined {
  const amount = coins(terms.amount)
  if (amount === undefined) return undefined
  const ilpPacket = encodePacket({ amount, address: `g.${terms.payeeFsp}`, data: terms.data })
  if (ilpPacket === undefined) return undefined
  return { ilpPacket, condition: conditionOf(fulfilmentOf(secret, ilpPacket)) }
}

/** The fulfilment of a transfer that is what this FSP has agreed to, or the error to answer. */
export function keepAgreement(
  secret: Buffer,
  transfer: PostTransfers,
  now: Date,
): { readonly fulfilment: string } | { readonly error: ErrorInformation } {
  if (Date.parse(transfer.expiration) <= now.getTime()) return { error: errorInformation('3303') }
  const packet = decodePacket(transfer.ilpPacket)
  if (packet === undefined) return broken('the packet cannot be read')
  if (packet.amount !== coins(transfer.amount)) {
    return broken('the amount is not the one of the packet')
  }
  const fulfilment = fulfilmentOf(secret, transfer.ilpPacket)
  return fulfils(fulfilment, transfer.condition)
    ? { fulfilment }
    : broken('the condition is not the one of the packet')
}

function broken(detail: string): { readonly error: ErrorInformation } {
  return { error: errorInformation('5105', detail) }
}

function coins(amount: { readonly currency: string; readonly amount: string }): bigint | undefined {
  const units = parseAmount(amount.amount)
  const exponent = currencyExponent(amount.currency)
  return units === undefined || exponent === undefined ? undefined : minorUnits(units, exponent)
}
