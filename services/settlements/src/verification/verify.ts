/**
 * Checks settlements for consistency: the nets counted by the ledger with the lines of the
 * transfers, derived states with their sources, and nets with their parts; and with the ledger:
 * lines and settlements with its entries, and the open window.
 */
import { stateOf } from '../settlements/domain/settlement.ts'
import { missingOf, windowStateOf } from '../windows/domain/window.ts'
import { talliesOf } from '../windows/store.ts'
import { compareWithLedger, type ComparingParts } from './ledger.ts'
import { compareLines } from './lines.ts'
import {
  closedWindowsAfter,
  settlementsToCheck,
  wrongFlows,
  type CheckedSettlement,
  type ClosedWindow,
} from './store.ts'

export interface VerifiedSettlements {
  readonly windowsCompared: number
  /** Sentences, bounded in number. */
  readonly differences: readonly string[]
}

const page_max = 500
const differences_max = 1_000
/** Lines may be delayed for so long. */
const late_ms = 60_000

export type ComparedLedger = ComparingParts['ledger']

/** `reread_ms` is the pause before each further pass of the comparison with the ledger. */
export async function verifySettlements(
  parts: ComparingParts,
  now: Date,
  reread_ms = 1_000,
): Promise<VerifiedSettlements> {
  const { db } = parts
  const differences: string[] = []
  let windowsCompared = 0
  let last: number | undefined = 0
  while (last !== undefined && differences.length < differences_max) {
    const windows: readonly ClosedWindow[] = await closedWindowsAfter(db, last, page_max)
    for (const window of windows) differences.push(...(await aboutWindow(parts, window, now)))
    windowsCompared += windows.length
    last = windows.at(-1)?.id
  }
  last = 0
  while (last !== undefined && differences.length < differences_max) {
    const settlements: readonly CheckedSettlement[] = await settlementsToCheck(db, last, page_max)
    differences.push(...settlements.flatMap(aboutSettlement))
    last = settlements.at(-1)?.id
  }
  if (differences.length < differences_max) {
    differences.push(...(await compareWithLedger(parts, reread_ms)))
  }
  return { windowsCompared, differences: differences.slice(0, differences_max) }
}

async function aboutWindow(
  parts: ComparingParts,
  { id, state, closedAt, contents }: ClosedWindow,
  now: Date,
): Promise<readonly string[]> {
  const { db } = parts
  const isWaiting = state === 'PROCESSING'
  if (isWaiting && now.getTime() - closedAt.getTime() < late_ms) return []
  const { counted, recorded } = await talliesOf(db, id)
  const missing = missingOf(counted, recorded)
  const found: string[] = []
  if (missing === null) found.push(`Window ${id} has lines that the ledger has not counted.`)
  else if (missing > 0n) found.push(`Window ${id} lacks ${missing} sides of its transfers.`)
  for (const flow of await wrongFlows(db, id)) {
    const { payerAccountId, payeeAccountId } = flow
    found.push(
      `The lines of window ${id} from account ${payerAccountId} to ${payeeAccountId} are not what was counted.`,
    )
  }
  found.push(...(await compareLines(parts, id)))
  if (!isWaiting && contents.length > 0 && windowStateOf(contents) !== state) {
    found.push(`Window ${id} is ${state}, what it holds makes it ${windowStateOf(contents)}.`)
  }
  return found
}

function aboutSettlement(settlement: CheckedSettlement): readonly string[] {
  const { id, state, accounts, wrongAccounts } = settlement
  const made = stateOf(accounts)
  return [
    ...wrongAccounts.map(
      (account) => `Settlement ${id} has another net of account ${account} than its windows.`,
    ),
    ...(made === state ? [] : [`Settlement ${id} is ${state}, its accounts make it ${made}.`]),
  ]
}
