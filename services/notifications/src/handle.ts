/**
 * Receives notifications from the bus. Each is sent at once, and stays unfinished on the bus until it is
 * stored as delivered, failed or parked. No notification waits for one to another FSP, so a batch ends
 * as soon as its attempts have begun; only the number of open notifications is bounded.
 */
import type { BatchContext } from '@causeway/bus'
import type { DomainEvent } from '@causeway/events'
import { monthOf, type Database } from '@causeway/postgres'
import { gather, retrying, type Logger } from '@causeway/process'
import { notificationOf, type Notification } from './contract.ts'
import { openFirstAttempts, type FirstAttemptParts, type Taken } from './first-attempts.ts'
import type { Record } from './record.ts'
import { continuing } from './tracing.ts'
import { claimKeys, readKnown, type Known } from './store.ts'
import type { Waiting } from './waiting.ts'

export interface HandleParts extends Omit<
  FirstAttemptParts,
  'known' | 'store' | 'bytesPerFsp_max'
> {
  readonly db: Database
  readonly log: Logger
  readonly record: Pick<Record, 'persistLater'>
  readonly waiting: Pick<Waiting, 'mayHaveParked'>
  /** Whether attempts continue the trace of their event. */
  readonly isTraced: boolean
  /** Once aborted, an outage fails the call instead of being retried. */
  readonly stopping: AbortSignal
}

const lookUps_max = 512
/** Beyond one of these bounds nothing is received from the bus until some are stored. */
const open_max = 10_000
const open_bytes_max = 64 * 2 ** 20
/** The share of one FSP, so that an FSP that does not answer leaves room for the others. */
const bytesPerFsp_max = open_bytes_max / 4

export type Handle = (
  events: readonly DomainEvent<'NotifyRequested'>[],
  batch: Pick<BatchContext, 'until'>,
) => Promise<void>

export function openHandle(parts: HandleParts): Handle {
  const { db, log, record, waiting, isTraced, stopping: signal } = parts
  const ask = gather<Notification, Known>(
    async (asked) => {
      const known = await readKnown(db, asked, thisMonthAndLast(new Date()))
      const modified = await claimKeys(db, asked)
      return known.map((each, at) => {
        const notification = asked[at]
        return { ...each, modified: notification !== undefined && modified.has(notification) }
      })
    },
    { batch_max: lookUps_max },
  )
  const what = 'look up stored notifications'
  const attempts = openFirstAttempts({
    ...parts,
    bytesPerFsp_max,
    known: async (notification) => {
      const [known] = await retrying(() => ask([notification]), { log, what, signal })
      if (known === undefined) throw new Error('the look-up returned nothing')
      return known
    },
    store: (result) => record.persistLater([result]),
  })
  const room = openRoom()

  return async (events, batch) => {
    const taken = distinct(events, Date.now(), isTraced).filter(
      ({ notification: { id } }) => !attempts.has(id),
    )
    const bytes = taken.reduce((sum, { notification: { body } }) => sum + body.length, 0)
    batch.until(
      attempts
        .begin(
          taken.map((each) => ({ ...each, needsLookUp: each.needsLookUp || mayBeStored(each) })),
        )
        .finally(room.enter(taken.length, bytes)),
    )
    await room.whenAvailable()
  }

  /** An earlier one of its entity may be parked, or its key may belong to other content. */
  function mayBeStored({ notification: { fspId, request } }: Taken): boolean {
    return request.idempotency !== undefined || waiting.mayHaveParked(fspId)
  }
}

interface Room {
  /** So much is open until the function that it returns is called. */
  enter(notifications: number, bytes: number): () => void
  /** Resolves when more may be taken. */
  whenAvailable(): Promise<void>
}

function openRoom(): Room {
  let open = 0
  let open_bytes = 0
  let onRoom: (() => void)[] = []
  const isFull = () => open >= open_max || open_bytes >= open_bytes_max
  return {
    enter(notifications, bytes) {
      open += notifications
      open_bytes += bytes
      return () => {
        open -= notifications
        open_bytes -= bytes
        if (isFull()) return
        const waiting = onRoom
        onRoom = []
        for (const resume of waiting) resume()
      }
    },
    whenAvailable: () =>
      isFull() ? new Promise((resolve) => onRoom.push(resolve)) : Promise.resolve(),
  }
}

/** Removes duplicates within a batch. */
function distinct(
  events: readonly DomainEvent<'NotifyRequested'>[],
  taken_ms: number,
  isTraced: boolean,
): readonly Taken[] {
  const byId = new Map<string, Taken>()
  for (const event of events) {
    const received = notificationOf(event, taken_ms)
    const notification = isTraced ? continuing(received, event.traceparent) : received
    if (!byId.has(notification.id))
      byId.set(notification.id, { notification, needsLookUp: event.maybeDuplicate })
  }
  return [...byId.values()]
}

function thisMonthAndLast(now: Date): readonly [string, string] {
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))
  return [monthOf(last), monthOf(now)]
}
