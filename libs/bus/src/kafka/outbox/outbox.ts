/**
 * The messages of a transaction are rows in a table of its own schema, and are sent to Kafka as soon as
 * it is committed, in the order of the commits of each key. After a crash at any point they are sent
 * again: at least once.
 *
 * The pump is woken by the commit, without a timer; rows that other processes have left it finds by
 * polling. It holds a lock of the schema while it reads, sends and deletes, so that rows never overtake
 * each other through two processes.
 */
import type { Database, Outbox } from '@causeway/postgres'
import { type Logger, periodically } from '@causeway/process'
import type { OutgoingMessage } from '../../event-bus.ts'
import { delayAfter, pause } from '../../pause.ts'
import { openInDoubtCommits, type InDoubtCommits } from './in-doubt-commits.ts'
import { within } from '../deadline.ts'
import {
  forgetTaken,
  insert,
  oldest_s,
  remove,
  takeOldest,
  type NumberedRecord,
  type OutboxRow,
} from './outbox-store.ts'
import { packHeaders, toRecord, type OutgoingRecord } from '../record.ts'
import type { Sender } from './sender.ts'
import { openUnsent, type Unsent } from './unsent.ts'

export interface PumpOptions {
  /** The schema of the service, over connections of the pump alone: at least two. */
  readonly db: Database
  readonly sender: Sender
  readonly log: Logger
  /** Receives the age of the oldest row in seconds at each pass. */
  readonly onAge: (age_s: number) => void
}

export interface Pump {
  readonly outbox: Outbox
  /** No unsent message of this process was announced before, in ms since 1970. */
  since_ms(): number
  /** Milliseconds since anything was sent; undefined when nothing waits. */
  progress(): number | undefined
  /** Rejects when the database does not answer. */
  answers(): Promise<void>
  /** Sends committed messages for a bounded time and closes the connections. */
  stop(): Promise<void>
  /** Like a kill of the process. */
  crash(): void
}

const page = { rows_max: 1_000, bytes_max: 2 ** 22 }
const look_every_ms = 2_000
const forget_every_ms = 3_600_000
/** A transaction waits no longer than this for a Kafka that does not answer. */
const hold_ms_max = 10_000
const stop_ms_max = 2_000

export function openPump(options: PumpOptions): Pump {
  const { db, log } = options
  const stopping = new AbortController()
  const loop = openLoop({ pass, log, stopping: stopping.signal })
  const inDoubt = openInDoubtCommits({
    db,
    log,
    onDecided: () => loop.wake(),
    stopping: stopping.signal,
  })
  const unsent = openUnsent()
  const send = oncePerRow(options.sender)

  /** Whether every message that was committed before is sent. */
  async function pass(): Promise<boolean> {
    const decided = inDoubt.decided()
    const { added } = unsent
    await send.settled()
    const { records, isAll } = await db.transaction(async (tx) => {
      const oldest = await takeOldest(tx, (n) => unsent.recordOf(n), page)
      if (oldest.records.length > 0) {
        const what = 'Kafka did not acknowledge the outbox'
        await within(send.all(oldest.records), hold_ms_max, what, stopping.signal)
        remove(tx, numbersOf(oldest.records))
      }
      return oldest
    })
    const numbers = numbersOf(records)
    unsent.forget(numbers)
    send.forget(isAll ? 'all' : numbers)
    if (isAll) {
      unsent.forgetEarlier(added)
      for (const commit of decided) inDoubt.over(commit)
    }
    return isAll
  }

  async function lookForLeftOvers(): Promise<void> {
    loop.wake()
    options.onAge(await oldest_s(db))
  }

  const look = periodically(look_every_ms, lookForLeftOvers, { log, name: 'outbox' })
  const forget = periodically(forget_every_ms, () => forgetTaken(db), { log, name: 'outbox' })
  loop.wake()

  return {
    outbox: outboxOf(inDoubt, unsent),
    since_ms: () => inDoubt.since_ms(),
    progress: () => loop.progress(),
    async answers() {
      await oldest_s(db)
    },
    async stop() {
      await Promise.all([look.stop(), forget.stop()])
      await within(loop.idle(), stop_ms_max, 'the outbox was not sent').catch((error: unknown) => {
        log.warn({ err: error }, 'what is left in the outbox is sent after the next start')
      })
      stopping.abort()
      await db.close()
    },
    crash() {
      stopping.abort()
      void look.stop()
      void forget.stop()
    },
  }
}

