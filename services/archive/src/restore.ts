/**
 * Restores an archived month: each file is proven to be the last archive of its table, and read whole,
 * before anything is created from it. It is copied into a separate table, and that is attached in one step. After an interruption the same command starts that
 * table again; the files are not changed. Services continue to run.
 */
import { join } from 'node:path'
import { row_bytes_whole } from '@causeway/postgres'
import { StartError } from '@causeway/process'
import type { Client } from 'pg'
import { cipherOf, requireIntact } from './archive.ts'
import { asOwner, columnsOf, partitionState, qualified, type MonthTable } from './catalogue.ts'
import { copyIn } from './copy.ts'
import { requireGenuine } from './genuine.ts'
import { nameOf, type ArchivedTable, type Manifest } from './manifest.ts'
import { boundsOf, partitionName } from './month.ts'
import type { MonthRecords } from './month-records.ts'

export interface RestoreOptions {
  /** The folder of the month. */
  readonly monthFolder: string
  readonly manifest: Manifest
  /** Undefined: no file is encrypted. */
  readonly key: Buffer | undefined
  /** Whether files without encryption are restored too. */
  readonly plain: boolean
  readonly records: Pick<MonthRecords, 'lastArchives'>
  readonly report: (sentence: string) => void
}

/** Restores the entries of the manifest that this database has tables for; returns their names. */
export async function restoreMonth(
  client: Client,
  tables: readonly MonthTable[],
  options: RestoreOptions,
): Promise<readonly string[]> {
  const { manifest, key, plain, records, report } = options
  const { month } = manifest
  const lastArchives = await records.lastArchives(month)
  const restored: string[] = []
  for (const table of tables) {
    const entry = manifest.tables.find((other) => nameOf(other) === nameOf(table))
    const state = await partitionState(client, table, month)
    if (entry === undefined) {
      if (state === 'ABSENT' && lastArchives.has(nameOf(table))) {
        report(`${nameOf(table)}: ${month} is archived too, but not in this folder.`)
      }
      continue
    }
    if (state === 'ATTACHED') {
      report(`${nameOf(table)}: ${month} is in the database.`)
      continue
    }
    if (state === 'ABSENT') {
      requireGenuine(month, entry, { key, plain, last: lastArchives.get(nameOf(entry)) })
      await bringIn(client, table, entry, options)
    }
    await asOwner(client, table, () => attach(client, table, month, state === 'DETACHING'))
    restored.push(nameOf(table))
    report(
      state === 'ABSENT'
        ? `${nameOf(table)}: ${entry.rows} rows restored.`
        : `${nameOf(table)}: ${month} had not left the database, and is in its table again.`,
    )
  }
  return restored
}

/** As a separate table: no service waits for a long copy. */
async function bringIn(
  client: Client,
  table: MonthTable,
  entry: ArchivedTable,
  { monthFolder, manifest: { month }, key }: RestoreOptions,
): Promise<void> {
  await requireIntact(monthFolder, entry, key)
  const { schema } = table
  const parent = qualified(client, schema, table.table)
  const name = partitionName(table.table, month)
  const unfinished = `${name}_unfinished`
  const at = qualified(client, schema, unfinished)
  const known = new Set(await columnsOf(client, schema, table.table))
  const gone = entry.columns.filter((column) => !known.has(column))
  if (gone.length > 0) {
    throw new StartError(`${nameOf(table)} has no column ${gone.join(', ')} any more.`)
  }
  await asOwner(client, table, async () => {
    await client.query(`drop table if exists ${at}`)
    await client.query(
      `create table ${at} (like ${parent} including all excluding identity)
         with (toast_tuple_target = ${row_bytes_whole})`,
    )
    const path = join(monthFolder, entry.file)
    const rows = await copyIn(client, at, entry.columns, path, cipherOf(entry, key))
    if (rows !== entry.rows) {
      throw new Error(`${entry.file} gave ${rows} rows, but its manifest has ${entry.rows}`)
    }
    await client.query(`analyze ${at}`)
    await client.query(`alter table ${at} rename to ${client.escapeIdentifier(name)}`)
  })
}

async function attach(
  client: Client,
  { schema, table }: MonthTable,
  month: string,
  isDetaching: boolean,
): Promise<void> {
  const parent = qualified(client, schema, table)
  const partition = qualified(client, schema, partitionName(table, month))
  if (isDetaching) {
    await client.query(`alter table ${parent} detach partition ${partition} finalize`)
  }
  const [from, to] = boundsOf(month)
  await client.query(
    `alter table ${parent} attach partition ${partition} for values from ('${from}') to ('${to}')`,
  )
}
