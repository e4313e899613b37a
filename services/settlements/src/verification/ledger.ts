/**
 * Compares settlements with the ledger: it must have posted what each settlement requires, with its
 * terms, and nothing else. Work in progress can look like a difference, so only differences that
 * are found in every pass are reported.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { derivedId } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { formatAmount, parseDecimal } from '@causeway/money'
import type { Database } from '@causeway/postgres'
import type { LedgerEntry, ledgerService } from '@causeway/protos'
import {
  grossMovements,
  grossMovements_max,
  netMovements,
  committingIn,
  type Rules,
} from '../settlements/domain/movements.ts'
import {
  grossPages,
  openStepOf,
  pairsOf,
  settlementOf,
  windowsOf,
  type OpenStep,
  type StoredSettlement,
} from '../settlements/store.ts'
import { openClosings, openWindowId } from '../windows/store.ts'
import {
  abortedPairs,
  alone,
  changing,
  expectedNets,
  expectedPairs,
  stepsTo,
  type Expected,
} from './domain/expected.ts'
import { settlementIdsAfter } from './store.ts'

export interface ComparingParts {
  readonly db: Database
  readonly ledger: Pick<
    Calls<typeof ledgerService>,
    'GetCurrentWindow' | 'GetLedgerEntries' | 'ListSettlementEntries'
  >
}

const looks = 3
const ids_max = 1_000
const lines_max = Math.floor(ids_max / grossMovements_max)
const page_max = 10_000
const options = { deadline_ms: 30_000 }

/** The differences as sentences; `reread_ms` is the pause before each further pass. */
export async function compareWithLedger(
  parts: ComparingParts,
  reread_ms: number,
): Promise<readonly string[]> {
  let persistent = await differencesNow(parts)
  for (let look = 1; look < looks && persistent.length > 0; look++) {
    await pause(reread_ms)
    const seen = new Set(await differencesNow(parts))
    persistent = persistent.filter((sentence) => seen.has(sentence))
  }
  return persistent
}

async function differencesNow(parts: ComparingParts): Promise<readonly string[]> {
  const { found, differences } = await compareSettlements(parts, () => undefined)
  const posted = await eachPosted(parts, () => undefined)
  return [
    ...(await aboutOpenWindow(parts)),
    ...differences,
    ...(posted === found ? [] : await nameUnknown(parts)),
  ]
}

async function aboutOpenWindow({ db, ledger }: ComparingParts): Promise<readonly string[]> {
  const [closings, open] = [await openClosings(db), await openWindowId(db)]
  const { windowId } = await ledger.GetCurrentWindow({}, options)
  return closings.length > 0 || windowId === open
    ? []
    : [`Window ${open} is OPEN, but the ledger stamps transfers with window ${windowId}.`]
}

/** `found`: entries that settlements explain. */
async function compareSettlements(
  parts: ComparingParts,
  onFound: (entryId: string) => void,
): Promise<{ readonly found: number; readonly differences: readonly string[] }> {
  const differences: string[] = []
  let found = 0
  const counting = (id: string) => {
    found++
    onFound(id)
  }
  for (let after = 0; ;) {
    const ids = await settlementIdsAfter(parts.db, after, ids_max)
    for (const id of ids) differences.push(...(await aboutSettlement(parts, id, counting)))
    const last = ids.at(-1)
    if (last === undefined) return { found, differences }
    after = last
  }
}

async function aboutSettlement(
  parts: ComparingParts,
  id: number,
  onFound: (entryId: string) => void,
): Promise<readonly string[]> {
  const { db } = parts
  // The step is read first: if it ends in between, the states already contain it.
  const step = await openStepOf(db, id)
  const settlement = await settlementOf(db, id, 'READ')
  if (settlement === undefined) return []
  const { model, accounts } = settlement
  const rules: Rules = { ...model, excludesUnpaid: false }
  const compare = (expected: readonly Expected[]) => comparePage(parts, id, expected, onFound)
  if (model.granularity === 'GROSS')
    return compareGross(parts, { settlement, step, rules }, compare)
  const changes = step === undefined ? [] : changing(accounts, step.changes)
  if (model.interchange === 'BILATERAL') {
    const pairs = await pairsOf(db, settlement)
    const taken = stepsTo(accounts, 'PS_TRANSFERS_COMMITTED')
    const must = expectedPairs(rules, taken, pairs, 'MUST')
    const may = expectedPairs(rules, changes, pairs, 'MAYBE')
    return sentencesOf(await compare([...must, ...may]))
  }
  const may = netMovements(rules, changes).map((movement) => alone(movement, 'MAYBE'))
  const plain = await compare([...expectedNets(rules, accounts), ...may])
  const aborted = abortedPairs(rules, accounts)
  const both = await compare(aborted.flat())
  const halves = aborted.filter((_, at) => both[2 * at]?.isThere !== both[2 * at + 1]?.isThere)
  return [
    ...sentencesOf([...plain, ...both]),
    ...halves.map(
      ([{ names }]) => `Settlement ${id} is aborted, but ${names.join()} was not undone.`,
    ),
  ]
}

