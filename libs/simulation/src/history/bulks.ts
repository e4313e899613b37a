/** FSPs that pay many in one message, outside of the hub. */
import { randomUUID } from 'node:crypto'
import type { HttpRequest } from '@causeway/http'
import { chance, now_ms, ownedBy, rest } from '../virtual/world.ts'
import { fulfilmentOf, messageOf, priceOf, termsOfItem } from './messages.ts'
import type { PlannedBulk } from './plan.ts'
import { isAccepted, newSent, type Sent } from './record.ts'
import type { Sender } from './sender.ts'

/** What the payer FSP learns: of each item whether it is committed. */
export type Outcome = ReadonlyMap<string, boolean>

export interface BulkRecord {
  readonly id: string
  readonly planned: PlannedBulk
  readonly itemIds: readonly string[]
  /** Known when it is sent. */
  expires_ms: number
  readonly prepare: Sent
  /** Of the payee FSP. */
  answered: Sent | undefined
  readonly outcomes: Outcome[]
}

export function newBulk(planned: PlannedBulk): BulkRecord {
  return {
    id: randomUUID(),
    planned,
    itemIds: planned.items.map(() => randomUUID()),
    expires_ms: Infinity,
    prepare: newSent(),
    answered: undefined,
    outcomes: [],
  }
}

/** Whether both FSPs know all that they will. */
export function isBulkOver({ prepare, answered, outcomes }: BulkRecord): boolean {
  if (prepare.status === undefined) return false
  if (answered !== undefined && answered.status === undefined) return false
  return !isAccepted(prepare) || outcomes.length > 0
}

interface Result {
  readonly transferId: string
  readonly fulfilment?: string
  readonly errorInformation?: object
}

interface Content {
  readonly bulkTransferId?: string
  readonly bulkTransferState?: string
  readonly errorInformation?: object
  readonly individualTransfers?: readonly { readonly transferId: string }[]
  readonly individualTransferResults?: readonly Result[]
}

export class Bulks {
  readonly #sender: Sender
  #records: readonly BulkRecord[] = []

  constructor(sender: Sender) {
    this.#sender = sender
  }

  begin(records: readonly BulkRecord[]): void {
    this.#records = records
  }

  async pay(record: BulkRecord): Promise<void> {
    const { planned, prepare } = record
    await rest(planned.begins_ms)
    record.expires_ms = now_ms() + planned.valid_ms
    const bulkQuoteId = randomUUID()
    await this.#sender.send(prepare, () => bulkOf(record, bulkQuoteId))
  }

  /** Receives a callback about a bulk to the FSP of that name. */
  take(to: string, { method, url, body }: HttpRequest): void {
    const content = JSON.parse(body?.toString() ?? '{}') as Content
    const id = content.bulkTransferId ?? new URL(url).pathname.split('/')[2]
    const record = this.#records.find((each) => each.id === id)
    if (record === undefined) return
    if (method === 'POST') ownedBy(undefined, () => void this.#answer(record, content))
    else if (to === record.planned.payer) note(record, content)
  }

  /** Once; the hub may ask twice. */
  async #answer(record: BulkRecord, { individualTransfers = [] }: Content): Promise<void> {
    const { planned, expires_ms } = record
    if (record.answered !== undefined || planned.speaks === 'SILENT') return
    const answered = newSent()
    record.answered = answered
    await rest(chance().below(50))
    if (planned.speaks === 'LATE') await rest(expires_ms - now_ms() - 200 + chance().below(2_000))
    const ids = individualTransfers.map(({ transferId }) => transferId)
    await this.#sender.send(answered, () => bulkAnswerOf(record, ids))
  }
}

function note(record: BulkRecord, content: Content): void {
  const { bulkTransferState: state, individualTransferResults: results = [] } = content
  if (content.errorInformation !== undefined) record.outcomes.push(new Map())
  else if (state === 'COMPLETED' || state === 'REJECTED') {
    record.outcomes.push(
      new Map(results.map((each) => [each.transferId, each.errorInformation === undefined])),
    )
  }
}

function bulkOf({ id, planned, itemIds, expires_ms }: BulkRecord, bulkQuoteId: string) {
  const { payer, payee } = planned
  return messageOf('POST', '/bulkTransfers', payer, payee, {
    bulkTransferId: id,
    bulkQuoteId,
    payerFsp: payer,
    payeeFsp: payee,
    individualTransfers: itemIds.map((transferId) => ({
      transferId,
      transferAmount: priceOf(itemAmount),
      ...termsOfItem,
    })),
    expiration: new Date(expires_ms).toISOString(),
  })
}

/** Of each item of a bulk. */
export const itemAmount = '0.5'

function bulkAnswerOf(record: BulkRecord, ids: readonly string[]): HttpRequest {
  const { id, planned, itemIds } = record
  const { payer, payee, speaks, items } = planned
  const error = { errorCode: '5104', errorDescription: 'Payee rejected transaction' }
  if (speaks === 'REJECT') {
    return messageOf('PUT', `/bulkTransfers/${id}/error`, payee, payer, { errorInformation: error })
  }
  const results = ids.map((transferId) => {
    const item = items[itemIds.indexOf(transferId)] ?? 'REJECT'
    if (item === 'REJECT') return { transferId, errorInformation: error }
    return { transferId, fulfilment: fulfilmentOf(item) }
  })
  return messageOf('PUT', `/bulkTransfers/${id}`, payee, payer, {
    completedTimestamp: new Date(now_ms()).toISOString(),
    bulkTransferState: 'COMPLETED',
    individualTransferResults: results,
  })
}
