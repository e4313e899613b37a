/**
 * Reads the topics of one group. While the group keeps pace, it takes its messages from memory;
 * when its queue is full it falls behind, and reads the table as soon as there is room again.
 */
import type { Database } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import type { Alarm } from '../alarms.ts'
import type { Subscription } from '../event-bus.ts'
import type { Turns } from '../turns.ts'
import { openCatchUp, type CatchUp } from './catch-up.ts'
import type { DeadLetters } from './dead-letters.ts'
import { fromTable, open, replayed, type Delivery } from './delivery.ts'
import type { DerivedEvents } from './derived-events.ts'
import { openInFlightWindow, type InFlightWindow, type InFlightBounds } from './in-flight-window.ts'
import { openWork } from './work.ts'
import { announcedAfter, readPage, type Offset, type StoredDeadLetter } from './store.ts'

export interface MemberOptions {
  readonly subscription: Subscription
  /** Offset of the group in each topic. */
  readonly starts: ReadonlyMap<string, number>
  readonly bounds: InFlightBounds
  readonly db: Database
  readonly log: Logger
  readonly alarm: Alarm
  readonly deadLetters: DeadLetters
  readonly derivedEvents: DerivedEvents
  readonly turns: Turns
  /** Work of the group is repeated. */
  readonly onRepeat: () => void
  /** Everything up to here may be read from the table. */
  readonly handedOver: () => number
  /** `finished` more messages are finished; 0 when the group has advanced past other messages. */
  readonly onMoved: (finished: number) => void
}

export interface Member {
  readonly subscription: Subscription
  readonly group: string
  readonly topics: readonly string[]
  /** Takes the next message of its topics, in the order of the numbers. */
  take(delivery: Delivery): void
  replay(deadLetter: StoredDeadLetter): void
  /** Whether messages of this type are processed; others are finished unread. */
  reads(type: string): boolean
  /** Whether it takes pushed messages at once, in the order of the pushes. */
  isCaughtUp(): boolean
  /** Takes a message that has no number in the log. */
  push(delivery: Delivery): void
  /** Everything up to these numbers is finished. */
  offsets(): readonly Offset[]
  /** Everything up to this number is finished; 0 while a dead letter is replayed. */
  finishedUpTo(): number
  /** Messages queued or in work. */
  unfinished(): number
  /** Age of the oldest message that is not finished; 0 when there is none. */
  lag_ms(): number
  /**
   * The moment before which every delivered message is finished, at most `announced_ms`: what is
   * not delivered yet was announced no earlier than that.
   */
  lowWatermark_ms(announced_ms: number): Promise<number>
  /** Milliseconds since anything was finished or read; undefined without work. */
  progress(): number | undefined
  /** Why it is blocked until a newer release starts; undefined while it is not. */
  heldBy(): string | undefined
  /** Starts no further work and waits for what is in flight. */
  stop(): Promise<void>
}

const page_rows_max = 1_000
/** Rows of other topics are skipped in steps, so that no query takes long. */
const page_numbers_max = 20_000

export function openMember(options: MemberOptions): Member {
  const { subscription, starts, bounds, db, log, alarm } = options
  const { deadLetters, handedOver, onMoved, onRepeat } = options
  const { group, topics, types, batch_max = 100, batches_in_flight_max = 1 } = subscription
  let replaying = 0
  const intake = openInFlightWindow({
    ...bounds,
    batch_max,
    batches_in_flight_max,
    log,
    alarm,
    handleBatch: (messages, deliveries) => work.handleBatch(messages, deliveries),
    open: (delivery) => open(delivery, subscription.read),
    deadLetter: (delivery, reason) => deadLetters.store(subscription, delivery, reason),
    onHeld: () => undefined,
    onReleased: () => move(0),
    onFinished(deliveries) {
      for (const each of deliveries) deadLetters.finished(subscription, each)
      move(deliveries.length)
    },
  })
  const work = openWork({ ...options, hold: (held) => intake.hold(held), onFailed: onRepeat })
  const { catchUp, unknownType } = openTable(intake, options)
  const move = (finished: number): void => {
    onMoved(finished)
    catchUp.readOn()
  }
  const finishedUpTo = (): number => {
    const taken = catchUp.isBehind() ? catchUp.position() : handedOver()
    const lowest = intake.lowest()
    return lowest === undefined ? taken : lowest - 1
  }
  catchUp.readOn()
  return {
    subscription,
    group,
    topics,
    take(delivery) {
      if (!catchUp.isBehind()) take(delivery, subscription, intake, catchUp)
    },
    replay(deadLetter) {
      onRepeat()
      replaying += 1
      intake.push(replayed(deadLetter, () => (replaying -= 1)))
    },
    reads: (type) => types.has(type),
    isCaughtUp: () => !catchUp.isBehind() && intake.isFree(0),
    push: (delivery) => intake.push(delivery),
    finishedUpTo: () => (replaying > 0 ? 0 : finishedUpTo()),
    offsets() {
      const n = finishedUpTo()
      return topics.map((topic) => ({ group, topic, n: Math.max(n, starts.get(topic) ?? 0) }))
    },
    unfinished: () => bounds.queued_max - intake.room(),
    lag_ms: () => lagOf(intake, catchUp),
    lowWatermark_ms: (announced_ms) => lowWatermark_ms(announced_ms, intake, db, catchUp),
    progress: () =>
      intake.progress() ?? (unknownType() === undefined ? catchUp.progress() : undefined),
    heldBy: () => heldBy(group, unknownType(), intake),
    async stop() {
      if (!catchUp.isBehind()) catchUp.letGo(handedOver())
      await Promise.all([intake.stop(), catchUp.stop()])
      await work.settled()
    },
  }
}

