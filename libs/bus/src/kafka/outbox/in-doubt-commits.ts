/**
 * The in-doubt transactions of this process: those that announce messages and whose outcome is not known
 * yet. A commit whose response is lost may still reach the database. Until it is decided, no later
 * announcement is written, so that none overtakes it.
 */
import { randomUUID } from 'node:crypto'
import type { Database } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import { delayAfter, pause } from '../../pause.ts'
import { takeAway } from './outbox-store.ts'

/** A transaction whose messages are not known to be sent or rolled back. */
export interface InDoubtCommit {
  /** Written with its first message. */
  readonly ticket: string
  /** None of its messages was announced before, in ms since 1970. */
  readonly since_ms: number
  /** Its rows are visible to every session, or never will be. */
  isDecided: boolean
}

export interface InDoubtCommits {
  /** Waits until every earlier transaction is decided. */
  begin(): Promise<InDoubtCommit>
  committed(commit: InDoubtCommit): void
  /** None of its messages is left to be sent. */
  over(commit: InDoubtCommit): void
  /** The response to its commit was lost. */
  unknown(commit: InDoubtCommit): void
  /** Transactions whose outcome is decided. */
  decided(): readonly InDoubtCommit[]
  /** No transaction in this list announced anything before, in ms since 1970. */
  since_ms(): number
}

export interface InDoubtCommitsOptions {
  readonly db: Database
  readonly log: Logger
  /** There are rows to send. */
  readonly onDecided: () => void
  readonly stopping: AbortSignal
}

export function openInDoubtCommits({
  db,
  log,
  onDecided,
  stopping,
}: InDoubtCommitsOptions): InDoubtCommits {
  const inDoubt = new Set<InDoubtCommit>()
  const deciding = new Set<Promise<void>>()

  function committed(commit: InDoubtCommit): void {
    commit.isDecided = true
    onDecided()
  }

  async function decide(commit: InDoubtCommit): Promise<void> {
    for (let failures = 0; !stopping.aborted;) {
      try {
        await takeAway(db, commit.ticket)
        committed(commit)
        return
      } catch (error) {
        log.warn(
          { err: error, failures: ++failures },
          'outcome of a commit is unknown: tried again',
        )
        await pause(delayAfter(failures), stopping)
      }
    }
  }

  return {
    async begin() {
      while (deciding.size > 0) await Promise.all(deciding)
      const commit = { ticket: randomUUID(), since_ms: Date.now(), isDecided: false }
      inDoubt.add(commit)
      return commit
    },
    committed,
    over: (commit) => void inDoubt.delete(commit),
    unknown(commit) {
      const decision = decide(commit).finally(() => deciding.delete(decision))
      deciding.add(decision)
    },
    decided: () => [...inDoubt].filter(({ isDecided }) => isDecided),
    since_ms: () => inDoubt.values().next().value?.since_ms ?? Infinity,
  }
}