function numbersOf(records: readonly NumberedRecord[]): readonly string[] {
  return records.map(({ n }) => n)
}

function outboxOf(inDoubt: InDoubtCommits, unsent: Unsent): Outbox {
  return {
    async write(tx, messages) {
      const commit = await inDoubt.begin()
      let records: readonly OutgoingRecord[]
      let numbers: readonly string[]
      try {
        records = recordsOf(messages, commit.since_ms)
        numbers = await insert(tx, commit.ticket, records.map(rowOf))
      } catch (error) {
        // COMMIT is not sent after this, so the transaction is rolled back in any case.
        inDoubt.over(commit)
        throw error
      }
      return {
        committed() {
          unsent.add(numbers, records)
          inDoubt.committed(commit)
        },
        rolledBack: () => inDoubt.over(commit),
        unknown: () => inDoubt.unknown(commit),
      }
    },
  }
}

interface LoopOptions {
  /** Whether nothing is left to be done. */
  readonly pass: () => Promise<boolean>
  readonly log: Logger
  readonly stopping: AbortSignal
}

/** Makes passes while it is woken, without end while they fail. */
function openLoop({ pass, log, stopping }: LoopOptions) {
  let awake = false
  let running: Promise<void> | undefined
  let progressed_ms = 0

  async function run(): Promise<void> {
    progressed_ms = performance.now()
    for (let failures = 0; awake && !stopping.aborted;) {
      awake = false
      try {
        if (!(await pass())) awake = true
        progressed_ms = performance.now()
        failures = 0
      } catch (error) {
        log.warn({ err: error, failures: ++failures }, 'outbox not sent: tried again')
        await pause(delayAfter(failures), stopping)
        awake = true
      }
    }
  }

  function wake(): void {
    awake = true
    running ??= run().finally(() => {
      running = undefined
      // A wake-up between the last pass and this moment is not lost.
      if (awake && !stopping.aborted) wake()
    })
  }

  return {
    wake,
    progress: () => (running === undefined ? undefined : performance.now() - progressed_ms),
    async idle(): Promise<void> {
      while (running !== undefined) await running
    },
  }
}

/** Throws for a message that cannot be carried, before anything of its transaction is committed. */
function recordsOf(messages: readonly OutgoingMessage[], now_ms: number) {
  const time = new Date(now_ms).toISOString()
  return messages.map((message) => toRecord({ ...message, time }))
}

function rowOf({ topic, key, value, headers }: OutgoingRecord): OutboxRow {
  return { topic, key, headers: packHeaders(headers), value: Buffer.from(value ?? '') }
}

/**
 * Sends rows, and remembers the acknowledged ones until they are deleted: if an outage of the database
 * prevents the deletion, this process does not send them a second time.
 */
function oncePerRow(sender: Sender) {
  const arrived = new Set<string>()
  let sending: Promise<void> = Promise.resolve()
  return {
    all(records: readonly NumberedRecord[]): Promise<void> {
      const missing = records.filter(({ n }) => !arrived.has(n))
      if (missing.length === 0) return Promise.resolve()
      sending = sender.send(missing.map(({ record }) => record)).settled.then(() => {
        for (const { n } of missing) arrived.add(n)
      })
      return sending
    },
    /** Earlier sends that are still in progress: they must end before anything is sent again. */
    settled: () => sending.catch(() => undefined),
    /**
     * The rows are deleted. When there were no further rows, so are all earlier ones, whatever the outcome
     * of their deletion.
     */
    forget(numbers: readonly string[] | 'all'): void {
      if (numbers === 'all') arrived.clear()
      else for (const n of numbers) arrived.delete(n)
    },
  }
}
