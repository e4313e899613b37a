/**
 * The position of a member in each of its partitions. No message is skipped, whatever kafkajs
 * delivers, and only offsets that are finished without a gap may be committed.
 */
import { watermark, type Watermark } from '../../watermark.ts'

/** A partition that the member reads. */
export interface AssignedPartition {
  /** Its name at the brokers. */
  readonly topic: string
  readonly partition: number
  readonly mark: Watermark
  /** The offset that is taken next; undefined before the first one is known. */
  next: number | undefined
  /** Everything before it is committed as finished; undefined from each assignment to the next fetch. */
  committed: number | undefined
  /** The offset that was fetched again because the log continued with a later one. */
  refetchedFrom: number | undefined
  /** Assigned to another member now: its queued messages are not processed. */
  isLost: boolean
}

export interface AssignedPartitions {
  /**
   * Assigns the partitions that the member reads from now on. Partitions that it had before continue at
   * their positions. Returns those that begin at the committed offset of the group.
   */
  assign(
    assignment: Readonly<Record<string, readonly number[]>>,
    now_ms: number,
  ): readonly AssignedPartition[]
  /** Starts again with these topics, from the committed offsets. */
  forget(topics: readonly string[]): void
  /** undefined when another member reads it. */
  of(topic: string, partition: number): AssignedPartition | undefined
  all(): IterableIterator<AssignedPartition>
}

/** How the log's next messages relate to the position. */
export type Fit = 'fits' | 'leaves out' | 'was deleted'

/** A fetch that is older than this gets no response any more. */
const remembered_ms = 30_000

export function openAssignedPartitions(): AssignedPartitions {
  const assignedPartitions = new Map<string, AssignedPartition>()
  const lost = new Map<string, { readonly next: number; readonly lost_ms: number }>()

  return {
    assign(assignment, now_ms) {
      const assignedNow = new Set<string>()
      const begun: AssignedPartition[] = []
      for (const topic in assignment) {
        for (const partition of assignment[topic] ?? []) {
          const name = nameOf(topic, partition)
          assignedNow.add(name)
          const stays = assignedPartitions.get(name)
          if (stays !== undefined) {
            stays.committed = undefined
            continue
          }
          const before = lost.get(name)
          const isFresh = before !== undefined && now_ms - before.lost_ms < remembered_ms
          const assigned = newAssigned(topic, partition, isFresh ? before.next : undefined)
          assignedPartitions.set(name, assigned)
          if (!isFresh) begun.push(assigned)
        }
      }
      lost.clear()
      for (const [name, assigned] of assignedPartitions) {
        if (assignedNow.has(name)) continue
        const finished = finishedBefore(assigned)
        if (finished !== undefined) lost.set(name, { next: finished, lost_ms: now_ms })
        assigned.isLost = true
        assignedPartitions.delete(name)
      }
      return begun
    },
    forget(topics) {
      for (const [name, assigned] of assignedPartitions) {
        if (!topics.includes(assigned.topic)) continue
        assigned.isLost = true
        assignedPartitions.delete(name)
      }
    },
    of: (topic, partition) => assignedPartitions.get(nameOf(topic, partition)),
    all: () => assignedPartitions.values(),
  }
}

export function nameOf(topic: string, partition: number): string {
  return `${topic} ${partition}`
}

/** Everything before that offset is finished; undefined when nothing was taken yet. */
export function finishedBefore({ mark, next }: AssignedPartition): number | undefined {
  return mark.lowest() ?? next
}

/**
 * Whether the messages from offset `fetched` on may be taken. A fetch that was sent before a rebalance
 * may leave out messages. It is repeated; if it leaves out the same messages again, the log has deleted
 * them.
 */
export function fitOf(assigned: AssignedPartition, fetched: number): Fit {
  const { next, refetchedFrom } = assigned
  if (next === undefined || fetched <= next) return 'fits'
  return refetchedFrom === next ? 'was deleted' : 'leaves out'
}

/**
 * The first fetch after an assignment begins where the group has committed. Before it nothing is committed:
 * a process that was silent for long may have missed that others had the partition and went further.
 */
export function noteFetched(assigned: AssignedPartition, fetched: number): void {
  assigned.committed ??= fetched
}

/** What to commit; undefined: nothing was fetched, or nothing is finished beyond what is committed. */
export function toCommit(assigned: AssignedPartition): number | undefined {
  const { committed } = assigned
  const offset = finishedBefore(assigned)
  const isMore = committed !== undefined && offset !== undefined && offset > committed
  return isMore ? offset : undefined
}

function newAssigned(
  topic: string,
  partition: number,
  next: number | undefined,
): AssignedPartition {
  const mark = watermark()
  return {
    topic,
    partition,
    mark,
    next,
    committed: undefined,
    refetchedFrom: undefined,
    isLost: false,
  }
}
