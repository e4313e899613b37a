/**
 * Stores the results of notifications and their report in one transaction. Results that arrive during
 * one transaction are stored in the next one.
 */
import type { EventBus } from '@causeway/bus'
import type { Bodies } from '@causeway/keys/months'
import type { Database } from '@causeway/postgres'
import { gather, isOutage, retrying, type Logger } from '@causeway/process'
import { reportOf, type EndedNotification, type NotificationResult } from './contract.ts'
import type { Lanes } from './lanes/lane.ts'
import type { DeliveryMeasures } from './measures.ts'
import { save } from './store.ts'
import type { ParkedFsps } from './waiting.ts'

export interface Record {
  /** Resolves when they are stored. */
  persistNow(results: readonly NotificationResult[]): Promise<void>
  /**
   * The same for results that no caller waits for: they are stored in batches, in the order of the
   * calls, and retried through any outage. A batch of 64 is stored at once, because its notifications
   * stay in memory until then.
   */
  persistLater(results: readonly NotificationResult[]): Promise<void>
  /** Resolves when all transactions in progress have ended. */
  settled(): Promise<void>
}

export interface RecordParts {
  readonly db: Database
  readonly bus: EventBus
  readonly bodies?: Bodies
  readonly measures: DeliveryMeasures
  readonly log: Logger
  readonly waiting: Pick<ParkedFsps, 'noteParked'>
  readonly lanes: Pick<Lanes, 'hasMovedSince'>
  /** Once aborted, an outage fails the call instead of being retried. */
  readonly stopping: AbortSignal
}

const results_max = 256
const delivered_ms = 500
/** An undelivered result waits less, because its next attempt cannot begin before it is stored. */
const undelivered_ms = 50
const full_round = 64

/** Results that are stored together. */
interface Round {
  readonly results: NotificationResult[]
  readonly stored: Promise<void>
  /** Stores it after this time at the latest, once the previous round is stored. */
  readonly closeWithin: (time_ms: number) => void
}

export function openRecord(parts: RecordParts): Record {
  const storing = new Set<Promise<unknown>>()
  const store = gather<NotificationResult, undefined>(
    (results) => {
      const stored = storeAll(parts, results).finally(() => storing.delete(stored))
      storing.add(stored)
      return stored
    },
    { batch_max: results_max },
  )
  const persistNow = async (results: readonly NotificationResult[]): Promise<void> => {
    await store(results)
  }
  const persistWithRetries = (results: readonly NotificationResult[]): Promise<void> =>
    retrying(() => persistNow(results), {
      log: parts.log,
      what: 'store the results of notifications',
      signal: parts.stopping,
    })

  let round: Round | undefined
  /** Resolves when all earlier rounds are stored or have failed. */
  let before: Promise<unknown> = Promise.resolve()

  function nextRound(): Round {
    const results: NotificationResult[] = []
    let end: () => void = () => undefined
    const closed = new Promise<void>((resolve) => (end = resolve))
    let timer = setTimeout(end, delivered_ms)
    let left_ms = delivered_ms
    const closeWithin = (time_ms: number): void => {
      if (time_ms >= left_ms) return
      left_ms = time_ms
      clearTimeout(timer)
      if (time_ms === 0) end()
      else timer = setTimeout(end, time_ms)
    }
    const stored = Promise.all([closed, before]).then(() => {
      round = undefined
      return persistWithRetries(results)
    })
    before = stored.catch(() => undefined)
    return { results, stored, closeWithin }
  }

  return {
    persistNow,
    async settled() {
      await Promise.allSettled(storing)
    },
    async persistLater(results) {
      const current = (round ??= nextRound())
      current.results.push(...results)
      if (current.results.length >= full_round) current.closeWithin(0)
      else if (!results.every(isDelivered)) current.closeWithin(undelivered_ms)
      try {
        await current.stored
      } catch (error) {
        // Another result of the round may be the one that cannot be stored.
        if (isOutage(error)) throw error
        await persistWithRetries(results)
      }
    },
  }
}

function isDelivered(result: NotificationResult): boolean {
  return result.type === 'ENDED' && result.status === 'SUCCESS'
}

async function storeAll(
  { db, bus, bodies, measures, waiting, lanes }: RecordParts,
  given: readonly NotificationResult[],
): Promise<readonly undefined[]> {
  const results = given.map((result) => (isOutdated(result, lanes) ? dueNow(result) : result))
  const ended = results.filter((result): result is EndedNotification => result.type === 'ENDED')
  const parked = results.filter(({ type, stored }) => type === 'WAITS' && !stored)
  await db.transaction(async (tx) => {
    await save(tx, results, bodies)
    bus.announce(tx, reportOf(ended))
  })
  waiting.noteParked(parked.map(({ notification }) => notification.fspId))
  for (const end of ended) measures.ended(end)
  return results.map(() => undefined)
}

/** Whether its last attempt went to an address that the FSP has changed since; such a failure is void. */
function isOutdated(result: NotificationResult, lanes: RecordParts['lanes']): boolean {
  const last = result.type === 'WAITS' ? result.tries.at(-1) : undefined
  return last !== undefined && lanes.hasMovedSince(result.notification.fspId, last.began_ms)
}

function dueNow(result: NotificationResult): NotificationResult {
  return result.type === 'WAITS' ? { ...result, next_attempt_ms: Date.now() } : result
}
