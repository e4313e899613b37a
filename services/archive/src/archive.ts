/**
 * Archives a month of the tables of one database: each partition is detached from its table, copied to a
 * file, and dropped when the file has been read back from the disk. After an interruption at any point a
 * month is in the database, in the folder or in both, and the same command continues from there.
 * Services continue to run: no lock is taken that one of them would wait for.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '@causeway/process'
import type { Client } from 'pg'
import {
  asOwner,
  columnsOf,
  partitionState,
  qualified,
  type MonthTable,
  type PartitionState,
} from './catalogue.ts'
import { copyOut, readBack } from './copy.ts'
import { fileCipher, type FileCipher } from './encryption.ts'
import {
  emptyManifest,
  nameOf,
  readManifest,
  syncFolder,
  withTable,
  writeManifest,
  type ArchivedTable,
  type Manifest,
} from './manifest.ts'
import { lastArchiveOf, requireGenuine, signedEntry } from './genuine.ts'
import type { MonthKey, MonthRecords } from './month-records.ts'
import { partitionName, type Month } from './month.ts'

export interface ArchiveOptions {
  readonly month: Month
  /** The folder of all months: this one gets a folder in it. */
  readonly folder: string
  readonly records: MonthRecords
  /** Receives what was done, one sentence for each step. */
  readonly report: (sentence: string) => void
}

export interface Archived {
  /** Tables that left the database now. */
  readonly moved: readonly ArchivedTable[]
  /** Tables of which the folder has the month already. */
  readonly earlier: readonly ArchivedTable[]
}

/**
 * Throws when a file cannot be written or read back: its table then still exists.
 */
export async function archiveMonth(
  client: Client,
  tables: readonly MonthTable[],
  { month, folder, records, report }: ArchiveOptions,
): Promise<Archived> {
  // Undefined: the files are not encrypted. ERASED: the rows are dropped without a file.
  const key = await records.key(month)
  const monthFolder = join(folder, month)
  await mkdir(monthFolder, { recursive: true, mode: 0o700 })
  await syncFolder(folder)
  let manifest = (await readManifest(monthFolder)) ?? emptyManifest(month)
  const moved: ArchivedTable[] = []
  const earlier: ArchivedTable[] = []
  for (const table of tables) {
    const state = await partitionState(client, table, month)
    if (state === 'ABSENT') {
      earlier.push(...(await checked(monthFolder, manifest, table, { key, records })))
      continue
    }
    await asOwner(client, table, () => detach(client, table, month, state))
    if (key === 'ERASED') {
      await asOwner(client, table, () => drop(client, table, month))
      report(`${nameOf(table)}: dropped without a file, since ${month} is erased.`)
      continue
    }
    const entry = await asOwner(client, table, () =>
      copied(client, table, month, { monthFolder, key }),
    )
    const former = manifest.tables.find((other) => nameOf(other) === nameOf(table))
    manifest = withTable(manifest, entry)
    await writeManifest(monthFolder, manifest)
    // One that was not encrypted must not stay.
    if (former !== undefined && former.file !== entry.file) await rm(join(monthFolder, former.file))
    await records.noteArchive(month, nameOf(entry), lastArchiveOf(month, entry))
    await asOwner(client, table, () => drop(client, table, month))
    moved.push(entry)
    report(`${nameOf(table)}: ${entry.rows} rows archived in ${entry.bytes} bytes.`)
  }
  return { moved, earlier }
}

/**
 * Makes the rows invisible. Waits for transactions that see them, and blocks no other.
 */
async function detach(
  client: Client,
  { schema, table }: MonthTable,
  month: Month,
  state: PartitionState,
): Promise<void> {
  const parent = qualified(client, schema, table)
  const partition = qualified(client, schema, partitionName(table, month))
  if (state === 'ATTACHED') {
    await client.query(`alter table ${parent} detach partition ${partition} concurrently`)
  } else if (state === 'DETACHING') {
    await client.query(`alter table ${parent} detach partition ${partition} finalize`)
  }
}

async function copied(
  client: Client,
  { schema, table }: MonthTable,
  month: Month,
  { monthFolder, key }: { readonly monthFolder: string; readonly key: Buffer | undefined },
): Promise<ArchivedTable> {
  const cipher = key === undefined ? undefined : fileCipher(key)
  const name = partitionName(table, month)
  const partition = qualified(client, schema, name)
  const columns = await columnsOf(client, schema, name)
  const file = `${schema}.${table}.copy.gz${cipher === undefined ? '' : '.enc'}`
  const written = await copyOut(client, partition, columns, join(monthFolder, file), cipher)
  const { rows } = await client.query<{ rows: string }>(`select count(*) as rows from ${partition}`)
  if (Number(rows[0]?.rows) !== written.rows) {
    throw new Error(`${file} has ${written.rows} rows, but ${partition} has ${rows[0]?.rows}`)
  }
  const archived_at = new Date().toISOString()
  const entry = { schema, table, columns: [...columns], file, ...written, archived_at }
  return signedEntry(month, entry, key)
}

async function drop(client: Client, { schema, table }: MonthTable, month: Month): Promise<void> {
  await client.query(`drop table ${qualified(client, schema, partitionName(table, month))}`)
}

/** Checks the file again, because its rows exist nowhere else. */
async function checked(
  monthFolder: string,
  { month, tables }: Manifest,
  table: MonthTable,
  { key, records }: { readonly key: MonthKey | undefined; readonly records: MonthRecords },
): Promise<readonly ArchivedTable[]> {
  const entry = tables.find((other) => nameOf(other) === nameOf(table))
  if (entry === undefined) return []
  if (key !== 'ERASED') {
    const last = (await records.lastArchives(month)).get(nameOf(entry))
    requireGenuine(month, entry, { key, plain: key === undefined, last })
    await requireIntact(monthFolder, entry, key)
  }
  return [entry]
}

/** The cipher of a file; undefined: it is not encrypted. Throws StartError without its key. */
export function cipherOf(
  { file, encryption }: ArchivedTable,
  key: Buffer | undefined,
): FileCipher | undefined {
  if (encryption === undefined) return undefined
  if (key !== undefined) return fileCipher(key, encryption.salt)
  throw new StartError(`${file} is encrypted, and its key is not read with --plain.`)
}

/** Throws StartError when the file does not match the manifest. */
export async function requireIntact(
  monthFolder: string,
  entry: ArchivedTable,
  key: Buffer | undefined,
): Promise<void> {
  const path = join(monthFolder, entry.file)
  const read = await readBack(path, cipherOf(entry, key)).catch((error: unknown) => {
    throw new StartError(`${path} cannot be read: ${(error as Error).message}.`)
  })
  const isSame = read.sha256 === entry.sha256 && read.rows === entry.rows
  if (!isSame || read.encryption?.hmac !== entry.encryption?.hmac) {
    throw new StartError(`${path} does not match its manifest: it was changed, or is damaged.`)
  }
}