/** Reads the table while the group is behind, up to a type that this release does not know. */
function openTable(
  intake: InFlightWindow,
  options: MemberOptions,
): { readonly catchUp: CatchUp; readonly unknownType: () => string | undefined } {
  const { log, alarm, starts, handedOver } = options
  let unknownType: string | undefined
  const catchUp = openCatchUp({
    log,
    position: Math.min(...starts.values()),
    handedOver,
    hasRoom: () => unknownType === undefined && intake.isFree(0.5),
    async read(after, upTo) {
      const page = await readInto(intake, options, after, upTo)
      unknownType = page.unknown?.type
      if (page.unknown !== undefined) alarm('NEWER_RELEASE', page.unknown)
      return page.upTo
    },
  })
  return { catchUp, unknownType: () => unknownType }
}

/** Takes a message from memory; a group that has no room for it falls behind. */
function take(
  delivery: Delivery,
  { types, known }: Subscription,
  intake: InFlightWindow,
  catchUp: CatchUp,
): void {
  const isOurs = types.has(delivery.type)
  if (!isOurs && known?.has(delivery.type) !== false) return
  if (isOurs && intake.isFree(0)) {
    intake.push(delivery)
    return
  }
  catchUp.letGo(delivery.n - 1)
  // A message of an unknown type is read from the table, after it was delivered.
  if (!isOurs) setImmediate(() => catchUp.readOn())
}

function heldBy(
  group: string,
  unknownType: string | undefined,
  intake: InFlightWindow,
): string | undefined {
  if (unknownType !== undefined) return `${group} does not know the type ${unknownType}`
  return intake.isHeld() ? `${group} does not understand a message` : undefined
}

function lagOf(intake: InFlightWindow, catchUp: CatchUp): number {
  const lowest_ms = intake.lowest_ms()
  if (lowest_ms === undefined) return catchUp.behind_ms() ?? 0
  return Math.max(Date.now() - lowest_ms, 0)
}

async function lowWatermark_ms(
  announced_ms: number,
  intake: InFlightWindow,
  db: Database,
  catchUp: CatchUp,
): Promise<number> {
  // Taken before the log is read: what is read and finished meanwhile does no harm.
  const taken_ms = Math.min(announced_ms, intake.lowest_ms() ?? Infinity)
  return Math.min(taken_ms, await unread_ms(db, catchUp))
}

/** No unread message in the table was announced before. */
async function unread_ms(db: Database, catchUp: CatchUp): Promise<number> {
  if (!catchUp.isBehind()) return Infinity
  return (await announcedAfter(db, catchUp.position())) ?? Infinity
}

interface ReadProgress {
  /** Everything up to here is taken. */
  readonly upTo: number
  /** The next message has a type that this release does not know. */
  readonly unknown:
    | { readonly type: string; readonly topic: string; readonly n: number }
    | undefined
}

/** Takes one page of the table, up to a type that this release does not know. */
async function readInto(
  intake: InFlightWindow,
  { db, subscription, starts, bounds, onMoved }: MemberOptions,
  after: number,
  upTo: number,
): Promise<ReadProgress> {
  const { types, known } = subscription
  const page = await readPage(db, {
    after,
    upTo: Math.min(upTo, after + page_numbers_max),
    topics: subscription.topics,
    types: [...types],
    known: known === undefined ? undefined : [...known],
    rows_max: Math.min(page_rows_max, intake.room()),
    bytes_max: Math.ceil(bounds.queued_bytes_max / 2),
  })
  for (const row of page.rows) {
    if (row.n <= (starts.get(row.topic) ?? 0)) continue
    if (!types.has(row.type)) {
      const { n, topic, type } = row
      return { upTo: n - 1, unknown: { type, topic, n } }
    }
    intake.push(fromTable(row))
  }
  onMoved(0)
  return { upTo: page.upTo, unknown: undefined }
}
