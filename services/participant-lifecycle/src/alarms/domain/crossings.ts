/** Which alarms a batch of the ledger sets off: looked for among the accounts that it has changed. */
import { coverOf, valueOf, type Account } from '../../ledger/domain/account.ts'
import type { Changes, LockedRows } from '../../ledger/domain/book.ts'
import { decideAlarms, type AlarmDecision, type AlarmRules, type Reading } from './alarm.ts'

/** An account whose alarms are to be stored, and told if any is told. */
export interface Crossing extends AlarmDecision {
  readonly account: Account
  readonly reading: Reading
}

const shortages: ReadonlySet<string> = new Set(['COVER_SHORT', 'CAP_SHORT'])

/** None in most batches. */
export function crossingsOf(
  rows: LockedRows,
  changes: Changes,
  rules: AlarmRules,
): readonly Crossing[] {
  const touched = refusedPayers(changes)
  for (const account of changes.accounts) {
    const place = placeOf(account)
    if (!touched.has(place)) touched.set(place, { wasRefused: false })
  }
  if (touched.size === 0) return []
  const pairs = pairsOf(rows, changes, touched)
  const crossings: Crossing[] = []
  for (const { accountId, alarmPercentage, alarms } of rows.watched) {
    const pair = pairs.get(accountId)
    if (pair === undefined) continue
    const { account, limit, wasRefused } = pair
    const reading = { position: valueOf(account), limit, alarmPercentage, wasRefused }
    const decision = decideAlarms(alarms, reading, rows.now, rules)
    if (decision.alarms !== alarms) crossings.push({ ...decision, account, reading })
  }
  return crossings
}

interface Touched {
  /** For want of liquidity. */
  readonly wasRefused: boolean
}

/** By participant and currency. */
function refusedPayers({ entered }: Changes): Map<string, Touched> {
  const payers = new Map<string, Touched>()
  for (const { outcome, reason, parties, terms } of entered) {
    if (outcome !== 'REFUSED' || !shortages.has(reason)) continue
    if (parties.payerId === null || terms === null) continue
    const place = { participantId: parties.payerId, currency: terms.currency }
    payers.set(placeOf(place), { wasRefused: true })
  }
  return payers
}

function placeOf({ participantId, currency }: Pick<Account, 'participantId' | 'currency'>): string {
  return `${participantId}/${currency}`
}

interface Pair extends Touched {
  readonly account: Account
  /** The lower one of cap and cover. */
  readonly limit: bigint
}

/** The positions that were touched, or whose cover was, by their ids, as they stand now. */
function pairsOf(
  rows: LockedRows,
  changes: Changes,
  touched: ReadonlyMap<string, Touched>,
): ReadonlyMap<number, Pair> {
  const positions = new Map<string, Account>()
  const covers = new Map<string, bigint>()
  // What has changed comes last and replaces what was read.
  for (const account of [...rows.accounts, ...changes.accounts]) {
    const place = placeOf(account)
    if (!touched.has(place)) continue
    if (account.type === 'POSITION') positions.set(place, account)
    else if (account.type === 'SETTLEMENT') covers.set(place, coverOf(account))
  }
  const pairs = new Map<number, Pair>()
  for (const [place, account] of positions) {
    const cover = covers.get(place)
    const { cap } = account
    if (cover === undefined || cap === null) continue
    const wasRefused = touched.get(place)?.wasRefused === true
    pairs.set(account.id, { account, limit: cover < cap ? cover : cap, wasRefused })
  }
  return pairs
}
