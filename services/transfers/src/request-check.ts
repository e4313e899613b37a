/**
 * Before money is reserved the request of the payer FSP must be authentic, and before a refusal releases it
 * that of the payee FSP: the edge has verified it and adds a code that needs a key which the bus does not
 * have. One that is not becomes a dead letter. An authentic one never does, whichever of two keys its edge
 * has.
 */
import {
  authenticatedEvents,
  isAuthentic,
  openRequestKeys,
  type PaymentRequest,
  type RequestKey,
  type RequestKeys,
} from '@causeway/component-keys'
import type { Relay } from '@causeway/events'
import type { GrpcHost } from '@causeway/grpc'
import type { Metrics } from '@causeway/process'
import { Counter } from 'prom-client'

/** An event of any name; those that the edge authenticates are checked. */
export interface Checked {
  readonly name: string
  readonly payload: unknown
  readonly relay: Relay | undefined
}

/** Throws for a batch with a message that is not authentic; rejects while the key is not known. */
export type RequestCheck = (events: readonly Checked[]) => void | Promise<void>

export const unchecked: RequestCheck = () => undefined

/** What settlements makes of a request, and the refusals as the edge sends them. */
const checked: ReadonlySet<string> = new Set([
  ...[...authenticatedEvents].filter((name) => name.includes('Reject')),
  'TransferPrepareAccountsAllocated',
  'BulkTransferPrepareAccountsAllocated',
])

const notFromTheEdge = 'NotFromTheEdge'

/** The id keeps several of them from looking like one fault of this service. */
class NotFromTheEdge extends Error {
  override readonly name = notFromTheEdge
  constructor(request: PaymentRequest) {
    super(`the request ${idOf(request)} is not from the edge`)
  }
}

/** Whether a dead letter is one because its message is not authentic. */
export function isNotFromTheEdge(reason: string): boolean {
  return reason.startsWith(`${notFromTheEdge}: `)
}

export function openRequestCheck(grpc: GrpcHost, metrics: Metrics): RequestCheck {
  const keys = openRequestKeys(grpc)
  const unauthenticated = new Counter({
    name: 'transfers_unauthenticated_requests_total',
    help: 'Requests without an authentication code, from processes of an earlier release',
    registers: [metrics],
  })

  /** The messages that this key does not show to be authentic. */
  function doubtful(asked: readonly Checked[], key: RequestKey | 'NONE'): readonly Checked[] {
    return asked.filter(({ payload, relay }) => {
      const mac = relay?.mac
      // With a code but no key: one that was made meanwhile will be known soon.
      if (key === 'NONE') {
        if (mac === undefined) unauthenticated.inc()
        return false
      }
      if (mac === undefined && Date.now() < key.requiredFrom.getTime()) {
        unauthenticated.inc()
        return false
      }
      return !isAuthentic(keysIn(key), payload as PaymentRequest, mac)
    })
  }

  return (events) => {
    const asked = events.filter(({ name }) => checked.has(name))
    if (asked.length === 0) return undefined
    const key = keys.current()
    if (key instanceof Promise) {
      return key.then((found) => refuse(doubtful(asked, found), keys))
    }
    const left = doubtful(asked, key)
    return left.length === 0 ? undefined : refuse(left, keys)
  }
}

function keysIn({ key, previous }: RequestKey) {
  return previous === undefined ? [key] : [key, previous]
}

/** The edge may have a newer key than this process: nothing is refused by a key that is not that of now. */
async function refuse(left: readonly Checked[], keys: RequestKeys): Promise<void> {
  if (left.length === 0) return
  const now = await keys.reread()
  for (const { payload, relay } of left) {
    const request = payload as PaymentRequest
    const isRefused = now === 'NONE' || !isAuthentic(keysIn(now), request, relay?.mac)
    if (isRefused) throw new NotFromTheEdge(request)
  }
}

function idOf(request: PaymentRequest): string {
  return 'transferId' in request ? request.transferId : request.bulkTransferId
}
