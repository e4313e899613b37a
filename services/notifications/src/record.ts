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
import type { Measures } from './measures.ts'
import { save } from './store.ts'
import type { Waiting } from './waiting.ts'

export interface Record {
  /** Resolves when they are stored. */
  now(results: readonly Result[]): Promise<void>
  /**
   * The same for what was delivered and needs nothing more: nobody waits for it, so what ends within
   * a while is stored together, through any outage. When there is enough to be worth it, it is stored
   * at once, for until then all of it stays in memory.
   */
  soon(delivered: readonly Result[]): Promise<void>
  /** Whether so many wait that no more may: a crash would send all of them again. */
  readonly isFull: boolean
  /** Whether it is delivered and not stored yet. */
  isWaiting(notificationId: string): boolean
  /** From here on an outage is not waited out. */
  stop(): void
}

export interface RecordParts {
  readonly db: Database
  readonly bus: EventBus
  readonly measures: Measures
  readonly log: Logger
  readonly waiting: Pick<Waiting, 'parked'>
}

const results_max = 256
const soon_ms = 500
const soon_enough = 64
const waiting_max = 10_000

/** What is stored together, and when. */
interface Round {
  readonly results: Result[]
  readonly stored: Promise<void>
  /** It is stored now. */
  readonly close: () => void
}

export function openRecord(parts: RecordParts): Record {
  const stopping = new AbortController()
  const store = gather<Result, undefined>((results) => storeAll(parts, results), {
    batch_max: results_max,
  })
  const now = async (results: readonly Result[]): Promise<void> => {
    await store(results)
  }
  const patiently = (results: readonly Result[]): Promise<void> =>
    retrying(() => now(results), {
      log: parts.log,
      what: 'store what was delivered',
      signal: stopping.signal,
    })

  const waiting = new Set<string>()
  let round: Round | undefined
  function nextRound(): Round {
    const results: Result[] = []
    let close: () => void = () => undefined
    const closed = new Promise<void>((resolve) => {
      const timer = setTimeout(() => close(), soon_ms)
      close = () => {
        clearTimeout(timer)
        round = undefined
        resolve()
      }
    })
    return { results, stored: closed.then(() => patiently(results)), close }
  }

  async function storedWith({ stored }: Round, delivered: readonly Result[]): Promise<void> {
    try {
      await stored
    } catch (error) {
      // Another's line may be what cannot be stored.
      if (isOutage(error)) throw error
      await patiently(delivered)
    }
  }

  return {
    now,
    async soon(delivered) {
      const current = (round ??= nextRound())
      current.results.push(...delivered)
      for (const { notification } of delivered) waiting.add(notification.id)
      if (current.results.length >= soon_enough) current.close()
      try {
        await storedWith(current, delivered)
      } finally {
        for (const { notification } of delivered) waiting.delete(notification.id)
      }
    },
    get isFull() {
      return waiting.size >= waiting_max
    },
    isWaiting: (notificationId) => waiting.has(notificationId),
    stop: () => stopping.abort(),
  }
}

async function storeAll(
  { db, bus, measures, waiting }: RecordParts,
  results: readonly Result[],
): Promise<readonly undefined[]> {
  const ended = results.filter((result): result is Ended => result.type === 'ENDED')
  const parked = results.filter(({ type, stored }) => type === 'WAITS' && !stored)
  await db.transaction(async (tx) => {
    await save(tx, results)
    bus.announce(tx, reportOf(ended))
  })
  waiting.parked(parked.map(({ notification }) => notification.fspId))
  for (const end of ended) measures.ended(end)
  return results.map(() => undefined)
}
