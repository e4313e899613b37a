/**
 * One group's reading of its topics. While it keeps up it gets its messages from memory; when its
 * queue is full it lets go, and reads the table as soon as there is room, until it has caught up.
 * It reads only what is handed over to everybody, so it never passes a number that is still open.
 */
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { isOutage } from '../../postgres/outage.ts'
import type { Message, Subscription } from '../event-bus.ts'
import { delayAfter, pause } from '../pause.ts'
import { watermark } from '../watermark.ts'
import { workQueue } from '../work-queue.ts'
import type { Letters } from './dead-letters.ts'
import { restore, type StoredMessage } from './envelope.ts'
import { readPage, type LogRow, type Offset, type StoredLetter } from './store.ts'

/** A message on its way to groups. */
export interface Delivery {
  /** 0 for a dead letter that is replayed: it has no place in the log. */
  readonly n: number
  readonly topic: string
  readonly key: string
  readonly type: string
  readonly bytes: number
  /** When it was written, in ms since 1970. */
  readonly at_ms: number
  readonly content: InMemory | FromTable | Replayed
}

interface InMemory {
  readonly from: 'memory'
  /** As its publisher gave it: never written out and read again. */
  readonly message: Message
}

interface FromTable {
  readonly from: 'table'
  readonly stored: StoredMessage
}

interface Replayed {
  readonly from: 'letter'
  readonly id: string
  readonly stored: StoredMessage
}

export interface MemberBounds {
  /** Messages queued or worked on. */
  readonly queued_max: number
  /** Bytes of messages queued or worked on; one message may go beyond. */
  readonly queued_bytes_max: number
}

export interface MemberOptions {
  readonly subscription: Subscription
  /** Where the group is in each topic. */
  readonly starts: ReadonlyMap<string, number>
  readonly bounds: MemberBounds
  readonly db: Database
  readonly log: Logger
  readonly letters: Letters
  /** Everything up to here may be read from the table. */
  readonly handedOver: () => number
  readonly onFinished: (count: number) => void
}

export interface Member {
  readonly group: string
  readonly topics: readonly string[]
  /** The next message of its topics, in the order of the numbers. */
  take(delivery: Delivery): void
  replay(letter: StoredLetter): void
  /** Everything up to these is finished. */
  offsets(): readonly Offset[]
  /** Messages queued or worked on. */
  unfinished(): number
  /** Age of the oldest message that is not finished; 0 when there is none. */
  lag_ms(): number
  /** Milliseconds since anything was finished or read though there is work. */
  progress(): number | undefined
  /** Begins nothing further, waits for what is in flight. */
  stop(): Promise<void>
}

const page_rows_max = 1_000
/** Rows of other groups' topics are passed over in steps, so that no query takes long. */
const page_numbers_max = 20_000
/** A message that takes for ever lets this many finish beyond it. */
const spread_max = 100_000

