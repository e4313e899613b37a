/**
 * The identity of a client by a bearer token of auth-service. A verified token is cached as long as the
 * keys; for a token with an unknown key the keys are read again, but not for each of them. A token that
 * is bound to a client certificate (RFC 8705) counts only on a connection with that certificate.
 */
import type { IncomingMessage } from 'node:http'
import type { GrpcHost } from '@causeway/grpc'
import { presentedThumbprint } from '@causeway/http'
import { gather, type Logger } from '@causeway/process'
import { credentialsService } from '@causeway/protos'
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose'
import { LRUCache } from 'lru-cache'
import { missing, type Identify, type Identity } from './identity.ts'

export interface TokenParts {
  readonly grpc: GrpcHost
  readonly log: Logger
  readonly hubName: string
  /** The maximum age of cached keys and tokens. */
  readonly age_max_ms: number
  /** Whether a token that is not bound to a certificate is refused. */
  readonly requiresBinding: boolean
}

/** The audience of tokens for the FSP API, set by auth-service. */
const audience = 'fsp-api'

const tokens_max = 10_000
const questions_max = 10_000
/** How long after a reading in vain no unknown key causes another one: anyone can invent a key id. */
const vain_ms = 5_000

type KeySet = ReturnType<typeof createLocalJWKSet>

interface KnownKeys {
  readonly keySet: KeySet
  readonly until_ms: number
}

interface VerifiedToken {
  readonly identity: Identity
  /** The thumbprint of the client certificate; undefined: any connection may use the token. */
  readonly boundTo: string | undefined
  readonly until_ms: number
}

const unbound: Identity = { type: 'REFUSED', reason: 'TOKEN_NOT_BOUND' }

export function byToken({ grpc, log, hubName, age_max_ms, requiresBinding }: TokenParts): Identify {
  const { GetTokenKeys } = grpc.client(credentialsService, 'auth-service')
  const verified = new LRUCache<string, VerifiedToken>({ max: tokens_max })
  let known: KnownKeys | undefined
  let vainUntil_ms = 0

  /** One query for concurrent calls, begun after each of them. */
  const ask = gather<undefined, KeySet>(
    async (questions) => {
      const { jwksJson } = await GetTokenKeys({})
      const keySet = createLocalJWKSet(JSON.parse(jwksJson) as JSONWebKeySet)
      known = { keySet, until_ms: Date.now() + age_max_ms }
      return questions.map(() => keySet)
    },
    { batch_max: questions_max },
  )

  async function keysAfresh(): Promise<KeySet> {
    const [keySet] = await ask([undefined])
    if (keySet === undefined) throw new Error('the query for keys returned nothing')
    return keySet
  }

  async function readKnown(token: string): Promise<TokenReading> {
    const remembered = known !== undefined && known.until_ms > Date.now() ? known.keySet : undefined
    if (remembered !== undefined) {
      const read = await readToken(token, remembered, hubName)
      if (read.type !== 'KEY_UNKNOWN' || Date.now() < vainUntil_ms) return read
    }
    const read = await readToken(token, await keysAfresh(), hubName)
    if (read.type === 'KEY_UNKNOWN') vainUntil_ms = Date.now() + vain_ms
    return read
  }

  async function verify(token: string): Promise<VerifiedToken | undefined> {
    const { type, payload } = await readKnown(token)
    const { sub, exp, cnf } = type === 'GOOD' ? payload : {}
    if (sub === undefined || sub === '' || exp === undefined) return undefined
    const { 'x5t#S256': boundTo } = (cnf ?? {}) as { readonly 'x5t#S256'?: string }
    const until_ms = Math.min(exp * 1_000, Date.now() + age_max_ms)
    const one = {
      identity: { type: 'KNOWN', fspId: sub, ownsConnection: false },
      boundTo,
      until_ms,
    } as const
    verified.set(token, one)
    return one
  }

  return (request) => {
    const { authorization = '' } = request.headers
    const token = /^Bearer +([\w.~+/=-]{1,4096})$/i.exec(authorization)?.[1]
    if (token === undefined) return missing
    const before = verified.get(token)
    if (before !== undefined && before.until_ms > Date.now())
      return identityOf(before, request, requiresBinding)
    return verify(token).then(
      (one) => identityOf(one, request, requiresBinding),
      (error: unknown) => {
        log.warn({ err: error }, 'a token could not be checked')
        return { type: 'REFUSED', reason: 'IDENTITY_UNAVAILABLE' }
      },
    )
  }
}

/** A token that someone else got hold of is worth nothing without the key of its certificate. */
function identityOf(
  one: VerifiedToken | undefined,
  request: IncomingMessage,
  requiresBinding: boolean,
): Identity {
  if (one === undefined) return missing
  if (one.boundTo === undefined) return requiresBinding ? unbound : one.identity
  return one.boundTo === presentedThumbprint(request) ? one.identity : unbound
}

type TokenReading =
  | { readonly type: 'GOOD'; readonly payload: JWTPayload }
  | { readonly type: 'BAD' | 'KEY_UNKNOWN'; readonly payload?: undefined }

async function readToken(token: string, keySet: KeySet, issuer: string): Promise<TokenReading> {
  try {
    const { payload } = await jwtVerify(token, keySet, {
      issuer,
      audience,
      typ: 'at+jwt',
      algorithms: ['ES256', 'EdDSA'],
      requiredClaims: ['sub', 'exp'],
    })
    return { type: 'GOOD', payload }
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return { type: 'KEY_UNKNOWN' }
    if (error instanceof errors.JOSEError) return { type: 'BAD' }
    throw error
  }
}
