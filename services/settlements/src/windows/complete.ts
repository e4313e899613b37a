/**
 * A closed window becomes CLOSED when its lines match what the ledger has counted, so that a report
 * shows each transfer behind each net. Until then it is PROCESSING; its nets are already final.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Calls } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import type { ledgerService } from '@causeway/protos'
import { feeLine } from '../lines/fee.ts'
import { recordLines } from '../lines/store.ts'
import { missingOf } from './domain/window.ts'
import {
  feeAccountsOf,
  processingWindows,
  saveComplete,
  talliesOf,
  type Processing,
} from './store.ts'

export interface CompletingParts {
  readonly db: Database
  readonly ledger: Pick<Calls<typeof ledgerService>, 'ListWindowFees'>
  readonly log: Logger
}

const fees_page = 5_000
/** Lines that are missing after this time raise an alarm; delayed events arrive much sooner. */
const late_ms = 60_000
const pause_ms = 50

/** Closes complete windows; returns the ids of windows that still wait for lines. */
export async function completeWindows(parts: CompletingParts): Promise<readonly number[]> {
  const waiting: number[] = []
  for (const window of await processingWindows(parts.db)) {
    if (await complete(parts, window)) continue
    if (window.hasFees) {
      await fetchFees(parts, window.windowId)
      if (await complete(parts, window)) continue
    }
    waiting.push(window.windowId)
  }
  return waiting
}

async function complete({ db, log }: CompletingParts, window: Processing): Promise<boolean> {
  const { windowId, closedAt } = window
  const { counted, recorded } = await talliesOf(db, windowId)
  const missing = missingOf(counted, recorded)
  if (missing === 0n) {
    await saveComplete(db, windowId)
    return true
  }
  if (missing === null || Date.now() - closedAt.getTime() > late_ms) {
    const lacks = missing === null ? 'has lines that the ledger has not' : `lacks ${missing} sides`
    log.error({ windowId }, `ALARM settlement window ${windowId} ${lacks}`)
  }
  return false
}

/** Waits at most `wait_ms` for the last lines of these windows. */
export async function untilComplete(
  parts: CompletingParts,
  windowIds: readonly number[],
  wait_ms: number,
): Promise<void> {
  const end = Date.now() + wait_ms
  for (;;) {
    const waiting = await completeWindows(parts)
    if (!waiting.some((id) => windowIds.includes(id)) || Date.now() >= end) return
    await wait(pause_ms)
  }
}

/** The fees of a closed window never change: storing a page again changes nothing. */
async function fetchFees({ db, ledger }: CompletingParts, windowId: number): Promise<void> {
  const accounts = await feeAccountsOf(db, windowId)
  let afterId = ''
  for (;;) {
    const page = await ledger.ListWindowFees({ windowId, afterId, limit: fees_page })
    await recordLines(
      db,
      page.entries.map((entry) => feeLine(entry, accounts)),
    )
    const last = page.entries.at(-1)
    if (last === undefined || page.entries.length < fees_page) return
    afterId = last.id
  }
}