interface Gross {
  readonly settlement: StoredSettlement
  readonly step: OpenStep | undefined
  readonly rules: Rules
}

async function compareGross(
  { db }: ComparingParts,
  { settlement, step, rules }: Gross,
  compare: (expected: readonly Expected[]) => Promise<readonly Compared[]>,
): Promise<readonly string[]> {
  const { accounts, model, id } = settlement
  const sides = [
    [committingIn(stepsTo(accounts, 'PS_TRANSFERS_COMMITTED')), 'MUST'],
    [committingIn(step === undefined ? [] : changing(accounts, step.changes)), 'MAYBE'],
  ] as const
  const sentences: string[] = []
  for (const windowId of await windowsOf(db, id)) {
    for (const [payers, presence] of sides) {
      if (payers.size === 0) continue
      for await (const lines of grossPages(db, windowId, model.id, payers, lines_max)) {
        const movements = lines.flatMap((line) => grossMovements(rules, line))
        const expected = movements.map((movement) => alone(movement, presence))
        sentences.push(...sentencesOf(await compare(expected)))
      }
    }
  }
  return sentences
}

interface Compared {
  readonly isThere: boolean
  readonly sentence: string | undefined
}

function sentencesOf(compared: readonly Compared[]): readonly string[] {
  return compared.flatMap(({ sentence }) => sentence ?? [])
}

async function comparePage(
  { ledger }: ComparingParts,
  settlementId: number,
  expected: readonly Expected[],
  onFound: (entryId: string) => void,
): Promise<readonly Compared[]> {
  const idsOf = ({ names }: Expected) =>
    names.map((name) => derivedId(`settlement/${settlementId}`, name))
  const ids = expected.flatMap(idsOf)
  const entries = new Map<string, LedgerEntry>()
  for (let from = 0; from < ids.length; from += ids_max) {
    const asked = { ids: ids.slice(from, from + ids_max) }
    const answer = await ledger.GetLedgerEntries(asked, options)
    for (const entry of answer.entries) entries.set(entry.id, entry)
  }
  for (const { id, kind, outcome } of entries.values()) {
    if (kind === 'SETTLEMENT' && outcome === 'POSTED') onFound(id)
  }
  return expected.map((one) => {
    const there = idsOf(one).flatMap((id) => entries.get(id) ?? [])
    return { isThere: there.length > 0, sentence: differenceOf(settlementId, one, there) }
  })
}

function differenceOf(
  settlementId: number,
  expected: Expected,
  entries: readonly LedgerEntry[],
): string | undefined {
  const { names, debit, credit, amount, currency, presence } = expected
  if (entries.length === 0 && presence === 'MAYBE') return undefined
  const isRight = (entry: LedgerEntry) =>
    entry.kind === 'SETTLEMENT' &&
    entry.outcome === 'POSTED' &&
    entry.currency === currency &&
    (debit.participant ?? entry.payerFsp) === entry.payerFsp &&
    (credit.participant ?? entry.payeeFsp) === entry.payeeFsp
  const sum = entries.reduce((total, entry) => total + (parseDecimal(entry.amount ?? '') ?? 0n), 0n)
  if (entries.length > 0 && entries.every(isRight) && sum === amount) return undefined
  const found = entries.map((entry) => `${entry.outcome} ${entry.amount} ${entry.currency}`)
  const has = found.length === 0 ? 'nothing' : found.join(' and ')
  return `Settlement ${settlementId} has moved ${formatAmount(amount)} ${currency} (${names[0] ?? ''}), the ledger has posted ${has} for it.`
}

/** The number of posted settlement entries. */
async function eachPosted(
  { ledger }: ComparingParts,
  onEntry: (entry: LedgerEntry) => void,
): Promise<number> {
  let count = 0
  for (let afterId = ''; ;) {
    const { entries } = await ledger.ListSettlementEntries({ afterId, limit: page_max }, options)
    const last = entries.at(-1)
    if (last === undefined) return count
    for (const entry of entries) onEntry(entry)
    count += entries.length
    afterId = last.id
  }
}

const named_max = 100

/** Compares all entries, only if their numbers differ. */
async function nameUnknown(parts: ComparingParts): Promise<readonly string[]> {
  const known = new Set<string>()
  await compareSettlements(parts, (id) => known.add(id))
  const sentences: string[] = []
  await eachPosted(parts, ({ id, payerFsp, payeeFsp, amount, currency }) => {
    if (known.has(id) || sentences.length >= named_max) return
    sentences.push(
      `The ledger has posted ${amount} ${currency} from ${payerFsp} to ${payeeFsp} (${id}), which no settlement has moved.`,
    )
  })
  return sentences
}
