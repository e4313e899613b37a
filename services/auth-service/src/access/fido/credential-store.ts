/** Storage of users' FIDO credentials. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { Realm } from './domain/challenge.ts'

export interface StoredCredential {
  /** base64url, like the key and the hash. */
  readonly credentialId: string
  readonly realm: Realm
  readonly userId: string
  readonly name: string
  /** COSE_Key. */
  readonly publicKey: string
  readonly rpIdHash: string
  readonly origin: string
  readonly isUserVerified: boolean
  readonly signCount: number
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

const columns = `credential_id as "credentialId", realm, user_id as "userId", name,
  public_key as "publicKey", rp_id_hash as "rpIdHash", origin,
  is_user_verified as "isUserVerified", sign_count::double precision as "signCount",
  created_at as "createdAt", last_used_at as "lastUsedAt"`

const selectOfUser = statement(`
  select ${columns} from fido_credentials where realm = $1 and user_id = $2
  order by created_at, credential_id`)

/** The oldest first. */
export async function credentialsOf(
  db: Queries,
  realm: Realm,
  userId: string,
): Promise<readonly StoredCredential[]> {
  return db.query<StoredCredential>(selectOfUser, [realm, userId])
}

const selectOne = statement(`
  select ${columns} from fido_credentials where credential_id = $1 and realm = $2`)

export async function credentialById(
  db: Queries,
  realm: Realm,
  credentialId: string,
): Promise<StoredCredential | undefined> {
  const [row] = await db.query<StoredCredential>(selectOne, [credentialId, realm])
  return row
}

const insertRow = statement(`
  insert into fido_credentials
    (credential_id, realm, user_id, name, public_key, rp_id_hash, origin, is_user_verified,
     sign_count, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  on conflict do nothing returning credential_id`)

/** False if the credential is registered already, for any user. */
export async function insertCredential(
  tx: Transaction,
  credential: Omit<StoredCredential, 'createdAt' | 'lastUsedAt'>,
  now: Date,
): Promise<boolean> {
  const { credentialId, realm, userId, name, publicKey, rpIdHash, origin } = credential
  const { isUserVerified, signCount } = credential
  const made = [publicKey, rpIdHash, origin, isUserVerified, signCount, now]
  const inserted = await tx.query(insertRow, [credentialId, realm, userId, name, ...made])
  return inserted.length > 0
}

const advance = statement(`
  update fido_credentials set sign_count = $3, last_used_at = $4
  where credential_id = $1 and realm = $2
    and (sign_count < $3 or (sign_count = 0 and $3 = 0))
  returning credential_id`)

/**
 * Stores the counter of a signature. False if the counter did not increase, or the credential is
 * gone. (Web Authentication Level 3, section 6.1.1)
 */
export async function advanceCounter(
  tx: Transaction,
  { credentialId, realm }: Pick<StoredCredential, 'credentialId' | 'realm'>,
  signCount: number,
  now: Date,
): Promise<boolean> {
  return (await tx.query(advance, [credentialId, realm, signCount, now])).length > 0
}

const deleteOne = statement(`
  delete from fido_credentials where realm = $1 and user_id = $2 and credential_id = $3
  returning credential_id`)

const deleteAll = statement(`
  delete from fido_credentials where realm = $1 and user_id = $2 returning credential_id`)

/**
 * @param credentialId undefined: all of the user
 * @returns how many were removed
 */
export async function deleteCredentials(
  tx: Transaction,
  realm: Realm,
  userId: string,
  credentialId: string | undefined,
): Promise<number> {
  const removed =
    credentialId === undefined
      ? await tx.query(deleteAll, [realm, userId])
      : await tx.query(deleteOne, [realm, userId, credentialId])
  return removed.length
}
