/**
 * The data of a release as a file, releases/VERSION.json.gz: its database as SQL, its secrets, and
 * the payments in it that a story continues.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import pg from 'pg'
import { gunzipSync, gzipSync } from 'node:zlib'
import { startPostgres } from '../hub/postgres.ts'
import { newDataDir } from '../hub/hub-process.ts'
import type { Transfer } from '../fsp/transfer.ts'

export interface ReleaseData {
  readonly sql: string
  /** By path in their folder. */
  readonly secrets: Readonly<Record<string, string>>
  /** Where the payer FSP and the payee FSP listened. */
  readonly fspUrls: readonly string[]
  readonly payments: {
    /** Committed, in the settlement window that was closed and in the one that is open. */
    readonly settled: Transfer
    readonly paid: Transfer
    /** Reserved; the first expires in 2126, the second had seconds left when the data was made. */
    readonly open: Transfer
    readonly expired: Transfer
  }
}

const fileOf = (version: string) => new URL(`../../releases/${version}.json.gz`, import.meta.url)

export function readRelease(version: string): ReleaseData {
  return JSON.parse(gunzipSync(readFileSync(fileOf(version))).toString()) as ReleaseData
}

export function writeRelease(version: string, data: ReleaseData): void {
  writeFileSync(fileOf(version), gzipSync(JSON.stringify(data), { level: 9 }))
}

/** The versions that have data. */
export function releases(): readonly string[] {
  return readdirSync(new URL('../../releases/', import.meta.url))
    .filter((name) => name.endsWith('.json.gz'))
    .map((name) => name.replace('.json.gz', ''))
}

export function readSecrets(dataDir: string): Readonly<Record<string, string>> {
  const folder = join(dataDir, 'secrets')
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
  return Object.fromEntries(
    files.map((file) => [relative(folder, file), readFileSync(file, 'utf8')]),
  )
}

/**
 * A DATA_DIR as a hub of that release left it; the caller removes it.
 * @param urls where the two FSPs listen now
 */
export async function restoreRelease(
  { sql, secrets, fspUrls }: ReleaseData,
  urls: readonly string[],
): Promise<string> {
  const dataDir = await newDataDir()
  const postgres = await startPostgres(dataDir, 'none')
  try {
    await run(postgres.socketFolder, 'postgres', 'create database causeway')
    await run(postgres.socketFolder, 'causeway', moved(sql, fspUrls, urls))
  } finally {
    await postgres.stop()
  }
  for (const [name, content] of Object.entries(secrets)) {
    const file = join(dataDir, 'secrets', name)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, content, { mode: 0o600 })
  }
  return dataDir
}

function moved(sql: string, before: readonly string[], now: readonly string[]): string {
  return sql.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, (url) => now[before.indexOf(url)] ?? url)
}

async function run(host: string, database: string, sql: string): Promise<void> {
  const client = new pg.Client({ host, user: 'postgres', database })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
