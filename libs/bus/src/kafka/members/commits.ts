/**
 * Commits the offsets of a member a second after one moved, and not at all while none does. After a crash,
 * messages that were finished since the last commit are delivered again.
 */
import type { Logger } from '@causeway/process'
import type { EachBatchPayload } from 'kafkajs'
import { toCommit, type AssignedPartition, type AssignedPartitions } from './assigned-partitions.ts'

/**
 * Commits once, under the generation that the member is in; kafkajs supplies it with each batch.
 */
export type Commit = EachBatchPayload['commitOffsetsIfNecessary']

export interface Commits {
  /**
   * How to commit, from the newest batch; undefined: no commit is allowed before the next batch.
   */
  use(commit: Commit | undefined): void
  /** Something was finished or taken. */
  moved(): void
  /** Resolves when the current offsets are committed; rejects when that failed. */
  commit(): Promise<void>
  /** Stops committing periodically. */
  stop(): void
}

const every_ms = 1_000

export function openCommits({
  assignedPartitions,
  log,
}: {
  assignedPartitions: AssignedPartitions
  log: Logger
}): Commits {
  let send: Commit | undefined
  let timer: NodeJS.Timeout | undefined
  let committing: Promise<void> | undefined
  let failures = 0
  let stopped = false

  async function commitMoved(): Promise<void> {
    const moved = [...assignedPartitions.all()].flatMap((assigned) => {
      const offset = toCommit(assigned)
      return offset === undefined ? [] : [{ assigned, offset }]
    })
    if (moved.length === 0 || send === undefined) return
    await send({ topics: moved.map(topicOffset) })
    for (const { assigned, offset } of moved) assigned.committed = offset
  }

  /** One at a time, so that an older offset never replaces a newer one. */
  async function commitNext(): Promise<void> {
    while (committing !== undefined) await committing.catch(() => undefined)
    committing = commitMoved().finally(() => (committing = undefined))
    await committing
  }

  async function commitNow(): Promise<void> {
    timer = undefined
    try {
      await commitNext()
      failures = 0
    } catch (error) {
      log.warn({ err: error, failures: ++failures }, 'offsets not committed: tried again')
      moved()
    }
  }

  function moved(): void {
    if (stopped) return
    timer ??= setTimeout(() => void commitNow(), every_ms * 2 ** Math.min(failures, 3))
  }

  return {
    use: (commit) => (send = commit),
    moved,
    commit: commitNext,
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

function topicOffset({
  assigned,
  offset,
}: {
  readonly assigned: AssignedPartition
  readonly offset: number
}) {
  const partitions = [{ partition: assigned.partition, offset: String(offset) }]
  return { topic: assigned.topic, partitions }
}
