/** The SQL of the chain. */
import {
  byteaArray,
  statement,
  textArray,
  type Queries,
  type Transaction,
} from '@causeway/postgres'
import type { Anchor } from './anchor.ts'
import type { ChainedContent, Link } from './chain.ts'

const lockHead = statement(`select n, hash from head for update`)

interface LinkRow {
  readonly n: string
  readonly hash: Buffer
}

const linkOf = ({ n, hash }: LinkRow): Link => ({ n: BigInt(n), hash })

/** The last link, locked until the transaction ends; only the holder of the lock appends. */
export async function takeHead(tx: Transaction): Promise<Link> {
  const [row] = await tx.query<LinkRow>(lockHead, [])
  if (row === undefined) throw new Error('the audit log has no head')
  return linkOf(row)
}

const selectHead = statement(`
  select n, hash, signed_at as "signedAt", kid, signature from head`)

/** The head as it was signed; `signature` is null until the first start has signed it. */
export interface HeadRow extends Link {
  readonly signedAt: Date | null
  readonly kid: string | null
  readonly signature: Buffer | null
}

export async function headOf(db: Queries): Promise<HeadRow> {
  const [row] = await db.query<LinkRow & Omit<HeadRow, 'n'>>(selectHead, [])
  if (row === undefined) throw new Error('the audit log has no head')
  return { ...row, n: BigInt(row.n) }
}

const selectKnown = statement(`select id, body from entries where id = any($1::text[])`)

/** The bodies of those that exist, by id. */
export async function bodiesOf(
  tx: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ readonly id: string; readonly body: string }>(selectKnown, [
    textArray(ids),
  ])
  return new Map(rows.map(({ id, body }) => [id, body]))
}

/** The fields by which an entry is found. */
export interface Findable {
  readonly id: string
  readonly source: string
  readonly action: string
  readonly actor: string
  readonly subject: string
  readonly labels: readonly { readonly key: string; readonly value: string }[]
  readonly actedAt: Date
}

export interface NewRow extends Findable, Pick<ChainedContent<unknown>, 'n' | 'body'> {
  readonly previousHash: Buffer
  readonly hash: Buffer
  readonly kid: string
  readonly signature: Buffer
}

const insertEntries = statement(`
  insert into entries
    (n, id, source, action, actor, subject, labels, acted_at, recorded_at, body, previous_hash, hash,
     kid, signature)
  select n::bigint, id, source, action, actor, subject, labels::jsonb, acted_at::timestamptz, $9, body,
    previous_hash, hash, kid, signature
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $10::text[], $11::bytea[], $12::bytea[], $13::text[], $14::bytea[])
    as row (n, id, source, action, actor, subject, labels, acted_at, body, previous_hash, hash, kid,
      signature)`)

const moveHead = statement(`
  update head set n = $1::text::bigint, hash = $2, signed_at = $3, kid = $4, signature = $5`)

const signHead = statement(`
  update head set signed_at = $3, kid = $4, signature = $5
  where n = $1::text::bigint and hash = $2 and n = 0 and signature is null`)

/** Signs the head of a new log; one that has moved without a signature is a fault. */
export async function signNewHead(db: Queries, head: Anchor): Promise<void> {
  await db.query(signHead, headValues(head))
}

function headValues({ n, hash, signedAt, kid, signature }: Anchor) {
  return [String(n), hash, signedAt, kid, signature]
}

/** Appends the rows after the head that the transaction has locked, and moves it. */
export async function append(
  tx: Transaction,
  rows: readonly NewRow[],
  recordedAt: Date,
  head: Anchor,
): Promise<void> {
  const texts = (of: (row: NewRow) => string) => textArray(rows.map((row) => storable(of(row))))
  await tx.query(insertEntries, [
    texts(({ n }) => String(n)),
    texts(({ id }) => id),
    texts(({ source }) => source),
    texts(({ action }) => action),
    texts(({ actor }) => actor),
    texts(({ subject }) => subject),
    texts(({ labels }) =>
      JSON.stringify(labels.map(({ key, value }) => ({ [storable(key)]: storable(value) }))),
    ),
    texts(({ actedAt }) => actedAt.toISOString()),
    recordedAt,
    textArray(rows.map(({ body }) => body)),
    byteaArray(rows.map(({ previousHash }) => previousHash)),
    byteaArray(rows.map(({ hash }) => hash)),
    texts(({ kid }) => kid),
    byteaArray(rows.map(({ signature }) => signature)),
  ])
  await tx.query(moveHead, headValues(head))
}

