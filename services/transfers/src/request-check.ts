/**
 * Before money is reserved the request of the payer FSP must be authentic, and before it is posted or
 * released the answer of the payee FSP: the edge has verified it and adds a code that needs a key which the
 * bus does not have. One that is not becomes a dead letter. An authentic one never does, whichever of two
 * keys its edge has.
 */
import {
  authenticatedEvents,
  isAuthentic,
  openRequestKeys,
  type PaymentRequest,
  type RequestKey,
  type RequestKeys,
} from '@causeway/keys/components'
import type { Relay } from '@causeway/events'
import type { GrpcHost } from '@causeway/grpc'

/** An event of any name; those that the edge authenticates are checked. */
export interface Checked {
  readonly name: string
  readonly payload: unknown
  readonly relay: Relay | undefined
}

/** Throws for a batch with a message that is not authentic; rejects while the key is not known. */
export type RequestCheck = (events: readonly Checked[]) => void | Promise<void>

export const unchecked: RequestCheck = () => undefined

/** What settlements makes of an event of the edge; transfers receives all others as the edge sends them. */
const passedOnAs = new Map<string, string>([
  ['TransferPrepareRequested', 'TransferPrepareAccountsAllocated'],
  ['BulkTransferPrepareRequested', 'BulkTransferPrepareAccountsAllocated'],
])

export const checkedEvents: ReadonlySet<string> = new Set(
  authenticatedEvents.map((name) => passedOnAs.get(name) ?? name),
)

const notFromTheEdge = 'NotFromTheEdge'

/** The id keeps several of them from looking like one fault of this service. */
class NotFromTheEdge extends Error {
  override readonly name = notFromTheEdge
  constructor(request: PaymentRequest) {
    super(`the message about ${idOf(request)} is not from the edge`)
  }
}

/** Whether a dead letter is one because its message is not authentic. */
export function isNotFromTheEdge(reason: string): boolean {
  return reason.startsWith(`${notFromTheEdge}: `)
}

export function openRequestCheck(grpc: GrpcHost): RequestCheck {
  const keys = openRequestKeys(grpc)

  return (events) => {
    const asked = events.filter(({ name }) => checkedEvents.has(name))
    if (asked.length === 0) return undefined
    const key = keys.current()
    if (key instanceof Promise) {
      return key.then((found) => refuse(doubtful(asked, found), keys))
    }
    const left = doubtful(asked, key)
    return left.length === 0 ? undefined : refuse(left, keys)
  }
}

/** The messages that this key does not show to be authentic. */
function doubtful(asked: readonly Checked[], key: RequestKey): readonly Checked[] {
  return asked.filter(
    ({ payload, relay }) => !isAuthentic(keysIn(key), payload as PaymentRequest, relay?.mac),
  )
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
    if (!isAuthentic(keysIn(now), request, relay?.mac)) throw new NotFromTheEdge(request)
  }
}

function idOf(request: PaymentRequest): string {
  return 'transferId' in request ? request.transferId : request.bulkTransferId
}
