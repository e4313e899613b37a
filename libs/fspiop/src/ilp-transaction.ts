/**
 * The data of an ILP packet: the transaction that payer FSP and payee FSP have agreed on. FSPIOP 7.4
 * (Transaction).
 */
import { z } from 'zod'
import { type BodyReading, readBody } from './bodies/body.ts'
import { extensionList, money, party, transactionType } from './bodies/complex.ts'
import { correlationId, note } from './bodies/elements.ts'

const transaction = z.compile(
  z.looseObject({
    transactionId: correlationId,
    quoteId: correlationId,
    /** Only after a transaction request. */
    transactionRequestId: correlationId.optional(),
    payee: party,
    payer: party,
    amount: money,
    transactionType,
    note: note.optional(),
    extensionList: extensionList.optional(),
  }),
)

/** `amount` is that of the quote or of the transfer: FSPs differ. */
export type Transaction = z.infer<typeof transaction>

/** The data of a packet as written: JSON in UTF-8. `encodePacket` bounds its size. */
export function writeTransaction(agreed: Transaction): Buffer {
  return Buffer.from(JSON.stringify(agreed))
}

const openingBrace = 0x7b
const base64urlPattern = /^[A-Za-z0-9_-]+={0,2}$/

/**
 * Parses the data in both formats in use, JSON and base64url of JSON; returns the faults of `readBody`
 * for anything else.
 */
export function readTransaction(data: Buffer): BodyReading<Transaction> {
  if (data[0] === openingBrace) return readBody(transaction, data)
  const text = data.toString('latin1')
  return readBody(transaction, base64urlPattern.test(text) ? Buffer.from(text, 'base64url') : data)
}
