/**
 * A batch of notifications: what is known is left out, what stands behind something unfinished is
 * parked, everything else is tried at once. When the batch is finished, each is stored as delivered,
 * as given up or as parked, and those that ended are reported.
 */
import type { DomainEvent } from '@causeway/events'
import { gather, monthOf, type BatchInHand, type Database } from '@causeway/runtime'
import { notificationOf, type Notification, type Result } from './contract.ts'
import { chainKey, cutIntoChains } from './domain/chains.ts'
import { attemptFirst, type FirstAttemptParts } from './first-attempts.ts'
import type { Record } from './record.ts'
import { parkedResult } from './result.ts'
import { readKnown, type Known } from './store.ts'
import type { Waiting } from './waiting.ts'

export interface HandleParts extends FirstAttemptParts {
  readonly db: Database
  readonly record: Record
  readonly waiting: Pick<Waiting, 'mayBeFor'>
}

interface Heard {
  readonly notification: Notification
  /** It may have come before. */
  readonly again: boolean
}

const asked_max = 512

export function openHandle(
  parts: HandleParts,
): (
  events: readonly DomainEvent<'NotifyRequested'>[],
  batch: Pick<BatchInHand, 'until'>,
) => Promise<void> {
  const known = gather<Notification, Known>(
    (asked) => readKnown(parts.db, asked, thisMonthAndLast(new Date())),
    { batch_max: asked_max },
  )

  /** Most come for the first time, to an FSP that answers: nothing can be known of them. */
  async function factsOf(
    heard: readonly Heard[],
  ): Promise<ReadonlyMap<Notification, Known | undefined>> {
    const inDoubt = heard
      .filter(({ again, notification: { fspId } }) => again || parts.waiting.mayBeFor(fspId))
      .map(({ notification }) => notification)
    const facts = inDoubt.length === 0 ? [] : await known(inDoubt)
    return new Map(inDoubt.map((notification, at) => [notification, facts[at]]))
  }

  return async (events, batch) => {
    const heard = distinct(events, Date.now()).filter(
      ({ notification: { id } }) => !parts.record.isWaiting(id),
    )
    const facts = await factsOf(heard)
    const notifications = heard.map(({ notification }) => notification)
    const fresh = notifications.filter((each) => facts.get(each)?.taken !== true)
    const unfinished = new Set(
      notifications.filter((each) => facts.get(each)?.blocked === true).map(chainKey),
    )
    const { free, blocked } = cutIntoChains(fresh, unfinished)
    const results = [
      ...(await attemptFirst(free, parts)),
      ...blocked.map((notification) => parkedResult(notification, undefined)),
    ]
    // What is parked or given up must be known before anything else of its entity leaves.
    const { record } = parts
    if (results.every(isDelivered) && !record.isFull) batch.until(record.soon(results))
    else await record.now(results)
  }
}

function isDelivered(result: Result): boolean {
  return result.type === 'ENDED' && result.status === 'SUCCESS'
}

/** The same notification twice in a batch is one. */
function distinct(
  events: readonly DomainEvent<'NotifyRequested'>[],
  taken_ms: number,
): readonly Heard[] {
  const byId = new Map<string, Heard>()
  for (const event of events) {
    const notification = notificationOf(event, taken_ms)
    const { again } = event
    if (!byId.has(notification.id)) byId.set(notification.id, { notification, again })
  }
  return [...byId.values()]
}

function thisMonthAndLast(now: Date): readonly [string, string] {
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))
  return [monthOf(last), monthOf(now)]
}
