/**
 * The in-doubt transactions of this process: those that publish messages and whose outcome is not
 * known yet. A commit whose answer is lost may still be on its way: until it is decided nothing
 * that was published later is written, so that it cannot overtake.
 */
import { randomUUID } from 'node:crypto'
import type { Database } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import { delayAfter, pause } from '../pause.ts'
import { takeAway } from './outbox-store.ts'

/** A transaction whose messages are not known to be sent or rolled back. */
export interface InDoubtCommit {
  /** Written with its first message. */
  readonly ticket: string
  /** Nothing of it was announced before, in ms since 1970. */
  readonly since_ms: number
  /** Its rows are visible to every session, or never will be. */
  isDecided: boolean
}

export interface InDoubtCommits {
  /** Waits until every earlier transaction is decided. */
  begin(): Promise<InDoubtCommit>
  committed(commit: InDoubtCommit): void
  /** Nothing of it is left to be sent. */
  over(commit: InDoubtCommit): void
  /** The answer of its commit was lost. */
  unknown(commit: InDoubtCommit): void
  /** Those whose outcome is decided. */
  decided(): readonly InDoubtCommit[]
  /** Nothing that is not over was announced before, in ms since 1970. */
  since_ms(): number
}

export interface InDoubtCommitsOptions {
  readonly db: Database
  readonly log: Logger
  /** Rows are there to be sent. */
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
          'outcome of a commit is unknown: asking again',
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
