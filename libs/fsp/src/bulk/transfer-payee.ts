/**
 * The payee's side of a bulk transfer: each item is decided like a transfer of its own, the bulk is
 * answered once, and the hub's outcome of each item is reported once.
 */
import {
  errorInformation,
  type IndividualTransfer,
  payloadHash,
  type PostBulkTransfers,
  postBulkTransfers,
  type PostTransfers,
  putBulkTransfers,
} from '@causeway/fspiop'
import { informationIn } from '../errors.ts'
import { bodyOf, type InboundHandler, type HandlerResult, idOf, type Received } from '../inbound.ts'
import { extensionListOf, writeMessage } from '../message.ts'
import {
  type CachedRequest,
  openIdempotencyCache,
  type IdempotencyCache,
} from '../idempotency-cache.ts'
import { fulfilAgreement } from '../transfers/agreement.ts'
import { decisionOf, type PayeeOptions } from '../transfers/payee.ts'

export type BulkPayeeOptions = Pick<
  PayeeOptions,
  | 'name'
  | 'hubName'
  | 'link'
  | 'secret'
  | 'onTransfer'
  | 'onOutcome'
  | 'margin_ms'
  | 'remembered_max'
>

export interface BulkPayee {
  take(message: Received): HandlerResult
  readonly handleOutcome: InboundHandler
  readonly handleError: InboundHandler
}

interface CachedBulkTransfer extends CachedRequest {
  /** Accepted items whose outcome has not been reported yet. */
  readonly open: Set<string>
}

export function openBulkPayee(options: BulkPayeeOptions): BulkPayee {
  const { name, hubName, link, margin_ms, remembered_max, onOutcome } = options
  const bulks = openIdempotencyCache<CachedBulkTransfer>(link, remembered_max)

  function askedOf({ source }: Received, id: string): CachedBulkTransfer | HandlerResult {
    const taken = bulks.get(id)
    if (taken === undefined) return 'NOT_MINE'
    return source === hubName ? taken : { rejected: `${source} is not the hub` }
  }

  return {
    take({ source, ...message }) {
      const reading = bodyOf(postBulkTransfers, { source, ...message })
      if (!reading.ok) return { rejected: reading.detail }
      const body = reading.value
      if (body.payeeFsp !== name) return { rejected: `/payeeFsp: this is ${name}` }
      if (body.payerFsp !== source && source !== hubName) {
        return { rejected: '/payerFsp: it is not the source' }
      }
      const terms = payloadHash(reading.json)
      const known = bulks.get(body.bulkTransferId)
      if (known === undefined) {
        const until_ms = Date.parse(body.expiration) + margin_ms
        const taken: CachedBulkTransfer = { terms, until_ms, answer: undefined, open: new Set() }
        bulks.add(body.bulkTransferId, taken)
        void decide(options, bulks, { taken, to: source, body })
      } else if (known.terms === terms) {
        bulks.resend(known)
      } else {
        const path = `/bulkTransfers/${body.bulkTransferId}/error`
        const error = { errorInformation: errorInformation('3106') }
        const modified = writeMessage('PUT', path, { from: name, to: source }, error)
        void link.sendUntil(modified, known.until_ms)
      }
      return 'HANDLED'
    },
    handleOutcome(message) {
      const taken = askedOf(message, idOf(message))
      if (typeof taken === 'string' || 'rejected' in taken) return taken
      const reading = bodyOf(putBulkTransfers, message)
      if (!reading.ok) return { rejected: reading.detail }
      for (const result of reading.value.individualTransferResults ?? []) {
        const { transferId, fulfilment, errorInformation: reported } = result
        if (fulfilment === undefined && reported === undefined) continue
        if (!taken.open.delete(transferId)) continue
        const error = reported && informationIn({ errorInformation: reported })
        onOutcome({ transferId, state: error ? 'ABORTED' : 'COMMITTED', error })
      }
      return 'HANDLED'
    },
    /** An error of the bulk as a whole; the hub reports each item in the bulk's outcome. */
    handleError(message) {
      const taken = askedOf(message, idOf(message))
      return typeof taken === 'string' || 'rejected' in taken ? taken : 'HANDLED'
    },
  }
}

interface Deciding {
  readonly taken: CachedBulkTransfer
  readonly to: string
  readonly body: PostBulkTransfers
}

async function decide(
  options: BulkPayeeOptions,
  bulks: IdempotencyCache<CachedBulkTransfer>,
  { taken, to, body }: Deciding,
): Promise<void> {
  const results = await Promise.all(
    body.individualTransfers.map((item) => resultOf(options, itemOf(body, item))),
  )
  const answered = results.flatMap((result) => result ?? [])
  for (const { transferId, fulfilment } of answered) {
    if (fulfilment !== undefined) taken.open.add(transferId)
  }
  if (answered.length === 0) return
  const route = { from: options.name, to }
  const answer = writeMessage('PUT', `/bulkTransfers/${body.bulkTransferId}`, route, {
    completedTimestamp: new Date().toISOString(),
    individualTransferResults: answered,
    bulkTransferState: 'COMPLETED',
  })
  await bulks.answer(taken, answer)
}

/** The item as a transfer of its own. */
function itemOf(
  { payerFsp, payeeFsp, expiration }: PostBulkTransfers,
  { transferId, transferAmount: amount, ilpPacket, condition, extensionList }: IndividualTransfer,
): PostTransfers {
  const terms = { transferId, payerFsp, payeeFsp, amount, ilpPacket, condition, expiration }
  return { ...terms, ...(extensionList === undefined ? {} : { extensionList }) }
}

/** Undefined: no result is sent for the item. */
async function resultOf(options: BulkPayeeOptions, item: PostTransfers) {
  const { transferId } = item
  const agreement = fulfilAgreement(options.secret, item, new Date())
  if ('error' in agreement)
    return { transferId, fulfilment: undefined, errorInformation: agreement.error }
  const decision = await decisionOf(options, item, agreement)
  switch (decision.type) {
    case 'COMMIT':
    case 'RESERVE':
      return {
        transferId,
        fulfilment: agreement.fulfilment,
        ...extensionListOf(decision.extensions),
      }
    case 'REJECT':
      return { transferId, fulfilment: undefined, errorInformation: decision.error }
    case 'IGNORE':
      return undefined
  }
}
