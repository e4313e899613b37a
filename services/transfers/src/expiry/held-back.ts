/**
 * A payee FSP whose message is a dead letter may have got 200 in time: its transfer does not expire
 * while the message is a dead letter. It continues once an operator has had the message replayed, or has
 * discarded it. A message that is not from the edge, and so of no payee FSP, holds nothing back.
 */
import type { DeadLetterObserver } from '@causeway/bus'
import type { EventName } from '@causeway/events'
import type { Database } from '@causeway/postgres'
import type { Metrics } from '@causeway/process'
import { Gauge } from 'prom-client'
import { countHeld, hold, release } from './held-back-store.ts'
import type { RaiseAlarm } from '../deps.ts'
import { isNotFromTheEdge } from '../request-check.ts'

const ofPayee: ReadonlySet<string> = new Set([
  'TransferFulfilCommittedRequested',
  'TransferRejectRequested',
  'BulkTransferFulfilRequested',
  'BulkTransferRejectRequested',
] satisfies EventName[])

/** Holds transfers back for dead letters of the group; the key of a message is its transfer's id. */
export function holdBack(db: Database, alarm: RaiseAlarm): DeadLetterObserver {
  return {
    async onStored({ id, key, type, reason }) {
      if (!mayBeOfPayee(type) || isNotFromTheEdge(reason)) return
      await hold(db, { transferId: key, letterId: id, event: type, reason })
      alarm('PAYEE_MESSAGE_GIVEN_UP', key, `it does not expire while the dead letter ${id} exists`)
    },
    async onRemoved({ id, key }) {
      await release(db, key, id)
    },
  }
}

/** A message without a type may be any message. */
function mayBeOfPayee(type: string): boolean {
  return type === '' || ofPayee.has(type)
}

/** Above 0, an operator has to act. */
export function measureHeldBack(db: Database, metrics: Metrics): void {
  const gauge: Gauge = new Gauge({
    name: 'transfers_held_back',
    help: 'Transfers that do not expire because a message of the payee FSP is a dead letter',
    registers: [metrics],
    async collect() {
      // Not known while the database does not answer; the other metrics are to be read all the same.
      gauge.set(await countHeld(db).catch(() => NaN))
    },
  })
}
