/** Storage of log-ins that an OpenID provider is to end. */
import { statement, type Queries } from '@causeway/postgres'

export interface OidcLogIn {
  readonly nonce: string
  readonly codeVerifier: string
}

const insert = statement(`
  insert into oidc_log_ins (state_hash, nonce, code_verifier, expires_at)
  select $1, $2, $3, $4 where (select count(*) from oidc_log_ins) < $5::int
  returning state_hash`)

/** False when too many are open. */
export async function addOidcLogIn(
  db: Queries,
  stateHash: Buffer,
  { nonce, codeVerifier }: OidcLogIn,
  expiresAt: Date,
  open_max: number,
): Promise<boolean> {
  return (await db.query(insert, [stateHash, nonce, codeVerifier, expiresAt, open_max])).length > 0
}

const take = statement(`
  delete from oidc_log_ins where state_hash = $1 and expires_at > $2
  returning nonce, code_verifier as "codeVerifier"`)

/** Each is taken once, at all replicas together. */
export async function takeOidcLogIn(
  db: Queries,
  stateHash: Buffer,
  now: Date,
): Promise<OidcLogIn | undefined> {
  return (await db.query<OidcLogIn>(take, [stateHash, now]))[0]
}

const deleteOld = statement(`delete from oidc_log_ins where expires_at <= $1`)

export async function deleteOidcLogIns(db: Queries, now: Date): Promise<void> {
  await db.query(deleteOld, [now])
}
