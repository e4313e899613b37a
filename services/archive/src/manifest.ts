/**
 * The content of the folder of an archived month: a manifest and one file for each table. A file, and
 * then the manifest that names it, is on disk before it gets its name, so neither is ever incomplete.
 */
import { open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError, jsonOf } from '@causeway/process'
import { z } from 'zod'
import type { Month } from './month.ts'

const archivedTable = z.strictObject({
  schema: z.string().regex(/^[a-z][a-z0-9_]*$/),
  table: z.string().regex(/^[a-z][a-z0-9_]*$/),
  /** In the order of the file. */
  columns: z.array(z.string()).min(1),
  rows: z.int().min(0),
  /** In the folder of the manifest: rows as PostgreSQL's COPY writes text, gzipped, then encrypted. */
  file: z.string().regex(/^[a-z0-9_.]+$/),
  bytes: z.int().min(0),
  /** The hash of the file, as sha256sum prints it. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Of an encrypted file: the salt of its keys, and the HMAC over it. */
  encryption: z
    .strictObject({
      salt: z.string().regex(/^[0-9a-f]{32}$/),
      hmac: z.string().regex(/^[0-9a-f]{64}$/),
    })
    .optional(),
  /** Of an encrypted file: the HMAC over all of this and the month. */
  hmac: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  archived_at: z.iso.datetime(),
})

const manifest = z.strictObject({
  format: z.literal('causeway month, 1'),
  month: z.string().regex(/^\d{4}-\d{2}$/),
  tables: z.array(archivedTable),
})

export type ArchivedTable = z.infer<typeof archivedTable>
export type Manifest = z.infer<typeof manifest>

const fileName = 'manifest.json'

export function emptyManifest(month: Month): Manifest {
  return { format: 'causeway month, 1', month, tables: [] }
}

/** With the table's entry instead of an earlier one. */
export function withTable(whole: Manifest, entry: ArchivedTable): Manifest {
  const others = whole.tables.filter((other) => nameOf(other) !== nameOf(entry))
  const tables = [...others, entry].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  return { ...whole, tables }
}

export function nameOf({ schema, table }: Pick<ArchivedTable, 'schema' | 'table'>): string {
  return `${schema}.${table}`
}

/** undefined when there is none; StartError when it cannot be read. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, fileName)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const read = manifest.safeParse(jsonOf(text))
  if (read.success) return read.data
  throw new StartError(`${path} is not the manifest of an archived month.`)
}

export async function writeManifest(folder: string, whole: Manifest): Promise<void> {
  const path = join(folder, fileName)
  const file = await open(`${path}.part`, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(whole, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await putInPlace(`${path}.part`, path)
}

/** Gives a file that is on disk its name, durably. */
export async function putInPlace(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncFolder(dirname(to))
}

/** Makes the names in the folder durable, so that a loss of power does not undo them. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