/** Text that PostgreSQL can store: without NUL and unpaired surrogates. The body is unchanged. */
export function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\ufffd')).toString()
}

export interface EntryRow {
  readonly n: string
  readonly recordedAt: Date
  readonly body: string
  readonly previousHash: Buffer
  readonly hash: Buffer
  readonly kid: string
  readonly signature: Buffer
}

const columns = `n, recorded_at as "recordedAt", body, previous_hash as "previousHash", hash, kid,
  signature`

const selectEntries = statement(`
  select ${columns} from entries
  where ($1::text is null or source = $1) and ($2::text is null or action = $2)
    and ($3::text is null or actor = $3)
    and ($4::text is null or subject = $4 or starts_with(subject, $4 || '/'))
    and ($5::text is null or labels @> jsonb_build_array(jsonb_build_object($5::text, $6::text)))
    and ($7::timestamptz is null or acted_at >= $7) and ($8::timestamptz is null or acted_at < $8)
    and ($9::text is null or n < $9::text::bigint)
  order by n desc
  limit $10`)

export interface Filter {
  readonly source: string | undefined
  readonly action: string | undefined
  readonly actor: string | undefined
  readonly subject: string | undefined
  readonly labelKey: string | undefined
  readonly labelValue: string | undefined
  readonly from: Date | undefined
  readonly to: Date | undefined
  /** Digits. */
  readonly beforeN: string | undefined
  readonly limit: number
}

export async function findEntries(db: Queries, filter: Filter): Promise<readonly EntryRow[]> {
  const sought = (text: string | undefined) => (text === undefined ? null : storable(text))
  return db.query<EntryRow>(selectEntries, [
    sought(filter.source),
    sought(filter.action),
    sought(filter.actor),
    sought(filter.subject),
    sought(filter.labelKey),
    sought(filter.labelValue),
    filter.from ?? null,
    filter.to ?? null,
    filter.beforeN ?? null,
    filter.limit,
  ])
}

const selectLinks = statement(`
  select ${columns} from entries where n > $1::text::bigint order by n limit $2`)

/** The links that follow number `n`, in their order. */
export async function linksAfter(
  db: Queries,
  n: bigint,
  limit: number,
): Promise<readonly EntryRow[]> {
  return db.query<EntryRow>(selectLinks, [String(n), limit])
}

const selectHashes = statement(`
  select n, hash from entries where n = any($1::text[]::bigint[])`)

/** The hashes of those entries that exist, by number. */
export async function hashesAt(
  db: Queries,
  ns: readonly bigint[],
): Promise<ReadonlyMap<bigint, Buffer>> {
  const rows = await db.query<LinkRow>(selectHashes, [textArray(ns.map(String))])
  return new Map(rows.map(({ n, hash }) => [BigInt(n), hash]))
}

const insertKey = statement(`
  insert into signing_keys (kid, public_key, first_used_at) values ($1, $2, $3)
  on conflict do nothing`)

export async function storeKey(
  db: Queries,
  key: { readonly kid: string; readonly publicKey: string },
  now: Date,
): Promise<void> {
  await db.query(insertKey, [key.kid, key.publicKey, now])
}

const selectKeyIds = statement(`select kid from signing_keys`)

/** The ids of all keys that ever signed, trusted or not. */
export async function signingKeyIds(db: Queries): Promise<readonly string[]> {
  const rows = await db.query<{ readonly kid: string }>(selectKeyIds, [])
  return rows.map(({ kid }) => kid)
}
