/** The messages that an FSP sends about transfers, with every header that they must have. */
import { contentType, type ErrorInformation, writeHttpDate } from '@causeway/fspiop'
import type { Outgoing } from './hub-link.ts'
import type { TransferOrder } from './outcome.ts'

const mediaType = contentType('transfers', '1.1')

/** Between which FSPs; an empty destination is the hub's to fill in. */
export interface Route {
  readonly from: string
  readonly to: string
}

export function prepareMessage(route: Route, transferId: string, order: TransferOrder): Outgoing {
  const body = {
    transferId,
    payerFsp: route.from,
    payeeFsp: order.payeeFsp,
    amount: { currency: order.amount.currency, amount: order.amount.amount },
    ilpPacket: order.ilpPacket,
    condition: order.condition,
    expiration: order.expiration.toISOString(),
    ...(order.extensions === undefined ? {} : { extensionList: { extension: order.extensions } }),
  }
  return message('POST', '/transfers', route, body)
}

export function askMessage(route: Route, transferId: string): Outgoing {
  return message('GET', `/transfers/${transferId}`, route)
}

/** RESERVED asks the hub for its word (PATCH) before the customer gets anything. */
export function fulfilMessage(
  route: Route,
  transferId: string,
  transferState: 'COMMITTED' | 'RESERVED',
  fulfilment: string,
): Outgoing {
  const completedTimestamp = new Date().toISOString()
  return message('PUT', `/transfers/${transferId}`, route, {
    fulfilment,
    completedTimestamp,
    transferState,
  })
}

export function errorMessage(
  route: Route,
  transferId: string,
  errorInformation: ErrorInformation,
): Outgoing {
  return message('PUT', `/transfers/${transferId}/error`, route, { errorInformation })
}

function message(method: Outgoing['method'], path: string, route: Route, body?: object): Outgoing {
  const headers: Record<string, string> = {
    'content-type': mediaType,
    date: writeHttpDate(new Date()),
    'fspiop-source': route.from,
    'fspiop-destination': route.to,
  }
  if (method !== 'PUT') headers['accept'] = mediaType
  return {
    method,
    path,
    headers,
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  }
}
