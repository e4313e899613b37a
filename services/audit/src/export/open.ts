/**
 * Copies recorded entries as lines of JSON to a file, or to stdout, from where a SIEM collects them: each in
 * its order and at least once. After a crash the last ones may come again; their number and hash are the
 * same.
 */
import { open } from 'node:fs/promises'
import type { Database } from '@causeway/postgres'
import { periodically, type Logger, type Metrics, type Service } from '@causeway/process'
import { Gauge } from 'prom-client'
import { linksAfter, type EntryRow } from '../store.ts'
import { entriesBehind, movePosition, takePosition } from './store.ts'

const every_ms = 1_000
const entries_per_write = 500
/** Of each version of the members one number. */
const schema = 'causeway.audit/1'

/** @param path undefined: nothing is exported; `-`: stdout */
export function openExport(
  path: string | undefined,
  { metrics, log }: { readonly metrics: Metrics; readonly log: Logger },
  db: Database,
): Service {
  if (path === undefined) return { stop: () => Promise.resolve() }
  const behind = new Gauge({
    name: 'audit_export_behind_entries',
    help: 'recorded audit entries that were not copied for the SIEM yet',
    registers: [metrics],
  })
  const write = path === '-' ? writeToStdout : (text: string) => appendTo(path, text)
  const copy = async () => {
    try {
      let copied: number
      do copied = await copySome(db, write)
      while (copied === entries_per_write)
    } finally {
      behind.set(await entriesBehind(db))
    }
  }
  return periodically(every_ms, copy, { log, name: 'export of audit entries' })
}

/** How many it has copied; the position moves when they are written. */
function copySome(db: Database, write: (text: string) => Promise<void>): Promise<number> {
  return db.transaction(async (tx) => {
    const from = await takePosition(tx)
    if (from === undefined) return 0
    const rows = await linksAfter(tx, from, entries_per_write)
    const last = rows.at(-1)
    if (last === undefined) return 0
    await write(rows.map(lineOf).join(''))
    await movePosition(tx, BigInt(last.n))
    return rows.length
  })
}

/** The body as it was hashed, with the hash by which it is found in the log. */
function lineOf({ body, hash, previousHash, kid }: EntryRow): string {
  const content = JSON.parse(body) as object
  const proof = {
    hash: hash.toString('hex'),
    previousHash: previousHash.toString('hex'),
    keyId: kid,
  }
  return `${JSON.stringify({ schema, ...content, ...proof })}\n`
}

/** Opened each time, so that the file can be renamed and removed at any time. */
async function appendTo(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    await file.write(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

function writeToStdout(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })
}
