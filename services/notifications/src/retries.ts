/**
 * Retries parked notifications when they are due and their FSP has free slots, until they are
 * delivered or their deadline passes. All state is in the database.
 */
import type { Bodies } from '@causeway/keys/months'
import type { Database } from '@causeway/postgres'
import { periodically, type Logger } from '@causeway/process'
import type { BackoffBounds } from './domain/backoff.ts'
import type { AttemptEnd } from './domain/step.ts'
import type { Lanes } from './lanes/lane.ts'
import type { Record } from './record.ts'
import { resultOf, storing_ms, type Tried } from './result.ts'
import type { Addresses } from './addresses.ts'
import {
  claimDue,
  claimExpired,
  endPauses,
  readSources,
  type Room,
  type ClaimBounds,
  type Claimed,
} from './parked-store.ts'
import type { ParkedFsps } from './waiting.ts'

export interface RetryParts {
  readonly db: Database
  readonly bodies: Bodies
  readonly log: Logger
  readonly lanes: Lanes
  readonly addresses: Addresses
  readonly record: Record
  readonly waiting: ParkedFsps
  readonly backoff: BackoffBounds
  readonly poll_ms: () => number
  readonly timeout_ms: number
}

export interface Retries {
  /** Stores the result of an attempt of a stored notification, then looks for more. */
  onEnd(tried: Omit<Tried, 'stored'>, end: AttemptEnd): void
  /** The FSP answers again: everything parked for it becomes due. */
  onRecovered(fspId: string): void
  /** The FSP may have another address: everything parked for it becomes due and is sent there. */
  onMoved(fspId: string): void
  /** Claims nothing more; attempts in progress are still stored when they end. */
  stop(): Promise<void>
  /** Resolves when everything that has ended is stored. */
  settled(): Promise<void>
}

const rows_max = 200
/** A claimed notification begins within this time or waits for the next claim. */
const begin_within_ms = 2_000

export function openRetries(parts: RetryParts): Retries {
  const { db, bodies, log, lanes, addresses, record, waiting } = parts
  const storing = new Set<Promise<void>>()
  const look = coalesced(async () => {
    const now_ms = Date.now()
    const fspIds = await waiting.refresh(performance.now())
    if (fspIds.length === 0) return
    const bounds = claimBounds(now_ms, parts.timeout_ms)
    const expired = await claimExpired(db, bounds, bodies)
    for (const claimed of expired) onEnd(claimed, { type: 'EXPIRED' })
    const rooms = await roomsOf(parts, fspIds, now_ms)
    if (rooms.length === 0) return
    const claimed = await claimDue(db, rooms, bounds, bodies)
    for (const one of claimed) if (one.unreadable) onEnd(one, { type: 'UNREADABLE' })
    const due = await addresses.renewed(claimed.filter(({ unreadable }) => !unreadable))
    for (const one of due) tryAgain(one, now_ms + begin_within_ms)
  })

  function tryAgain(claimed: Claimed, begin_before_ms: number): void {
    const { notification, attempts } = claimed
    const settle = (end: AttemptEnd) => onEnd(claimed, end)
    const lane = lanes.of(notification.fspId)
    lane.offerRetry({ notification, attempts, begin_before_ms, onEnd: settle })
  }

  function onEnd(tried: Omit<Tried, 'stored'>, end: AttemptEnd): void {
    const result = resultOf({ ...tried, stored: true }, end, parts.backoff)
    track(record.persistNow([result]), 'the result of a parked notification could not be stored')
  }

  /** A failure loses nothing: the row is unchanged and is due when its claim expires. */
  function track(work: Promise<void>, failure: string): void {
    const tracked: Promise<void> = work
      .then(look.now)
      .catch((error: unknown) => log.error({ err: error }, failure))
      .finally(() => storing.delete(tracked))
    storing.add(tracked)
  }

  async function move(fspId: string): Promise<void> {
    await addresses.refresh(fspId)
    lanes.move(fspId)
    // Results stored from now on take the new address into account.
    await record.settled()
    await endPauses(db, fspId, new Date())
  }

  const lookUnlessQuiet = () =>
    waiting.isQuiet(performance.now()) ? Promise.resolve() : look.now()
  const poll = periodically(parts.poll_ms, lookUnlessQuiet, {
    log,
    name: 'look for parked notifications',
  })
  return {
    onEnd,
    onRecovered: (fspId) =>
      track(endPauses(db, fspId, new Date()), 'the pauses of an FSP could not be ended'),
    onMoved: (fspId) =>
      track(move(fspId), 'parked messages could not be redirected to the new address of the FSP'),
    async stop() {
      look.stop()
      await poll.stop()
    },
    async settled() {
      while (storing.size > 0) await Promise.all(storing)
    },
  }
}

/** The slots that there are for further attempts. */
async function roomsOf(
  { db, lanes }: Pick<RetryParts, 'db' | 'lanes'>,
  fspIds: readonly string[],
  now_ms: number,
): Promise<readonly Room[]> {
  const ready = fspIds.filter((fspId) => lanes.of(fspId).hasRoom(now_ms))
  if (ready.length === 0) return []
  const sources = [...(await readSources(db, ready))]
  return sources.flatMap(([fspId, ofFsp]) => lanes.of(fspId).rooms(ofFsp, now_ms))
}

function claimBounds(now_ms: number, timeout_ms: number): ClaimBounds {
  const until_ms = now_ms + begin_within_ms + timeout_ms + storing_ms
  return { now: new Date(now_ms), until: new Date(until_ms), rows_max }
}

interface Coalesced {
  readonly now: () => Promise<void>
  readonly stop: () => void
}

/** Runs one at a time; a call during a run causes one more run after it. */
function coalesced(work: () => Promise<void>): Coalesced {
  let asked = false
  let stopped = false
  let working: Promise<void> | undefined

  async function whileAsked(): Promise<void> {
    try {
      while (asked && !stopped) {
        asked = false
        await work()
      }
    } finally {
      working = undefined
    }
  }

  return {
    now: () => {
      if (stopped) return Promise.resolve()
      asked = true
      working ??= whileAsked()
      return working
    },
    stop: () => {
      stopped = true
    },
  }
}