export function openMember(options: MemberOptions): Member {
  const { subscription, starts, bounds, db, log, letters, handedOver } = options
  const { group, topics, types, batch_max = 100, batches_in_flight_max = 1 } = subscription
  const { queued_max, queued_bytes_max } = bounds
  const mark = watermark()
  const stopping = new AbortController()
  let bytes = 0
  let behind = true
  let behindSince_ms = Date.now()
  /** While behind: everything up to here is pushed or none of ours. */
  let position = Math.min(...starts.values())
  let moved_ms = performance.now()
  let reading: Promise<void> | undefined

  const queue = workQueue<Delivery>({
    queued_max,
    batch_max,
    batches_in_flight_max,
    log,
    isOutage,
    handleBatch: (messages) => subscription.handleBatch(messages),
    open: (delivery) => open(delivery, subscription.read),
    deadLetter: (delivery, reason) => letters.store(group, delivery, reason),
    onFinished: finish,
  })

  function push(delivery: Delivery): void {
    if (delivery.n > 0) mark.begin(delivery.n, delivery.at_ms)
    bytes += delivery.bytes
    queue.push(delivery)
  }

  function finish(deliveries: readonly Delivery[]): void {
    for (const { n, content, bytes: own } of deliveries) {
      bytes -= own
      if (n > 0) mark.finish(n)
      if (content.from === 'letter') letters.finished(group, content.id)
    }
    options.onFinished(deliveries.length)
    readOn()
  }

  /** Whether this share of every bound is free. */
  function isFree(share: number): boolean {
    return (
      queue.room() > queued_max * share &&
      bytes <= queued_bytes_max * (1 - share) &&
      mark.length <= spread_max * (1 - share)
    )
  }

  /** From here on the table is read. */
  function letGo(at: number): void {
    behind = true
    behindSince_ms = Date.now()
    position = at
    moved_ms = performance.now()
  }

  function readOn(): void {
    if (!behind || reading !== undefined || stopping.signal.aborted || !isFree(0.5)) return
    reading = catchUp().finally(() => (reading = undefined))
  }

  async function catchUp(): Promise<void> {
    let failures = 0
    while (isFree(0.5) && !stopping.signal.aborted) {
      const end = handedOver()
      if (position >= end) {
        behind = false
        return
      }
      try {
        await readFrom(end)
        failures = 0
      } catch (error) {
        log.warn({ err: error, group, failures: ++failures }, 'log not read: tried again')
        await pause(delayAfter(failures), stopping.signal)
      }
    }
  }

  async function readFrom(end: number): Promise<void> {
    const { rows, upTo } = await readPage(db, {
      after: position,
      upTo: Math.min(end, position + page_numbers_max),
      topics,
      types: [...types],
      rows_max: Math.min(page_rows_max, queue.room()),
      bytes_max: Math.ceil(queued_bytes_max / 2),
    })
    position = upTo
    moved_ms = performance.now()
    for (const row of rows) if (row.n > (starts.get(row.topic) ?? 0)) push(fromTable(row))
    options.onFinished(0)
  }

  readOn()
  return {
    group,
    topics,
    take(delivery) {
      if (behind || !types.has(delivery.type)) return
      if (isFree(0)) push(delivery)
      else letGo(delivery.n - 1)
    },
    replay(letter) {
      if (letters.begin(group, letter.id)) push(replayed(letter))
    },
    offsets() {
      const lowest = mark.lowest()
      const n = lowest === undefined ? (behind ? position : handedOver()) : lowest - 1
      return topics.map((topic) => ({ group, topic, n: Math.max(n, starts.get(topic) ?? 0) }))
    },
    unfinished: () => queued_max - queue.room(),
    lag_ms() {
      const isWaiting = behind && position < handedOver()
      const oldest_ms = mark.lowest_ms() ?? (isWaiting ? behindSince_ms : undefined)
      return oldest_ms === undefined ? 0 : Math.max(Date.now() - oldest_ms, 0)
    },
    progress() {
      const isWaiting = behind && position < handedOver()
      return queue.progress() ?? (isWaiting ? performance.now() - moved_ms : undefined)
    },
    async stop() {
      if (!behind) letGo(handedOver())
      stopping.abort()
      await queue.stop()
      await reading
    },
  }
}

/** In memory the payload is the publisher's own; from the table it is parsed and checked. */
function open({ content }: Delivery, read: Subscription['read']): Message {
  if (content.from === 'memory') return content.message
  const message = restore(content.stored)
  return { ...message, payload: read(message.type, message.payload) }
}

function fromTable(row: LogRow): Delivery {
  return delivery(row.n, row, { from: 'table', stored: row })
}

function replayed(letter: StoredLetter): Delivery {
  return delivery(0, letter, { from: 'letter', id: letter.id, stored: letter })
}

function delivery(
  n: number,
  row: StoredMessage & { readonly at: Date },
  content: FromTable | Replayed,
): Delivery {
  const { topic, key, type, headers, value, at } = row
  const bytes = headers.length + value.length
  return { n, topic, key, type, bytes, at_ms: at.getTime(), content }
}
