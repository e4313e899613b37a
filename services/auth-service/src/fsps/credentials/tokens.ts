/**
 * Tokens of FSPs: OAuth 2 client credentials (RFC 6749 4.4), JWT access tokens (RFC 9068), bound to a
 * client certificate where the client has one (RFC 8705).
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Queries } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { isName } from '../find-fsp.ts'
import type { Guesses } from './guesses.ts'
import { signedToken } from './jwt.ts'
import { isSecretOf } from './store.ts'
import type { TokenKeys } from './token-keys.ts'

export interface TokenParts {
  readonly db: Queries
  readonly tokenKeys: TokenKeys
  readonly guesses: Guesses
  readonly hubName: string
  readonly life_s: number
}

export interface IssuedToken {
  readonly type: 'ISSUED'
  readonly accessToken: string
  readonly expiresIn_s: number
}

/** The audience of tokens; verifiers require it. */
const audience = 'fsp-api'

const secret_bytes = 32
const secretForm = /^[A-Za-z0-9_-]{43}$/

export interface NewSecret {
  /** Returned once, never stored. */
  readonly secret: string
  readonly hash: Buffer
}

export function newSecret(): NewSecret {
  const secret = randomBytes(secret_bytes).toString('base64url')
  return { secret, hash: hashOf(secret) }
}

/** A single SHA-256: 2^256 secrets cannot be tried out, so a slow hash would gain nothing. */
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

export async function issueToken(
  { db, tokenKeys, guesses, hubName, life_s }: TokenParts,
  {
    clientId,
    clientSecret: secret,
    boundTo,
  }: {
    readonly clientId: string
    readonly clientSecret: string
    /** The thumbprint of a client certificate; undefined: any connection may use the token. */
    readonly boundTo?: string | undefined
  },
  now: Date,
): Promise<IssuedToken | RefusedCommand> {
  const hash = hashOf(secret)
  if (!guesses.mayTry(clientId, hash, now.getTime())) {
    return refuse('SECRET_WRONG', 'too many wrong secrets: wait a minute')
  }
  const known =
    isName(clientId) && secretForm.test(secret) && (await isSecretOf(db, clientId, hash))
  if (!known) {
    if (isName(clientId)) guesses.wrong(clientId, now.getTime())
    return refuse('SECRET_WRONG', 'no such client, or not its secret')
  }
  guesses.right(hash)
  const bound = boundTo === undefined ? {} : { cnf: { 'x5t#S256': boundTo } }
  const claims = { iss: hubName, aud: audience, sub: clientId, client_id: clientId, ...bound }
  const accessToken = await signedToken(tokenKeys, claims, now, life_s)
  return { type: 'ISSUED', accessToken, expiresIn_s: life_s }
}
