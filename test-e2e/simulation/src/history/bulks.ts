/** FSPs that pay many in one message, outside of the hub. */
import { randomUUID } from 'node:crypto'
import type { HttpRequest } from '@causeway/http'
import { chance, now_ms, ownedBy, rest } from '../virtual/world.ts'
import {
  answerOfBulk,
  bulkOf,
  contentOf,
  outcomeIn,
  partsOf,
  refusalOfBulk,
  requestListsIn,
  type BulkContent,
  type BulkOutcome,
} from './bulk-messages.ts'
import type { PlannedBulk } from './plan/plan.ts'
import { isAccepted, newSent, type SentMessage } from './record.ts'
import type { Sender } from './sender.ts'

/** A message of the payee FSP. */
export interface BulkAnswer {
  /** The ids that it has a result for; those of all items where it refuses the bulk. */
  readonly names: readonly string[]
  readonly sent: SentMessage
}

export interface BulkRecord {
  readonly id: string
  readonly planned: PlannedBulk
  readonly itemIds: readonly string[]
  /** As the request has them: some come once more at its end. */
  readonly requested: readonly string[]
  /** Known when it is sent. */
  expires_ms: number
  readonly prepare: SentMessage
  /** The payee FSP has been asked. */
  isAsked: boolean
  /** Of the payee FSP, one after the other. */
  readonly answers: BulkAnswer[]
  /** What each FSP has learned of the end. */
  readonly outcomes: BulkOutcome[]
  readonly payeeOutcomes: BulkOutcome[]
  /** What is wrong with the request that the payee FSP has got. */
  readonly wrong: string[]
}

export function newBulk(planned: PlannedBulk): BulkRecord {
  const itemIds = planned.items.map(() => randomUUID())
  return {
    id: randomUUID(),
    planned,
    itemIds,
    requested: [...itemIds, ...itemIds.slice(0, planned.twice)],
    expires_ms: Infinity,
    prepare: newSent(),
    isAsked: false,
    answers: [],
    outcomes: [],
    payeeOutcomes: [],
    wrong: [],
  }
}

/** Whether both FSPs know all that they will. */
export function isBulkOver({ prepare, answers, outcomes }: BulkRecord): boolean {
  if (prepare.status === undefined) return false
  if (answers.some(({ sent }) => sent.status === undefined)) return false
  return !isAccepted(prepare) || outcomes.length > 0
}

/** In which a payee FSP sends all messages of a flood. */
const flood_ms = 1_000

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
  take(to: string, request: HttpRequest): void {
    const content = contentOf(request)
    const id = content.bulkTransferId ?? new URL(request.url).pathname.split('/')[2]
    const record = this.#records.find((each) => each.id === id)
    if (record === undefined) return
    if (request.method === 'POST') {
      ownedBy(undefined, () => void this.#answer(record, content))
      return
    }
    const outcome = outcomeIn(content)
    if (outcome === undefined) return
    if (to === record.planned.payer) record.outcomes.push(outcome)
    // An error concerns what it has sent, and not the bulk.
    else if (outcome !== 'REFUSED') record.payeeOutcomes.push(outcome)
  }

  /** Whatever the hub answers. */
  async #flood(record: BulkRecord): Promise<void> {
    await rest(chance().below(flood_ms))
    await this.#sender.sendOnce(() => answerOfBulk(record, [randomUUID()], 'PROCESSING'))
  }

  /** Once; the hub may ask twice. */
  async #answer(record: BulkRecord, content: BulkContent): Promise<void> {
    record.wrong.push(...requestListsIn(record, content))
    const { planned, expires_ms } = record
    const { speaks } = planned
    if (record.isAsked) return
    record.isAsked = true
    for (let n = 0; n < (planned.floods ?? 0); n++) void this.#flood(record)
    if (speaks === 'SILENT') return
    const ids = (content.individualTransfers ?? []).map(({ transferId }) => transferId)
    // Known at once, so that the history waits for them.
    const messages = partsOf(planned, ids).map((names) => ({ names, sent: newSent() }))
    record.answers.push(...messages)
    await rest(chance().below(50))
    for (const [at, { names, sent }] of messages.entries()) {
      const isLast = at === messages.length - 1
      if (isLast && speaks === 'JUST') await rest(expires_ms - now_ms() - 50 - chance().below(300))
      if (isLast && speaks === 'LATE')
        await rest(expires_ms - now_ms() - 200 + chance().below(2_000))
      const state = isLast && speaks !== 'PARTLY' ? 'COMPLETED' : 'PROCESSING'
      await this.#sender.send(sent, () =>
        speaks === 'REJECT' ? refusalOfBulk(record) : answerOfBulk(record, names, state),
      )
      if (!isLast) await rest(chance().below(300))
    }
  }
}
