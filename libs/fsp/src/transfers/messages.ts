/** The messages that an FSP sends about transfers. FSPIOP 6.7. */
import type { ErrorInformation } from '@causeway/fspiop'
import { extensionListOf, writeMessage, type Outgoing, type Route } from '../message.ts'
import type { TransferOrder } from './outcome.ts'

export function prepareMessage(route: Route, transferId: string, order: TransferOrder): Outgoing {
  return writeMessage('POST', '/transfers', route, {
    transferId,
    payerFsp: route.from,
    payeeFsp: order.payeeFsp,
    amount: { currency: order.amount.currency, amount: order.amount.amount },
    ilpPacket: order.ilpPacket,
    condition: order.condition,
    expiration: order.expiration.toISOString(),
    ...extensionListOf(order.extensions),
  })
}

export function askMessage(route: Route, transferId: string): Outgoing {
  return writeMessage('GET', `/transfers/${transferId}`, route)
}

/** RESERVED asks the hub for its word (PATCH) before the customer gets anything. */
export function fulfilMessage(
  route: Route,
  transferId: string,
  transferState: 'COMMITTED' | 'RESERVED',
  fulfilment: string,
): Outgoing {
  const completedTimestamp = new Date().toISOString()
  const body = { fulfilment, completedTimestamp, transferState }
  return writeMessage('PUT', `/transfers/${transferId}`, route, body)
}

export function errorMessage(
  route: Route,
  transferId: string,
  errorInformation: ErrorInformation,
): Outgoing {
  return writeMessage('PUT', `/transfers/${transferId}/error`, route, { errorInformation })
}
