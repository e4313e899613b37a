/**
 * Whether an entry of a manifest is the one that the archive of its table wrote last. Access to the folder
 * of an archive is not enough to change an entry, or to put another file, another month, an earlier archive
 * or a file without encryption in its place. Only a file that was archived without encryption, of which
 * auth-service has no record, is accepted as it is, and only with --plain.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { StartError } from '@causeway/process'
import { fileCipher } from './encryption.ts'
import { nameOf, type ArchivedTable } from './manifest.ts'
import type { LastArchive } from './month-records.ts'
import type { Month } from './month.ts'

/** What the HMAC covers: all that a restore relies on. */
function contentOf(month: Month, entry: Omit<ArchivedTable, 'hmac'>): string {
  const { schema, table, columns, rows, file, bytes, sha256, encryption, archived_at } = entry
  const { salt, hmac } = encryption ?? {}
  return JSON.stringify([
    ['causeway month, 1', month, schema, table, columns, rows],
    [file, bytes, sha256, salt, hmac, archived_at],
  ])
}

/** The entry with its HMAC, where it is encrypted. */
export function signedEntry(
  month: Month,
  entry: Omit<ArchivedTable, 'hmac'>,
  key: Buffer | undefined,
): ArchivedTable {
  return key === undefined ? entry : { ...entry, hmac: entryHmac(month, entry, key) }
}

/** As auth-service stores it. */
export function lastArchiveOf(month: Month, entry: ArchivedTable): LastArchive {
  const digest = createHash('sha256').update(contentOf(month, entry)).digest('hex')
  return { digest, archivedAt: new Date(entry.archived_at) }
}

export interface ArchiveEvidence {
  /** Of the month; undefined: no entry is encrypted, or no key is used. */
  readonly key: Buffer | undefined
  /** Whether a file without encryption is accepted. */
  readonly plain: boolean
  /** Undefined: auth-service has no record of the table and month. */
  readonly last: LastArchive | undefined
}

/**
 * Throws StartError for an entry that is not genuine. An encrypted one that is newer than the record of
 * auth-service is: the record is then from a backup.
 */
export function requireGenuine(
  month: Month,
  entry: ArchivedTable,
  { key, plain, last }: ArchiveEvidence,
): void {
  const isEncrypted = entry.encryption !== undefined
  if (!isEncrypted && !plain) {
    throw new StartError(
      `${entry.file} is not encrypted: it is read with --plain alone, if it was archived with --plain.`,
    )
  }
  const isProven = isEncrypted && key !== undefined && hasOwnHmac(month, entry, key)
  if (isEncrypted && key !== undefined && !isProven) {
    throw new StartError(`The entry of ${entry.file} in its manifest was changed.`)
  }
  if (last === undefined) return
  const found = lastArchiveOf(month, entry)
  if (found.digest === last.digest) return
  if (isProven && found.archivedAt > last.archivedAt) return
  throw new StartError(
    `${entry.file} is not the last archive of ${nameOf(entry)} and ${month}, which was made at ` +
      `${last.archivedAt.toISOString()}.`,
  )
}

function hasOwnHmac(month: Month, entry: ArchivedTable, key: Buffer): boolean {
  const right = Buffer.from(entryHmac(month, entry, key), 'hex')
  const found = Buffer.from(entry.hmac ?? '', 'hex')
  return found.length === right.length && timingSafeEqual(found, right)
}

function entryHmac(month: Month, entry: Omit<ArchivedTable, 'hmac'>, key: Buffer): string {
  const cipher = fileCipher(key, entry.encryption?.salt)
  return cipher.entryMac().update(contentOf(month, entry)).digest('hex')
}
