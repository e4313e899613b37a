/**
 * The first attempts of a batch, from memory. The batch is over when each of its notifications is
 * answered, or has waited its time and is parked; an attempt that is under way then goes on.
 */
import type { Notification, Result } from './contract.ts'
import type { BackoffBounds } from './domain/backoff.ts'
import type { AttemptEnd } from './domain/step.ts'
import { noTries } from './domain/tries.ts'
import type { Delivery } from './lane.ts'
import type { Lanes } from './lanes.ts'
import { parkedResult, resultOf } from './result.ts'

export interface FirstAttemptParts {
  readonly lanes: Lanes
  readonly backoff: BackoffBounds
  readonly park_after_ms: number
  /** An attempt that had been parked has ended. */
  readonly onLateEnd: (notification: Notification, end: AttemptEnd) => void
}

interface Run {
  readonly chain: readonly Notification[]
  /** The notification whose turn it is. */
  at: number
  delivery: Delivery | undefined
}

interface Batch {
  readonly parts: FirstAttemptParts
  readonly runs: readonly Run[]
  readonly results: Result[]
  open: number
  over: boolean
  readonly onOver: () => void
}

/**
 * Tries each chain from its first notification on; the next one follows when the one before has
 * ended. Results come in the order in which the notifications are to be stored.
 */
export function attemptFirst(
  chains: readonly (readonly Notification[])[],
  parts: FirstAttemptParts,
): Promise<readonly Result[]> {
  return new Promise((resolve) => {
    const runs = chains.map((chain): Run => ({ chain, at: 0, delivery: undefined }))
    const results: Result[] = []
    const onOver = () => {
      batch.over = true
      clearTimeout(timer)
      resolve(results)
    }
    const batch: Batch = { parts, runs, results, open: runs.length, over: false, onOver }
    const timer = setTimeout(() => parkRest(batch), parts.park_after_ms)
    if (runs.length === 0) onOver()
    for (const run of runs) proceed(batch, run)
  })
}

function proceed(batch: Batch, run: Run): void {
  const notification = run.chain[run.at]
  if (notification === undefined) {
    close(batch)
    return
  }
  run.delivery = {
    notification,
    attempts: 0,
    begin_before_ms: Infinity,
    onEnd(end) {
      if (batch.over) batch.parts.onLateEnd(notification, end)
      else take(batch, run, notification, end)
    },
  }
  batch.parts.lanes.of(notification.fspId).offer(run.delivery)
}

function take(batch: Batch, run: Run, notification: Notification, end: AttemptEnd): void {
  run.delivery = undefined
  run.at += 1
  const tried = { notification, attempts: 0, tries: noTries, stored: false }
  const result = resultOf(tried, end, batch.parts.backoff)
  batch.results.push(result)
  if (result.type === 'ENDED') {
    proceed(batch, run)
    return
  }
  for (const behind of run.chain.slice(run.at)) batch.results.push(parkedResult(behind, undefined))
  run.at = run.chain.length
  close(batch)
}

function close(batch: Batch): void {
  batch.open -= 1
  if (batch.open === 0) batch.onOver()
}

/** The time is over: what is under way goes on, what waits for its turn waits in the store. */
function parkRest({ parts, runs, results, onOver }: Batch): void {
  for (const { chain, at, delivery } of runs) {
    for (const notification of chain.slice(at)) {
      const isAtTurn = delivery?.notification === notification
      const lane = parts.lanes.of(notification.fspId)
      results.push(parkedResult(notification, isAtTurn ? lane.release(delivery) : undefined))
    }
  }
  onOver()
}
