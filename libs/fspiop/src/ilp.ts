/**
 * The Interledger parts of quotes and transfers: the packet of the two FSPs, and the hub's check that a
 * fulfilment matches a condition. The hub makes no decision from the packet. FSPIOP 4, 6.5.
 */
import { hash, createHmac, timingSafeEqual } from 'node:crypto'
import { currencyExponent, minorUnits, parseAmount } from '@causeway/money'
import { deserializeIlpPayment, serializeIlpPayment } from 'ilp-packet'

/** A packet of type 1 (payment). */
export interface IlpPacket {
  /** In minor units of the currency; below 2^64. */
  readonly amount: bigint
  /** The ILP address of the payee. */
  readonly address: string
  readonly data: Buffer
}

/**
 * The amount of a packet: 99 USD is 9900, 99 JPY is 99. `undefined` for an invalid amount or currency,
 * for more decimals than the currency has (3100), or when it does not fit 64 bits.
 */
export function amountToIlp(amount: string, currency: string): bigint | undefined {
  const units = parseAmount(amount)
  const exponent = currencyExponent(currency)
  return units === undefined || exponent === undefined ? undefined : minorUnits(units, exponent)
}

const amount_max = 2n ** 64n - 1n
const address_max = 1023
const data_max = 32_767
const packetText_max = 32_768
const conditionPattern = /^[A-Za-z0-9_-]{43}$/
const addressPattern = /^[A-Za-z0-9_~-]+(?:\.[A-Za-z0-9_~-]+)*$/

/**
 * The packet as base64url without padding, in the enveloped format; `undefined` when a part exceeds its
 * bounds, which the codec would turn into a different packet instead of refusing it.
 */
export function encodePacket({ amount, address, data }: IlpPacket): string | undefined {
  if (amount < 0n || amount > amount_max || data.length > data_max) return undefined
  if (address.length > address_max || !addressPattern.test(address)) return undefined
  const bytes = serializeIlpPayment({ amount: String(amount), account: address, data })
  const text = bytes.toString('base64url')
  return text.length > packetText_max ? undefined : text
}

/**
 * Parses both formats in use: enveloped (a length after the type, extensions at the end) and flat
 * (neither). `undefined` for anything that is not a payment packet; it never throws.
 */
export function decodePacket(text: string): IlpPacket | undefined {
  if (text.length > packetText_max) return undefined
  const bytes = Buffer.from(text, 'base64url')
  if (bytes[0] !== 1) return undefined
  return decodeEnveloped(bytes) ?? decodeFlat(bytes)
}

function decodeEnveloped(bytes: Buffer): IlpPacket | undefined {
  const envelope = readVariable(bytes, 1)
  if (envelope?.end !== bytes.length) return undefined
  try {
    const { amount, account, data } = deserializeIlpPayment(bytes)
    return { amount: BigInt(amount), address: account, data }
  } catch {
    return undefined
  }
}

function decodeFlat(bytes: Buffer): IlpPacket | undefined {
  if (bytes.length < 9) return undefined
  const address = readVariable(bytes, 9)
  const data = address === undefined ? undefined : readVariable(bytes, address.end)
  if (address === undefined || data?.end !== bytes.length) return undefined
  return {
    amount: bytes.readBigUInt64BE(1),
    address: address.content.toString('latin1'),
    data: data.content,
  }
}

/** Length-prefixed octets in OER: below 128 one byte, else 0x80 + count, then count bytes. */
function readVariable(
  bytes: Buffer,
  offset: number,
): { readonly content: Buffer; readonly end: number } | undefined {
  const first = bytes[offset]
  if (first === undefined) return undefined
  const lengthBytes = first < 128 ? 0 : first - 128
  const start = offset + 1 + lengthBytes
  if (lengthBytes > 3 || start > bytes.length) return undefined
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(offset + 1, lengthBytes)
  const end = start + length
  return end > bytes.length ? undefined : { content: bytes.subarray(start, end), end }
}

/** The fulfilment of a packet: HMAC-SHA-256 with the payee FSP's secret of 32 bytes, 43 characters. */
export function fulfilmentOf(secret: Buffer, packet: string): string {
  return createHmac('sha256', secret).update(packet, 'base64url').digest('base64url')
}

/** The condition that the fulfilment fulfils: its SHA-256, 43 characters. */
export function conditionOf(fulfilment: string): string {
  return hash('sha256', Buffer.from(fulfilment, 'base64url'), 'base64url')
}

/**
 * Whether SHA-256 of the fulfilment is the condition. Bytes are compared, not texts, because the last
 * character of either has unused bits; anything other than exactly 32 bytes is false.
 */
export function fulfils(fulfilment: string, condition: string): boolean {
  if (!conditionPattern.test(fulfilment) || !conditionPattern.test(condition)) return false
  const digest = hash('sha256', Buffer.from(fulfilment, 'base64url'), 'buffer')
  return timingSafeEqual(digest, Buffer.from(condition, 'base64url'))
}

/** 32 bytes as base64url without padding, as conditions and fulfilments are written. */
export function isCondition(text: string): boolean {
  return conditionPattern.test(text)
}
