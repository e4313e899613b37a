/**
 * A payee FSP whose message was given up may have been told 200 in time: its transfer does not expire
 * while the message is a dead letter. It goes on once an operator has had the letter replayed, or has
 * discarded it.
 */
import type { EventName } from '@causeway/events'
import type { Database, DeadLetterObserver, Metrics } from '@causeway/runtime'
import { Gauge } from 'prom-client'
import { countHeld, hold, release } from './held-back-store.ts'
import type { RaiseAlarm } from './work.ts'

const ofPayee: ReadonlySet<string> = new Set([
  'TransferFulfilCommittedRequested',
  'TransferRejectRequested',
  'BulkTransferFulfilRequested',
  'BulkTransferRejectRequested',
] satisfies EventName[])

/** What to do about the dead letters of the group; the key of a message is its transfer's id. */
export function holdBack(db: Database, alarm: RaiseAlarm): DeadLetterObserver {
  return {
    async onStored({ id, key, type, reason }) {
      if (!mayBeOfPayee(type)) return
      await hold(db, { transferId: key, letterId: id, event: type, reason })
      alarm('PAYEE_MESSAGE_GIVEN_UP', key, `the dead letter ${id} holds it back from its expiry`)
    },
    async onRemoved({ id, key }) {
      await release(db, key, id)
    },
  }
}

/** A message that does not even say its type may be anything. */
function mayBeOfPayee(type: string): boolean {
  return type === '' || ofPayee.has(type)
}

/** Somebody has to look while it is above 0. */
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
