/** The commands `npm run archive` and `npm run restore`. */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { StartError } from '@causeway/process'
import { restoreMonth } from './restore.ts'
import { archiveMonth, type Archived } from './archive.ts'
import { clockOf, refusals, type MonthTable } from './catalogue.ts'
import { withDatabases, type OpenedDatabase } from './databases.ts'
import { withFiles, type Environment } from './environment.ts'
import { nameOf, readManifest, type Manifest } from './manifest.ts'
import { openMonthRecords, type MonthRecords } from './month-records.ts'
import { isTooYoung, monthIn, type Month } from './month.ts'
import { dueMonths, requireKnown, retentionIn, type Retention } from './retention.ts'

export interface Surroundings {
  readonly environment: Environment
  readonly report: (sentence: string) => void
}

const archiveUsage = 'npm run archive -- (--month YYYY-MM | --due) --to FOLDER [--plain]'
const restoreUsage = 'npm run restore -- --from FOLDER/YYYY-MM [--plain]'

/**
 * Throws StartError, before it changes anything, for a month that must stay. With --due it archives the
 * months of each table whose retention has ended; those that must stay are reported and stay.
 */
export async function archive(
  args: readonly string[],
  { environment: given, report }: Surroundings,
): Promise<void> {
  const environment = withFiles(given)
  const isDue = args.includes('--due')
  const { flags, plain } = readFlags(args, isDue ? ['to'] : ['month', 'to'], archiveUsage)
  const folder = resolve(flags['to'] ?? '')
  const month = monthIn(flags['month'] ?? '')
  if (!isDue && month === undefined) {
    throw new StartError(`${flags['month']} is no month: ${archiveUsage}`)
  }
  await withDatabases(environment, async (databases) => {
    requireSomeTables(databases)
    const records = await openMonthRecords(databases, environment, plain ? 'NONE' : 'MAKE')
    const options = { folder, records, report }
    if (month === undefined) await archiveDue(databases, retentionIn(environment), options)
    else {
      await requireFinished(databases, month, records)
      await archiveAll(databases, month, options)
    }
  })
}

interface ArchiveAll {
  readonly folder: string
  readonly records: MonthRecords
  readonly report: (sentence: string) => void
}

async function archiveAll(
  databases: readonly OpenedDatabase[],
  month: Month,
  { folder, records, report }: ArchiveAll,
): Promise<void> {
  const all: Archived[] = []
  for (const { client, tables } of databases) {
    all.push(await archiveMonth(client, tables, { month, folder, records, report }))
  }
  report(summaryOf(month, join(folder, month), all))
}

async function archiveDue(
  databases: readonly OpenedDatabase[],
  retention: Retention,
  options: ArchiveAll,
): Promise<void> {
  requireKnown(
    retention,
    databases.flatMap(({ tables }) => tables),
  )
  const byMonth = new Map<Month, OpenedDatabase[]>()
  for (const { client, tables } of databases) {
    const now = await clockOf(client)
    const due = new Map<Month, MonthTable[]>()
    for (const table of tables) {
      for (const month of await dueMonths(client, table, retention, now)) {
        due.set(month, [...(due.get(month) ?? []), table])
      }
    }
    for (const [month, ofMonth] of due) {
      byMonth.set(month, [...(byMonth.get(month) ?? []), { client, tables: ofMonth }])
    }
  }
  if (byMonth.size === 0) options.report('No month is due.')
  for (const [month, ofMonth] of [...byMonth].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const why = await reasonsToStay(ofMonth, month, options.records)
    if (why.length > 0) options.report(`${month} stays: ${why.join('; ')}.`)
    else await archiveAll(ofMonth, month, options)
  }
}

export async function restore(
  args: readonly string[],
  { environment: given, report }: Surroundings,
): Promise<void> {
  const environment = withFiles(given)
  const { flags, plain } = readFlags(args, ['from'], restoreUsage)
  const monthFolder = resolve(flags['from'] ?? '')
  const manifest = await readManifest(monthFolder)
  if (manifest === undefined)
    throw new StartError(`${monthFolder} has no manifest.json: ${restoreUsage}`)
  await withDatabases(environment, async (databases) => {
    requireTables(databases, manifest)
    const isEncrypted = manifest.tables.some(({ encryption }) => encryption !== undefined)
    const keys = isEncrypted ? 'READ' : 'NONE'
    const records = await openMonthRecords(databases, environment, keys)
    const key = await records.key(manifest.month)
    if (key === 'ERASED') {
      throw new StartError(`${manifest.month} is erased: its key was dropped, and no one has it.`)
    }
    for (const { client, tables } of databases) {
      await restoreMonth(client, tables, { monthFolder, manifest, key, plain, records, report })
    }
    report(`${manifest.month} is restored from ${monthFolder}; the files there may stay.`)
  })
}

interface Flags {
  readonly flags: Readonly<Record<string, string>>
  /** Files are written without encryption; those that were are read. */
  readonly plain: boolean
}

function readFlags(args: readonly string[], names: readonly string[], usage: string): Flags {
  const texts = Object.fromEntries(names.map((name) => [name, { type: 'string' } as const]))
  const options = { ...texts, plain: { type: 'boolean' }, due: { type: 'boolean' } } as const
  let values: Readonly<Record<string, unknown>>
  try {
    values = parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new StartError(`${(error as Error).message}: ${usage}`)
  }
  const read = names.map((name) => {
    const value = values[name]
    if (typeof value === 'string' && value !== '') return [name, value] as const
    throw new StartError(`--${name} is missing: ${usage}`)
  })
  return { flags: Object.fromEntries(read), plain: values['plain'] === true }
}

/** All databases are checked before the first of them is changed. */
async function requireFinished(
  databases: readonly OpenedDatabase[],
  month: Month,
  records: MonthRecords,
): Promise<void> {
  for (const { client } of databases) {
    if (isTooYoung(month, await clockOf(client))) {
      throw new StartError(`${month} stays: only months before the last one are archived.`)
    }
  }
  const reasons = await reasonsToStay(databases, month, records)
  if (reasons.length > 0) throw new StartError(`${month} stays: ${reasons.join('; ')}.`)
}

async function reasonsToStay(
  databases: readonly OpenedDatabase[],
  month: Month,
  records: MonthRecords,
): Promise<readonly string[]> {
  // Another key in its place would make the month unreadable for good.
  const isLost = await records.isLost(month)
  const reasons = isLost ? ['auth_service: the key of its messages is lost'] : []
  for (const { client, tables } of databases) {
    reasons.push(...(await refusals(client, tables, month)))
  }
  return reasons
}

function requireSomeTables(databases: readonly OpenedDatabase[]): void {
  if (databases.every(({ tables }) => tables.length === 0)) {
    throw new StartError('There are no tables of months here, or the role may not change them.')
  }
}

function requireTables(databases: readonly OpenedDatabase[], { tables }: Manifest): void {
  const here = new Set(databases.flatMap((one) => one.tables.map(nameOf)))
  const missing = tables.map(nameOf).filter((name) => !here.has(name))
  if (missing.length === 0) return
  throw new StartError(`No database that was named has the tables ${missing.join(', ')}.`)
}

function summaryOf(month: Month, monthFolder: string, all: readonly Archived[]): string {
  const moved = all.flatMap((one) => one.moved)
  const earlier = all.flatMap((one) => one.earlier)
  if (moved.length > 0)
    return `${month} is archived in ${monthFolder}: keep it, its rows are nowhere else.`
  return earlier.length > 0
    ? `${month} was archived in ${monthFolder} before; its files are intact.`
    : `There is nothing of ${month}, neither here nor in ${monthFolder}.`
}
