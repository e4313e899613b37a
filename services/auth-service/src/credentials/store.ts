/** Storage of secrets, token keys and certificates. */
import type { Adapter } from '@causeway/crypto-provider'
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'

const insertSecretRow = statement(`
  insert into client_secrets (secret_hash, participant, created_at, created_by)
  values ($1, $2, $3, $4)`)

export async function insertSecret(
  tx: Transaction,
  secret: {
    readonly hash: Buffer
    readonly participant: string
    readonly createdAt: Date
    readonly createdBy: string
  },
): Promise<void> {
  const { hash, participant, createdAt, createdBy } = secret
  await tx.query(insertSecretRow, [hash, participant, createdAt, createdBy])
}

const countOpen = statement(`
  select count(*)::int as count from client_secrets where participant = $1 and ended_at is null`)

export async function openSecrets(db: Queries, participant: string): Promise<number> {
  const [row] = await db.query<{ readonly count: number }>(countOpen, [participant])
  return row?.count ?? 0
}

const endOpen = statement(`
  update client_secrets set ended_at = $2 where participant = $1 and ended_at is null
  returning secret_hash`)

/** Returns the number of ended secrets. */
export async function endSecrets(
  tx: Transaction,
  participant: string,
  endedAt: Date,
): Promise<number> {
  return (await tx.query(endOpen, [participant, endedAt])).length
}

const selectSecret = statement(`
  select from client_secrets where secret_hash = $1 and participant = $2 and ended_at is null`)

export async function isSecretOf(db: Queries, participant: string, hash: Buffer): Promise<boolean> {
  return (await db.query(selectSecret, [hash, participant])).length > 0
}

export interface StoredTokenKey {
  readonly kid: string
  /** JSON of the public JWK. */
  readonly jwk: string
  /** Which provider has the private key. */
  readonly adapter: Adapter
  /** What the provider needs to use it: encrypted, or empty for one in an HSM; null once it no longer signs. */
  readonly privateKey: Buffer | null
  readonly signsUntil: Date
}

const selectTokenKeys = statement(`
  select kid, jwk, adapter, private_key as "privateKey", signs_until as "signsUntil"
  from token_keys
  where signs_until > $1
  order by signs_until desc`)

/** Keys that sign until after this moment, the latest first. */
export async function tokenKeysAfter(
  db: Queries,
  moment: Date,
): Promise<readonly StoredTokenKey[]> {
  return db.query<StoredTokenKey>(selectTokenKeys, [moment])
}

const lockStatement = statement(`select from token_key_turn for update`)

/** Locks until the end of the transaction: one replica creates the next key. */
export async function lockTokenKeys(tx: Transaction): Promise<void> {
  await tx.query(lockStatement, [])
}

const insertTokenKeyRow = statement(`
  insert into token_keys (kid, jwk, adapter, private_key, created_at, signs_until)
  values ($1, $2, $3, $4, $5, $6)`)

const forgetPrivateKeys = statement(`
  update token_keys ended set private_key = null
  from token_keys before
  where before.kid = ended.kid and ended.signs_until <= $1 and ended.private_key is not null
  returning ended.kid, ended.adapter, before.private_key as "privateKey"`)

export interface EndedTokenKey {
  readonly kid: string
  readonly adapter: Adapter
  readonly privateKey: Buffer
}

/** Also deletes the private keys that no longer sign. @returns those */
export async function insertTokenKey(
  tx: Transaction,
  key: StoredTokenKey,
  now: Date,
): Promise<readonly EndedTokenKey[]> {
  const { kid, jwk, adapter, privateKey, signsUntil } = key
  await tx.query(insertTokenKeyRow, [kid, jwk, adapter, privateKey, now, signsUntil])
  return tx.query<EndedTokenKey>(forgetPrivateKeys, [now])
}

const updateTokenKey = statement(`update token_keys set private_key = $2 where kid = $1`)

export async function saveTokenKey(
  tx: Transaction,
  kid: string,
  privateKey: Buffer,
): Promise<void> {
  await tx.query(updateTokenKey, [kid, privateKey])
}

export interface IssuedCertificate {
  readonly serial: string
  readonly participant: string
  /** PEM. */
  readonly certificate: string
  readonly validFrom: Date
  readonly validTo: Date
}

const insertCertificateRow = statement(`
  insert into certificates (serial, participant, certificate, valid_from, valid_to, issued_at)
  values ($1, $2, $3, $4, $5, $6)`)

export async function insertCertificate(
  tx: Transaction,
  issued: IssuedCertificate,
  now: Date,
): Promise<void> {
  const { serial, participant, certificate, validFrom, validTo } = issued
  await tx.query(insertCertificateRow, [serial, participant, certificate, validFrom, validTo, now])
}

const selectStates = statement(`
  select asked.participant, secrets.count as "clientSecrets", ends.valid_to as "certificateValidTo"
  from unnest($1::text[]) as asked (participant)
  cross join lateral (
    select count(*)::int as count from client_secrets
    where participant = asked.participant and ended_at is null
  ) as secrets
  cross join lateral (
    select max(valid_to) as valid_to from certificates where participant = asked.participant
  ) as ends
  where secrets.count > 0 or ends.valid_to is not null`)

export interface CredentialRow {
  readonly participant: string
  readonly clientSecrets: number
  readonly certificateValidTo: Date | null
}

/** FSPs with neither are left out. */
export async function credentialStates(
  db: Queries,
  participants: readonly string[],
): Promise<readonly CredentialRow[]> {
  return db.query<CredentialRow>(selectStates, [textArray(participants)])
}
