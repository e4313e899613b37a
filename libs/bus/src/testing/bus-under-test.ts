/**
 * What the contract tests need of an engine: a bus, a service's database that announces to it, and a
 * crash.
 */
import { type Database, statement } from '@causeway/postgres'
import type { Registry } from 'prom-client'
import type { AlarmKind } from '../alarms.ts'
import type {
  AnnouncedMessage,
  EventBus,
  Message,
  OutgoingMessage,
  Subscription,
} from '../event-bus.ts'

/** The tables of the service `shop`. */
export const shopMigrations = new URL('./migrations/', import.meta.url)

export interface BusUnderTest {
  readonly bus: EventBus
  /** Has the tables of `migrations/`; what its transactions announce goes to the bus. */
  readonly database: Database
  readonly metrics: Registry
  /** The same database over a connection that can be broken: a TCP proxy or the like. */
  openCutDatabase(): Promise<CutDatabase>
  /**
   * Ends every connection to the database; the bus and the database connect again by themselves.
   */
  cutConnections(): Promise<void>
  /** The table of announced events; it has a column `key`. */
  readonly announcements: string
  /** Runs SQL as superuser and returns its rows. */
  sql<Row>(text: string): Promise<readonly Row[]>
  /** The role of the database. */
  readonly role: string
  /** The readiness check of the bus; rejects with why it is not ready. */
  answers(): Promise<void>
  /** Like a kill and a restart of the process; this object needs no stop afterwards. */
  restart(): Promise<BusUnderTest>
  /** Closes everything at once, with all that a test has left in flight. */
  stop(): Promise<void>
}

/** The outcome of a COMMIT. In all but the first the client loses its connection at once. */
export type CommitOutcome = 'pass' | 'never arrives' | 'arrives late' | 'answer lost'

export interface CutDatabase {
  readonly database: Database
  /** Called once for each COMMIT. */
  decide: () => CommitOutcome
  /** COMMITs that have not arrived yet and still will. */
  readonly onTheirWay: () => number
}

export function message(topic: string, key: string, n: number): OutgoingMessage {
  const id = `${topic}/${key}/${n}`
  return { id, topic, key, type: 'Counted', source: 'shop', payload: { key, n }, headers: {} }
}

/** How often an alarm of this kind was raised. */
export async function alarmsOf({ metrics }: BusUnderTest, kind: AlarmKind): Promise<number> {
  const { values = [] } = (await metrics.getSingleMetric('bus_alarms_total')?.get()) ?? {}
  return values.reduce((sum, { labels, value }) => sum + (labels['kind'] === kind ? value : 0), 0)
}

/** A promise that is resolved from outside. */
export function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open: () => open(), opened }
}

export function numberOf({ payload }: Message): number {
  return (payload as { readonly n: number }).n
}

/** A subscription to one topic with one type; what it receives is recorded by key, in order. */
export function recorder(topic: string, more: Partial<Subscription> = {}) {
  const seen: Message[] = []
  const subscription: Subscription = {
    group: 'recorder',
    topics: [topic],
    types: new Set(['Counted']),
    read: (_type, json) => json,
    handleBatch: (messages) => {
      seen.push(...messages)
      return Promise.resolve()
    },
    ...more,
  }
  const byKey = () => {
    const byKey: Record<string, number[]> = {}
    for (const one of seen) (byKey[one.key] ??= []).push(numberOf(one))
    return byKey
  }
  return { seen, subscription, byKey }
}

const countUp = statement(`
  insert into counters as c (key, count) values ($1, 1)
  on conflict (key) do update set count = c.count + 1
  returning count`)
const note = statement(`insert into announced (key, count) values ($1, $2)`)
const linger = statement(`select pg_sleep($1::int / 1000.0)`)
const selectAnnounced = statement(`select key, count from announced order by key, count`)

export interface CountOptions {
  readonly topic: string
  readonly key: string
  /** Between the row lock and COMMIT. */
  readonly linger_ms: number
  readonly fails: boolean
}

/** One transaction: locks the counter of the key, announces its next number, commits or throws. */
export async function announceNext(
  { bus }: Pick<BusUnderTest, 'bus'>,
  database: Database,
  { topic, key, linger_ms, fails }: CountOptions,
): Promise<void> {
  await database.transaction(async (tx) => {
    const [row] = await tx.query<{ count: number }>(countUp, [key])
    const count = row?.count ?? 0
    await tx.query(note, [key, count])
    bus.announce(tx, [message(topic, key, count)])
    if (linger_ms > 0) await tx.query(linger, [linger_ms])
    if (fails) throw new Error('changed its mind')
  })
}

/** The committed numbers by key: a rolled-back number is used again, so they have no gaps. */
export async function committed(database: Database): Promise<Record<string, number[]>> {
  const rows = await database.query<{ key: string; count: number }>(selectAnnounced, [])
  const counted: Record<string, number[]> = {}
  for (const { key, count } of rows) (counted[key] ??= []).push(count)
  return counted
}

/** `count` consecutive numbers. */
export const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => from + at)
/** A whole number from 0, below the given one. */
export const chance = (below: number) => Math.floor(Math.random() * below)

/** Publishes messages numbered from 0 with `keys` keys, 500 at a time. */
export async function publishNumbers(under: BusUnderTest, topic: string, count: number, keys = 5) {
  const messages = numbers(count).map((n) => message(topic, `k${n % keys}`, n))
  for (let at = 0; at < count; at += 500) await under.bus.publish(messages.slice(at, at + 500))
}

/** The parts of a message that are the same for every reader. */
export function asSent(message: Message): AnnouncedMessage {
  return Object.fromEntries(
    Object.entries(message).filter(([name]) => name !== 'maybeDuplicate'),
  ) as unknown as AnnouncedMessage
}
