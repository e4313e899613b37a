/**
 * Copies rows of a table to a file and back. A file is read again from the disk, and its rows counted,
 * before any step relies on it.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Client } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { FileCipher } from './encryption.ts'
import { putInPlace } from './manifest.ts'

/** What a file holds. */
export interface Written {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
  /** Of an encrypted file. */
  readonly encryption?: { readonly salt: string; readonly hmac: string }
}

const newline = 0x0a
/** A higher level would take CPU time that payments need. */
const compression = { level: 4 }

/**
 * Writes all rows, gzipped and encrypted where there is a cipher, and gives the file its name when it is on disk and reads back as it was
 * written; otherwise throws.
 */
export async function copyOut(
  client: Client,
  table: string,
  columns: readonly string[],
  path: string,
  cipher?: FileCipher,
): Promise<Written> {
  const part = `${path}.part`
  const rows = counter()
  const hash = createHash('sha256')
  const stream = client.query(copyTo(`copy ${table} (${listOf(client, columns)}) to stdout`))
  await pipeline([
    stream,
    rows.through,
    createGzip(compression),
    ...(cipher === undefined ? [] : [cipher.encrypt()]),
    passing((chunk) => hash.update(chunk)),
    createWriteStream(part, { mode: 0o600, flush: true }),
  ])
  const read = await readBack(part, cipher)
  const written = { rows: rows.count(), sha256: hash.digest('hex') }
  if (read.sha256 !== written.sha256 || read.rows !== written.rows) {
    throw new Error(`${part} does not read back as it was written`)
  }
  await putInPlace(part, path)
  return read
}

/** Reads the whole file. Rejects when it is damaged. */
export async function readBack(path: string, cipher?: FileCipher): Promise<Written> {
  const rows = counter()
  const hash = createHash('sha256')
  const mac = cipher?.mac()
  await pipeline([
    createReadStream(path),
    passing((chunk) => {
      hash.update(chunk)
      mac?.update(chunk)
    }),
    ...(cipher === undefined ? [] : [cipher.decrypt()]),
    createGunzip(),
    rows.through,
    new Writable({ write: (_chunk, _encoding, done) => done() }),
  ])
  const { size } = await stat(path)
  const read = { rows: rows.count(), bytes: size, sha256: hash.digest('hex') }
  if (cipher === undefined || mac === undefined) return read
  return { ...read, encryption: { salt: cipher.salt, hmac: mac.digest('hex') } }
}

/** Number of rows that were inserted. */
export async function copyIn(
  client: Client,
  table: string,
  columns: readonly string[],
  path: string,
  cipher?: FileCipher,
): Promise<number> {
  const stream = client.query(copyFrom(`copy ${table} (${listOf(client, columns)}) from stdin`))
  await pipeline([
    createReadStream(path),
    ...(cipher === undefined ? [] : [cipher.decrypt()]),
    createGunzip(),
    stream,
  ])
  return stream.rowCount
}

function listOf(client: Client, columns: readonly string[]): string {
  return columns.map((column) => client.escapeIdentifier(column)).join(', ')
}

/** Each row ends with a line feed; one inside a value is written as two other characters. */
function counter(): { readonly through: Transform; count(): number } {
  let rows = 0
  const through = passing((chunk) => {
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) rows += 1
  })
  return { through, count: () => rows }
}

function passing(look: (chunk: Buffer) => unknown): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      look(chunk)
      done(null, chunk)
    },
  })
}
