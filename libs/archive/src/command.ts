/** The commands `npm run archive` and `npm run restore`. */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { StartError } from '@causeway/process'
import { restoreMonth } from './restore.ts'
import { archiveMonth, type Archived } from './archive.ts'
import { clockOf, refusals } from './catalogue.ts'
import { withDatabases, type OpenedDatabase } from './databases.ts'
import { nameOf, readManifest, type Manifest } from './manifest.ts'
import { isTooYoung, monthIn, type Month } from './month.ts'

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly report: (sentence: string) => void
}

const archiveUsage = 'npm run archive -- --month YYYY-MM --to FOLDER'
const restoreUsage = 'npm run restore -- --from FOLDER/YYYY-MM'

/** Throws StartError, before it changes anything, for a month that must stay. */
export async function archive(
  args: readonly string[],
  { environment, report }: Surroundings,
): Promise<void> {
  const { month: text, to } = readFlags(args, ['month', 'to'], archiveUsage)
  const month = monthIn(text)
  if (month === undefined) throw new StartError(`${text} is no month: ${archiveUsage}`)
  const folder = resolve(to)
  await withDatabases(environment, async (databases) => {
    await requireFinished(databases, month)
    const all: Archived[] = []
    for (const { client, tables } of databases) {
      all.push(await archiveMonth(client, tables, { month, folder, report }))
    }
    report(summaryOf(month, join(folder, month), all))
  })
}

export async function restore(
  args: readonly string[],
  { environment, report }: Surroundings,
): Promise<void> {
  const { from } = readFlags(args, ['from'], restoreUsage)
  const monthFolder = resolve(from)
  const manifest = await readManifest(monthFolder)
  if (manifest === undefined)
    throw new StartError(`${monthFolder} has no manifest.json: ${restoreUsage}`)
  await withDatabases(environment, async (databases) => {
    requireTables(databases, manifest)
    for (const { client, tables } of databases) {
      await restoreMonth(client, tables, { monthFolder, manifest, report })
    }
    report(`${manifest.month} is restored from ${monthFolder}; the files there may stay.`)
  })
}

function readFlags<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
  usage: string,
): Readonly<Record<Name, string>> {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' } as const]))
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
  return Object.fromEntries(read) as Record<Name, string>
}

/** All databases are checked before the first of them is changed. */
async function requireFinished(databases: readonly OpenedDatabase[], month: Month): Promise<void> {
  const reasons: string[] = []
  for (const { client, tables } of databases) {
    if (isTooYoung(month, await clockOf(client))) {
      throw new StartError(`${month} stays: only months before the last one are archived.`)
    }
    reasons.push(...(await refusals(client, tables, month)))
  }
  if (reasons.length > 0) throw new StartError(`${month} stays: ${reasons.join('; ')}.`)
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
