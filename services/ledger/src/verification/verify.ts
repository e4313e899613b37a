/**
 * Checks the ledger's consistency as of one moment, while it is written to: accounts with the
 * journal, the journal with the entries, windows with what was posted in them, exclusions of cover
 * with their reservations, unpaid amounts with settlements and funds out. Each table is read once,
 * in slices, each statement seeing the current rows. No snapshot is held, because it would keep old
 * row versions from being removed and the writer would have to skip them all (measured: its batches
 * cost five times as much after 90 seconds).
 */
import type { Database, Queries } from '@causeway/postgres'
import {
  addSums,
  balanceDifferences,
  currencyDifferences,
  unknownAccounts,
  unpaidDifferences,
  type Journal,
} from './domain/accounts.ts'
import { addMarks, differentBuckets, type Marks } from './domain/marks.ts'
import { addNets, netDifferences, type Net, type Nets } from './domain/nets.ts'
import { differentEntries, finalMarks, orphanLines, stepSums, writtenMarks } from './line-store.ts'
import { readMoment, type Moment } from './moment-store.ts'
import { unpaidOf } from './domain/unpaid.ts'
import {
  missingFees,
  netsOf,
  postedNets,
  windowId_max,
  wrongStamps,
  type Windows,
} from './net-store.ts'
import {
  aboutBalance,
  aboutCurrency,
  aboutEntry,
  aboutExclusion,
  aboutFee,
  aboutMarks,
  aboutNet,
  aboutOrphan,
  aboutStamp,
  aboutUnknownAccount,
  aboutUnpaid,
  openFindings,
  type Findings,
} from './sentences.ts'
import { unpaidEvents } from './unpaid-store.ts'
import { preventRewrites, lookUpByKeys, slicesOf, type Slice } from './slice-store.ts'

export interface LedgerVerification {
  readonly accountsCompared: number
  /** Sentences, bounded in number. */
  readonly differences: readonly string[]
}

export interface VerifyOptions {
  /** A random number, different in each run. */
  readonly seed: bigint
  /** Ends the comparison before its next statement, with the signal's reason. */
  readonly signal: AbortSignal
  /** Pages of 8 KiB that one statement reads: 8 MiB are read in well under a second. */
  readonly pages_max?: number
  /**
   * The maximum number of nets in memory; if there are more, the entries are read once for each
   * part.
   */
  readonly nets_max?: number
}

const pages_max_default = 1_024
const nets_max_default = 200_000

interface VerificationRun {
  readonly tx: Queries
  readonly moment: Moment
  readonly seed: bigint
  readonly findings: Findings
  readonly pages_max: number
  readonly nets_max: number
}

export async function verifyLedger(
  database: Database,
  options: VerifyOptions,
): Promise<LedgerVerification> {
  const { seed, signal } = options
  const { pages_max = pages_max_default, nets_max = nets_max_default } = options
  const moment = await database.transaction(
    async (tx) => {
      await lookUpByKeys(tx)
      return readMoment(tx, seed)
    },
    { isolation: 'repeatable read', readOnly: true },
  )
  const differences = await database.transaction(
    async (transaction) => {
      const tx = stoppedBy(signal, transaction)
      const run = { tx, moment, seed, findings: openFindings(), pages_max, nets_max }
      await lookUpByKeys(tx)
      await preventRewrites(tx)
      await compareAll(run)
      return run.findings.all()
    },
    { readOnly: true },
  )
  return { accountsCompared: moment.accounts.length, differences }
}

function stoppedBy(signal: AbortSignal, tx: Queries): Queries {
  return {
    async query(statement, values) {
      signal.throwIfAborted()
      return tx.query(statement, values)
    },
  }
}

