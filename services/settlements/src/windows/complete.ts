/**
 * A closed window is CLOSED when the lines of its transfers come to what the ledger has counted: then a
 * report can show each transfer behind each net. Until then it is PROCESSING, and its nets are final.
 */
import type { LedgerEntry, ledgerService } from '@causeway/protos'
import { parseDecimal } from '@causeway/money'
import type { Calls, Database, Logger } from '@causeway/runtime'
import { setTimeout as wait } from 'node:timers/promises'
import type { Line } from '../lines/line.ts'
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
/** Lines that have not come by then are an alarm; events that are only late come much sooner. */
const late_ms = 60_000
const pause_ms = 50

/** Closes what is complete; the ids of the windows that still wait for lines. */
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
  const { counted, heard } = await talliesOf(db, windowId)
  const missing = missingOf(counted, heard)
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

/** Waits a while for these windows: their last lines are on their way. */
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

/** The fees of a closed window never change: pages that were stored before change nothing. */
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

function amountOf({ id, amount }: LedgerEntry): bigint {
  const units = parseDecimal(amount)
  if (units === undefined) throw new Error(`the ledger answered the fee ${id} of '${amount}'`)
  return units
}

function feeLine(entry: LedgerEntry, accounts: ReadonlyMap<string, number>): Line {
  const { settlementModelId: modelId, currency, payerFsp, payeeFsp } = entry
  const accountOf = (fsp: string) => accounts.get(`${modelId}/${currency}/${fsp}`) ?? null
  return {
    windowId: entry.windowId,
    transferId: entry.id.replace(/^fee-/, ''),
    kind: 'FEE',
    state: 'COMMITTED',
    reason: '',
    payerFsp,
    payeeFsp,
    amount: amountOf(entry),
    currency,
    modelId,
    payerAccountId: accountOf(payerFsp),
    payeeAccountId: accountOf(payeeFsp),
    completedTimestamp: entry.completedAt,
    finalisedAt: entry.completedAt,
  }
}
