/**
 * The transactions of this process that announce something, until it is known what became of each. A
 * commit whose answer is lost may still be on its way: until that is decided nothing that was said later
 * is written, so that it cannot overtake.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { delayAfter, pause } from '../pause.ts'
import { takeAway } from './outbox-store.ts'

/** A transaction whose messages are not known to be sent or rolled back. */
export interface Fate {
  /** Written with its first message. */
  readonly ticket: string
  /** Nothing of it was announced before, in ms since 1970. */
  readonly since_ms: number
  /** Its rows are there for everybody to see, or never will be. */
  isDecided: boolean
}

export interface Fates {
  /** Waits until nothing is undecided that was said before. */
  begin(): Promise<Fate>
  committed(fate: Fate): void
  /** Nothing of it is left to be sent. */
  over(fate: Fate): void
  /** The answer of its commit was lost. */
  unknown(fate: Fate): void
  /** Those whose rows are there to be seen now. */
  decided(): readonly Fate[]
  /** Nothing that is not over was announced before, in ms since 1970. */
  since_ms(): number
}

export interface FatesOptions {
  readonly db: Database
  readonly log: Logger
  /** Rows are there to be sent. */
  readonly onDecided: () => void
  readonly stopping: AbortSignal
}

export function openFates({ db, log, onDecided, stopping }: FatesOptions): Fates {
  const fates = new Set<Fate>()
  const deciding = new Set<Promise<void>>()

  function committed(fate: Fate): void {
    fate.isDecided = true
    onDecided()
  }

  async function decide(fate: Fate): Promise<void> {
    for (let failures = 0; !stopping.aborted;) {
      try {
        await takeAway(db, fate.ticket)
        committed(fate)
        return
      } catch (error) {
        log.warn({ err: error, failures: ++failures }, 'fate of a commit unknown: asked again')
        await pause(delayAfter(failures), stopping)
      }
    }
  }

  return {
    async begin() {
      while (deciding.size > 0) await Promise.all(deciding)
      const fate = { ticket: randomUUID(), since_ms: Date.now(), isDecided: false }
      fates.add(fate)
      return fate
    },
    committed,
    over: (fate) => void fates.delete(fate),
    unknown(fate) {
      const decision = decide(fate).finally(() => deciding.delete(decision))
      deciding.add(decision)
    },
    decided: () => [...fates].filter(({ isDecided }) => isDecided),
    since_ms: () => fates.values().next().value?.since_ms ?? Infinity,
  }
}
