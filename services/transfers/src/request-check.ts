/**
 * Before money is reserved the request of the payer FSP must be authentic: the edge has verified it and
 * adds a code that needs a key which the bus does not have. One that is not becomes a dead letter.
 */
import {
  isAuthentic,
  openRequestKeys,
  type PaymentRequest,
  type RequestKey,
} from '@causeway/component-keys'
import type { Relay } from '@causeway/events'
import type { GrpcHost } from '@causeway/grpc'
import type { Metrics } from '@causeway/process'
import { Counter } from 'prom-client'

/** An event of any name; those that are requests of payer FSPs are checked. */
export interface Checked {
  readonly name: string
  readonly payload: unknown
  readonly relay: Relay | undefined
}

/** Throws for a batch with a request that is not authentic; rejects while the key is not known. */
export type RequestCheck = (events: readonly Checked[]) => void | Promise<void>

export const unchecked: RequestCheck = () => undefined

const requests = new Set([
  'TransferPrepareAccountsAllocated',
  'BulkTransferPrepareAccountsAllocated',
])

export function openRequestCheck(grpc: GrpcHost, metrics: Metrics): RequestCheck {
  const keys = openRequestKeys(grpc)
  const unauthenticated = new Counter({
    name: 'transfers_unauthenticated_requests_total',
    help: 'Requests without an authentication code, from processes of an earlier release',
    registers: [metrics],
  })

  function check(asked: readonly Checked[], key: RequestKey | 'NONE'): void {
    for (const { payload, relay } of asked) {
      const mac = relay?.mac
      if (mac === undefined && (key === 'NONE' || Date.now() < key.requiredFrom.getTime())) {
        unauthenticated.inc()
        continue
      }
      // A key that was made meanwhile will be known soon.
      if (key === 'NONE') continue
      const request = payload as PaymentRequest
      if (isAuthentic(key.key, request, mac)) continue
      // The id keeps several of them from looking like one fault of this service.
      throw new Error(`the request ${idOf(request)} is not from the edge`)
    }
  }

  return (events) => {
    const asked = events.filter(({ name }) => requests.has(name))
    if (asked.length === 0) return undefined
    const key = keys.current()
    return key instanceof Promise ? key.then((found) => check(asked, found)) : check(asked, key)
  }
}

function idOf(request: PaymentRequest): string {
  return 'transferId' in request ? request.transferId : request.bulkTransferId
}
