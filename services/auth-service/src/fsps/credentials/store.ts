/** Storage of secrets, token keys and certificates. */
import type { Adapter } from '@causeway/keys/provider'
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

/** ISSUED: by this hub. REGISTERED: made elsewhere. */
export type CertificateOrigin = 'ISSUED' | 'REGISTERED'

const insertCertificateRow = statement(`
  insert into certificates
    (serial, participant, certificate, valid_from, valid_to, issued_at, origin)
  values ($1, $2, $3, $4, $5, $6, $7)`)

export async function insertCertificate(
  tx: Transaction,
  added: IssuedCertificate & { readonly origin: CertificateOrigin },
  now: Date,
): Promise<void> {
  const { serial, participant, certificate, validFrom, validTo, origin } = added
  await tx.query(insertCertificateRow, [
    serial,
    participant,
    certificate,
    validFrom,
    validTo,
    now,
    origin,
  ])
}

export interface RegisteredCertificate {
  readonly serial: string
  readonly participant: string
  /** SHA-256, hex. */
  readonly fingerprint: string
  readonly origin: CertificateOrigin
  readonly validFrom: Date
  readonly validTo: Date
  readonly registeredAt: Date
  readonly revokedAt: Date | null
}

const certificateColumns = `serial, participant, fingerprint, origin, valid_from as "validFrom",
  valid_to as "validTo", issued_at as "registeredAt", revoked_at as "revokedAt"`

const selectCertificate = statement(`
  select ${certificateColumns}, certificate from certificates where serial = $1`)

export async function certificateOf(
  tx: Transaction,
  serial: string,
): Promise<(RegisteredCertificate & { readonly certificate: string }) | undefined> {
  type CertificateRow = RegisteredCertificate & { readonly certificate: string }
  const [row] = await tx.query<CertificateRow>(selectCertificate, [serial])
  return row
}

const countCertificates = statement(`
  select count(*)::int as count from certificates
  where participant = $1 and valid_to > $2 and revoked_at is null`)

/** Those that have not ended and are not revoked. */
export async function openCertificates(
  tx: Transaction,
  participant: string,
  now: Date,
): Promise<number> {
  const [row] = await tx.query<{ readonly count: number }>(countCertificates, [participant, now])
  return row?.count ?? 0
}

/** Those that end last, more than an FSP can have open. */
const selectCertificates = statement(`
  select found.* from unnest($1::text[]) as asked (participant)
  cross join lateral (
    select ${certificateColumns} from certificates
    where participant = asked.participant
    order by valid_to desc, serial limit 1000
  ) as found`)

/** The certificates of these FSPs, revoked ones too; FSPs without any are left out. */
export async function certificatesOf(
  db: Queries,
  participants: readonly string[],
): Promise<ReadonlyMap<string, readonly RegisteredCertificate[]>> {
  const rows = await db.query<RegisteredCertificate>(selectCertificates, [textArray(participants)])
  const found = new Map<string, RegisteredCertificate[]>()
  for (const row of rows) {
    const known = found.get(row.participant)
    if (known === undefined) found.set(row.participant, [row])
    else known.push(row)
  }
  return found
}

const revokeRows = statement(`
  update certificates set revoked_at = $3, revoked_by = $4
  where participant = $1 and revoked_at is null and ($2::text[] is null or serial = any($2))
  returning serial`)

/** Returns the serials that were not revoked before. */
export async function revokeCertificates(
  tx: Transaction,
  {
    participant,
    serials,
    by,
    at,
  }: {
    readonly participant: string
    /** Undefined: all of the FSP's. */
    readonly serials: readonly string[] | undefined
    readonly by: string
    readonly at: Date
  },
): Promise<readonly string[]> {
  const rows = await tx.query<{ readonly serial: string }>(revokeRows, [
    participant,
    serials === undefined ? null : textArray(serials),
    at,
    by,
  ])
  return rows.map(({ serial }) => serial)
}

const selectStates = statement(`
  select asked.participant, secrets.count as "clientSecrets", ends.valid_to as "certificateValidTo"
  from unnest($1::text[]) as asked (participant)
  cross join lateral (
    select count(*)::int as count from client_secrets
    where participant = asked.participant and ended_at is null
  ) as secrets
  cross join lateral (
    select max(valid_to) as valid_to from certificates
    where participant = asked.participant and revoked_at is null
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