async function compareAll(run: VerificationRun): Promise<void> {
  const { tx, findings, moment } = run
  const lines = await slicesOf(tx, 'journal', run.pages_max)
  const entries = await slicesOf(tx, 'entries', run.pages_max)
  const { journal, written } = await readJournal(run, lines)
  findings.add(balanceDifferences(moment.accounts, journal).map(aboutBalance))
  findings.add(unknownAccounts(moment.accounts, journal).map(aboutUnknownAccount))
  findings.add(currencyDifferences(moment.accounts).map(aboutCurrency))
  findings.add(moment.exclusions.map(aboutExclusion))
  const unpaid = unpaidOf(await unpaidEvents(tx, moment.batch))
  findings.add(unpaidDifferences(moment.accounts, unpaid).map(aboutUnpaid))
  const first = await countedFrom(run, -windowId_max)
  const { expected, posted } = await readEntries(run, entries, first.windows)
  await nameDifferences(run, lines, entries, differentBuckets(expected, written))
  findings.add(netDifferences(first.counted, posted).map(aboutNet))
  await compareLaterWindows(run, entries, first.windows.to)
}

async function readJournal(
  { tx, moment, seed }: VerificationRun,
  lines: readonly Slice[],
): Promise<{ readonly journal: Journal; readonly written: Marks }> {
  const journal: Journal = new Map()
  const written: Marks = new Map()
  for (const slice of lines) {
    addSums(journal, await stepSums(tx, slice, moment.batch))
    addMarks(written, await writtenMarks(tx, slice, moment.batch, seed))
  }
  return { journal, written }
}

/** The checksums that the entries require at the moment, and what was posted in these windows. */
async function readEntries(
  { tx, moment, seed, findings }: VerificationRun,
  entries: readonly Slice[],
  windows: Windows,
): Promise<{ readonly expected: Marks; readonly posted: Nets }> {
  const expected: Marks = new Map()
  const posted: Nets = new Map()
  addMarks(expected, moment.reserved)
  for (const slice of entries) {
    addMarks(expected, await finalMarks(tx, slice, moment.batch, seed))
    addNets(posted, await postedNets(tx, slice, moment.batch, windows))
    findings.add((await missingFees(tx, slice, moment.batch)).map(aboutFee))
    findings.add((await wrongStamps(tx, slice, moment.batch, moment.windowId)).map(aboutStamp))
  }
  return { expected, posted }
}

/**
 * Only in buckets whose checksums differ is each entry compared with its lines, and each line with
 * its entry.
 */
async function nameDifferences(
  { tx, seed, findings }: VerificationRun,
  lines: readonly Slice[],
  entries: readonly Slice[],
  buckets: readonly number[],
): Promise<void> {
  if (buckets.length === 0) return
  let named = 0
  for (const slice of entries) {
    if (findings.isFull()) return
    const different = await differentEntries(tx, slice, buckets, seed)
    findings.add(different.map(aboutEntry))
    named += different.length
  }
  for (const slice of lines) {
    if (findings.isFull()) return
    const orphans = await orphanLines(tx, slice, buckets, seed)
    findings.add(orphans.map(aboutOrphan))
    named += orphans.length
  }
  if (named === 0) findings.add([aboutMarks(buckets.length)])
}

/** If there are more nets than fit into memory, the entries are read once more for each part. */
async function compareLaterWindows(
  run: VerificationRun,
  entries: readonly Slice[],
  from: number,
): Promise<void> {
  const { tx, moment, findings } = run
  for (let next = from; next < windowId_max;) {
    const { windows, counted } = await countedFrom(run, next)
    const posted: Nets = new Map()
    for (const slice of entries) {
      addNets(posted, await postedNets(tx, slice, moment.batch, windows))
    }
    findings.add(netDifferences(counted, posted).map(aboutNet))
    next = windows.to
  }
}

/** As many windows as fit into memory, and at least one; the last ones go with the current one. */
async function countedFrom(
  { tx, moment, nets_max }: VerificationRun,
  from: number,
): Promise<{ readonly windows: Windows; readonly counted: readonly Net[] }> {
  const closed = await netsOf(tx, { from, to: moment.windowId }, nets_max + 1)
  const [first, last] = [closed[0], closed.at(-1)]
  if (first === undefined || last === undefined || closed.length <= nets_max) {
    return { windows: { from, to: windowId_max }, counted: [...closed, ...moment.nets] }
  }
  if (first.windowId < last.windowId) {
    const counted = closed.filter(({ windowId }) => windowId < last.windowId)
    return { windows: { from, to: last.windowId }, counted }
  }
  const windows = { from, to: first.windowId + 1 }
  return { windows, counted: await netsOf(tx, windows, windowId_max) }
}
