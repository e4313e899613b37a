/**
 * In place of a quote: payer and payee agree on a packet and a condition without talking. The secrets
 * of the sandbox FSPs follow from their names, so the payer can make the condition that the payee will
 * fulfil. They are no secrets at all, and quotes will replace this: then only the payee makes them.
 */
import { agree, type Agreement } from '@causeway/fsp'
import { createHash } from 'node:crypto'

export function sandboxSecret(fsp: string): Buffer {
  return createHash('sha256').update(`causeway sandbox ${fsp}`).digest()
}

export interface Terms {
  readonly transferId: string
  readonly payerFsp: string
  readonly payeeFsp: string
  readonly amount: { readonly currency: string; readonly amount: string }
}

/** Undefined when the amount has more decimals than the currency. */
export function agreedTerms({
  transferId,
  payerFsp,
  payeeFsp,
  amount,
}: Terms): Agreement | undefined {
  const transaction = {
    transactionId: transferId,
    payee: party(payeeFsp),
    payer: party(payerFsp),
    amount,
    transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
  }
  const data = Buffer.from(JSON.stringify(transaction))
  return agree(sandboxSecret(payeeFsp), { payeeFsp, amount, data })
}

function party(fspId: string) {
  return { partyIdInfo: { partyIdType: 'ALIAS', partyIdentifier: 'sandbox', fspId } }
}
