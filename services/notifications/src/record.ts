/**
 * What came of notifications and the report about it are rows of one transaction. Everything that
 * ends while one transaction is under way goes into the next one.
 */
import {
  gather,
  isOutage,
  retrying,
  type Database,
  type EventBus,
  type Logger,
} from '@causeway/runtime'
import { reportOf, type Ended, type Result } from './contract.ts'
import type { Lanes } from './lanes.ts'
import type { Measures } from './measures.ts'
import { save } from './store.ts'
import type { Waiting } from './waiting.ts'

export interface Record {
  /** Resolves when they are stored. */
  persistNow(results: readonly Result[]): Promise<void>
  /**
   * The same for what no caller waits for: what ends within a while is stored together, in the order
   * of the calls and through any outage. 64 results are stored at once, for until then all of it stays
   * in memory.
   */
  persistLater(results: readonly Result[]): Promise<void>
  /** Resolves when nothing is stored any more that was being stored. */
  settled(): Promise<void>
}

export interface RecordParts {
  readonly db: Database
  readonly bus: EventBus
  readonly measures: Measures
  readonly log: Logger
  readonly waiting: Pick<Waiting, 'noteParked'>
  readonly lanes: Pick<Lanes, 'hasMovedSince'>
  /** From its abort on an outage is not waited out. */
  readonly stopping: AbortSignal
}

const results_max = 256
const delivered_ms = 500
/** What is not delivered waits less: its next attempt cannot begin before it is stored. */
const undelivered_ms = 50
const full_round = 64

/** What is stored together. */
interface Round {
  readonly results: Result[]
  readonly stored: Promise<void>
  /** It is stored after this time, once the round before it is. */
  readonly closeWithin: (time_ms: number) => void
}

export function openRecord(parts: RecordParts): Record {
  const storing = new Set<Promise<unknown>>()
  const store = gather<Result, undefined>(
    (results) => {
      const stored = storeAll(parts, results).finally(() => storing.delete(stored))
      storing.add(stored)
      return stored
    },
    { batch_max: results_max },
  )
  const persistNow = async (results: readonly Result[]): Promise<void> => {
    await store(results)
  }
  const persistWithRetries = (results: readonly Result[]): Promise<void> =>
    retrying(() => persistNow(results), {
      log: parts.log,
      what: 'store what came of notifications',
      signal: parts.stopping,
    })

  let round: Round | undefined
  /** Resolves when everything before the next round is stored, or has failed. */
  let before: Promise<unknown> = Promise.resolve()

  function nextRound(): Round {
    const results: Result[] = []
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
        // Another's result may be what cannot be stored.
        if (isOutage(error)) throw error
        await persistWithRetries(results)
      }
    },
  }
}

function isDelivered(result: Result): boolean {
  return result.type === 'ENDED' && result.status === 'SUCCESS'
}

async function storeAll(
  { db, bus, measures, waiting, lanes }: RecordParts,
  came: readonly Result[],
): Promise<readonly undefined[]> {
  const results = came.map((result) => (isOutdated(result, lanes) ? dueNow(result) : result))
  const ended = results.filter((result): result is Ended => result.type === 'ENDED')
  const parked = results.filter(({ type, stored }) => type === 'WAITS' && !stored)
  await db.transaction(async (tx) => {
    await save(tx, results)
    bus.announce(tx, reportOf(ended))
  })
  waiting.noteParked(parked.map(({ notification }) => notification.fspId))
  for (const end of ended) measures.ended(end)
  return results.map(() => undefined)
}

/** It waits after an attempt at an address that its FSP has left: that it failed there says nothing. */
function isOutdated(result: Result, lanes: RecordParts['lanes']): boolean {
  const last = result.type === 'WAITS' ? result.tries.at(-1) : undefined
  return last !== undefined && lanes.hasMovedSince(result.notification.fspId, last.began_ms)
}

function dueNow(result: Result): Result {
  return result.type === 'WAITS' ? { ...result, next_attempt_ms: Date.now() } : result
}
