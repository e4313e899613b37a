/**
 * The low watermark of a group, from its committed offsets and the timestamps of the log. The log stamps
 * each message when it appends it, so all messages that it appended before a moment are before certain
 * offsets; when the group has finished up to these, none of them is left.
 */
import type { Administration, Ends, OfPartitions, OffsetOf } from '../administration.ts'
import { nameOf } from './assigned-partitions.ts'

export interface LowWatermarkOptions {
  readonly administration: Administration
  readonly group: string
  readonly topics: readonly string[]
  /** What this process has finished and not committed yet. */
  readonly finished: () => ReadonlyMap<string, number>
  /** No publication in progress in this process was announced before, in ms since 1970. */
  readonly since_ms: () => number
  /** Within this time a message that another process publishes is in the log or has failed. */
  readonly underWay_ms_max: number
}

/**
 * The ages of the moments that are tried; a watermark older than the last is not found.
 */
const steps_ms = [0, 300, 600, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000].concat(
  Array.from({ length: 14 }, (_, at) => 120_000 * 2 ** at),
)

/**
 * A moment before which all messages are processed, in ms since 1970; rejects when the log does not
 * answer.
 */
export async function lowWatermark_ms(options: LowWatermarkOptions): Promise<number> {
  const { administration, group, topics, finished, underWay_ms_max } = options
  const now_ms = Date.now()
  const announced_ms = options.since_ms()
  const committed = await administration.committed(group, topics)
  const done = furthest(committed, finished())
  const ends = await administration.ends(topics)
  for (const back_ms of steps_ms) {
    const at_ms = now_ms - back_ms
    const reached = back_ms === 0 ? highest(ends) : await administration.offsetsAt(topics, at_ms)
    if (covers(done, withoutEmpty(reached, ends)))
      return Math.min(at_ms - underWay_ms_max, announced_ms)
  }
  return 0
}

function highest(ends: readonly OfPartitions<Ends>[]): readonly OfPartitions<OffsetOf>[] {
  return ends.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map(({ partition, high }) => ({ partition, offset: high })),
  }))
}

/** Deleted messages need no work, whatever the offset of the group in that partition. */
function withoutEmpty(
  reached: readonly OfPartitions<OffsetOf>[],
  ends: readonly OfPartitions<Ends>[],
): readonly OfPartitions<OffsetOf>[] {
  const empty = new Set<string>()
  for (const { topic, partitions } of ends) {
    for (const { partition, low, high } of partitions) {
      if (low === high) empty.add(nameOf(topic, partition))
    }
  }
  return reached.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.filter(({ partition }) => !empty.has(nameOf(topic, partition))),
  }))
}

function furthest(
  committed: readonly OfPartitions<OffsetOf>[],
  finished: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const done = new Map(finished)
  for (const { topic, partitions } of committed) {
    for (const { partition, offset } of partitions) {
      const name = nameOf(topic, partition)
      done.set(name, Math.max(offset, done.get(name) ?? 0, 0))
    }
  }
  return done
}

/** Whether all offsets that were reached are done. */
function covers(
  done: ReadonlyMap<string, number>,
  reached: readonly OfPartitions<OffsetOf>[],
): boolean {
  return reached.every(({ topic, partitions }) =>
    partitions.every(
      ({ partition, offset }) => (done.get(nameOf(topic, partition)) ?? 0) >= offset,
    ),
  )
}
