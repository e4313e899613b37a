/**
 * Messages of a transfer as FSPs write them, and the patterns that tests match received messages
 * with.
 */
import { conditionOf, encodePacket, fulfilmentOf } from '@causeway/fspiop'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Fsp, Received } from './fsp.ts'

export type NamedFsp = Pick<Fsp, 'name'>

export interface Transfer {
  readonly transferId: string
  readonly fulfilment: string
  /** The body of POST /transfers. */
  readonly request: TransferRequest
}

export interface TransferRequest {
  readonly transferId: string
  readonly payerFsp: string
  readonly payeeFsp: string
  readonly amount: { readonly currency: string; readonly amount: string }
  readonly ilpPacket: string
  readonly condition: string
  readonly expiration: string
}

const currency = 'USD'

/** An ILP packet, its condition, and the fulfilment that only the payee FSP has. */
export function newPacket(
  payee: NamedFsp,
  data: Buffer,
): Pick<TransferRequest, 'ilpPacket' | 'condition'> & Pick<Transfer, 'fulfilment'> {
  const address = `g.${payee.name}.msisdn.123456789`
  const ilpPacket = encodePacket({ amount: 1_000n, address, data })
  if (ilpPacket === undefined) throw new Error('the packet cannot be written')
  const fulfilment = fulfilmentOf(randomBytes(32), ilpPacket)
  return { ilpPacket, condition: conditionOf(fulfilment), fulfilment }
}

export function newTransfer(
  payer: NamedFsp,
  payee: NamedFsp,
  { amount = '10', expires_ms = 30_000 }: { amount?: string; expires_ms?: number } = {},
): Transfer {
  const transferId = randomUUID()
  const data = Buffer.from(JSON.stringify({ transactionId: transferId }))
  const { fulfilment, ...packet } = newPacket(payee, data)
  return {
    transferId,
    fulfilment,
    request: {
      transferId,
      payerFsp: payer.name,
      payeeFsp: payee.name,
      amount: { currency, amount },
      ...packet,
      expiration: new Date(Date.now() + expires_ms).toISOString(),
    },
  }
}

export function committed({ fulfilment }: Transfer, transferState = 'COMMITTED') {
  return { fulfilment, completedTimestamp: new Date().toISOString(), transferState }
}

/** Matches a message of this method about this transfer; `/error` with `error`. */
export function about(transferId: string, method: string, error = false) {
  const path = method === 'POST' ? '/transfers' : `/transfers/${transferId}${error ? '/error' : ''}`
  return (message: Received) =>
    message.method === method &&
    message.path === path &&
    (method !== 'POST' || (message.json() as TransferRequest).transferId === transferId)
}

export function errorOf(message: Received): { errorCode: string; errorDescription: string } {
  const { errorInformation } = message.json() as {
    errorInformation: { errorCode: string; errorDescription: string }
  }
  return errorInformation
}
