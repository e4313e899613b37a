/**
 * Large work that can wait gives way to all other work of the process. It is done in pieces: one starts
 * when neither urgent work nor another piece is in progress, or when it has waited for long enough. So a
 * single payment waits for at most one piece, and all pieces of a bulk together wait for a bounded time.
 */
import type { Subscription } from './event-bus.ts'

export interface Turns {
  /** Urgent work starts; the returned function ends it. */
  urgent(): () => void
  /** Work that gives way, and has no turn yet. */
  patient(): Patient
}

export interface Patient {
  /** Ends its turn, if it has one; resolves when it has the next. */
  giveWay(): Promise<void>
  /** Ends its turn, if it has one. */
  end(): void
}

/** The next step of a payment often starts this soon after the one before. */
export const quiet_ms = 2
/**
 * After this time a piece starts in any case. (Measured with bulks of 1,000 and payments at the same time
 * on two busy cores: with 100 several pieces were in progress most of the time, and all took three times
 * as long.)
 */
export const wait_ms_max = 500
/** All pieces of one work wait for this time together; each one after that for `late_wait_ms_max`. */
export const patience_ms = 5_000
export const late_wait_ms_max = 50

interface QueuedPiece {
  /** It starts then at the latest; by the clock of `performance.now`. */
  readonly until_ms: number
  readonly begin: () => void
}

export function openTurns(): Turns {
  /** The one that has to start first comes first. */
  const waiting: QueuedPiece[] = []
  let urgent = 0
  let taken = 0
  let quietSince_ms = -Infinity
  let timer: NodeJS.Timeout | undefined

  /** Starts what may start, and checks again when the next one is due. */
  function look(): void {
    clearTimeout(timer)
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const free_ms = urgent === 0 && taken === 0 ? quietSince_ms + quiet_ms : Infinity
      const left_ms = Math.min(free_ms, next.until_ms) - performance.now()
      if (left_ms > 0) {
        timer = setTimeout(look, Math.ceil(left_ms))
        return
      }
      waiting.shift()
      taken += 1
      next.begin()
    }
  }

  function wait(one: QueuedPiece): void {
    const at = waiting.findLastIndex(({ until_ms }) => until_ms <= one.until_ms)
    waiting.splice(at + 1, 0, one)
  }

  return {
    urgent() {
      urgent += 1
      return () => {
        urgent -= 1
        if (urgent > 0) return
        quietSince_ms = performance.now()
        look()
      }
    },
    patient() {
      let hasTurn = false
      let waited_ms = 0
      function end(): void {
        if (!hasTurn) return
        hasTurn = false
        taken -= 1
        look()
      }
      return {
        giveWay() {
          const asked_ms = performance.now()
          const left_ms = Math.max(patience_ms - waited_ms, late_wait_ms_max)
          const turn = new Promise<void>((resolve) => {
            const begin = () => {
              hasTurn = true
              waited_ms += performance.now() - asked_ms
              resolve()
            }
            wait({ until_ms: asked_ms + Math.min(wait_ms_max, left_ms), begin })
          })
          // After those that wait already.
          if (hasTurn) end()
          else look()
          return turn
        },
        end,
      }
    },
  }
}

/** Does urgent work at once, and work that gives way, or its pieces, in turn. */
export async function inTurn(
  turns: Turns,
  { givesWay = false }: Pick<Subscription, 'givesWay'>,
  work: (giveWay: () => Promise<void>) => Promise<void>,
): Promise<void> {
  if (givesWay === false) {
    const end = turns.urgent()
    try {
      await work(() => Promise.resolve())
    } finally {
      end()
    }
    return
  }
  const patient = turns.patient()
  try {
    if (givesWay !== 'between pieces') await patient.giveWay()
    await work(() => patient.giveWay())
  } finally {
    patient.end()
  }
}
