/** The messages that an FSP sends about transfers. FSPIOP 6.7. */
import {
  contentType,
  errorInformation,
  type ErrorInformation,
  type PutTransactions,
  writeDateTime,
} from '@causeway/fspiop'
import {
  extensionListOf,
  writeMessage,
  type Extensions,
  type Outgoing,
  type Route,
} from '../message.ts'
import type { TransferOrder } from './outcome.ts'

export function prepareMessage(route: Route, transferId: string, order: TransferOrder): Outgoing {
  return writeMessage('POST', '/transfers', route, {
    transferId,
    payerFsp: route.from,
    payeeFsp: order.payeeFsp,
    amount: { currency: order.amount.currency, amount: order.amount.amount },
    ilpPacket: order.ilpPacket,
    condition: order.condition,
    expiration: writeDateTime(order.expiration),
    ...extensionListOf(order.extensions),
  })
}

export function askMessage(route: Route, transferId: string): Outgoing {
  return writeMessage('GET', `/transfers/${transferId}`, route)
}

/** RESERVED requests the hub's confirmation (PATCH) before the customer gets anything. */
export function fulfilMessage(
  route: Route,
  transferId: string,
  transferState: 'COMMITTED' | 'RESERVED',
  { fulfilment, extensions }: { readonly fulfilment: string; readonly extensions?: Extensions },
): Outgoing {
  const completedTimestamp = new Date().toISOString()
  const body = {
    fulfilment,
    completedTimestamp,
    transferState,
    ...extensionListOf(extensions),
  }
  const message = writeMessage('PUT', `/transfers/${transferId}`, route, body)
  if (transferState === 'COMMITTED') return message
  // Version 1.0 has no RESERVED, also where the request asked for it.
  return { ...message, headers: { ...message.headers, 'content-type': withReserved } }
}

const withReserved = contentType('transfers', '1.1')

export function errorMessage(
  route: Route,
  transferId: string,
  errorInformation: ErrorInformation,
): Outgoing {
  return writeMessage('PUT', `/transfers/${transferId}/error`, route, { errorInformation })
}

/** The answer to GET /transactions/{ID}; 3207 when the transaction is unknown. FSPIOP 6.8. */
export function transactionMessage(
  route: Route,
  transactionId: string,
  transaction: PutTransactions | undefined,
): Outgoing {
  const path = `/transactions/${transactionId}`
  return transaction === undefined
    ? writeMessage('PUT', `${path}/error`, route, { errorInformation: errorInformation('3207') })
    : writeMessage('PUT', path, route, transaction)
}
