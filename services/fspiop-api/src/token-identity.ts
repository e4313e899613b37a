/**
 * The identity of a client by a bearer token of auth-service. A verified token is cached as long as the
 * keys; for a token with an unknown key the keys are read again.
 */
import type { GrpcHost } from '@causeway/grpc'
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
}

/** The audience of tokens for the FSP API, set by auth-service. */
const audience = 'fsp-api'

const tokens_max = 10_000
const questions_max = 10_000

type KeySet = ReturnType<typeof createLocalJWKSet>

interface KnownKeys {
  readonly keySet: KeySet
  readonly until_ms: number
}

interface Verified {
  readonly identity: Identity
  readonly until_ms: number
}

export function byToken({ grpc, log, hubName, age_max_ms }: TokenParts): Identify {
  const { GetTokenKeys } = grpc.client(credentialsService, 'auth-service')
  const verified = new LRUCache<string, Verified>({ max: tokens_max })
  let known: KnownKeys | undefined

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

  async function verify(token: string): Promise<Identity> {
    const remembered = known !== undefined && known.until_ms > Date.now() ? known.keySet : undefined
    const read = await readToken(token, remembered ?? (await keysAfresh()), hubName)
    const { type, payload } =
      read.type === 'KEY_UNKNOWN' && remembered !== undefined
        ? await readToken(token, await keysAfresh(), hubName)
        : read
    const { sub, exp } = type === 'GOOD' ? payload : {}
    if (sub === undefined || sub === '' || exp === undefined) return missing
    const identity = { type: 'KNOWN', fspId: sub, ownsConnection: false } as const
    verified.set(token, {
      identity,
      until_ms: Math.min(exp * 1_000, Date.now() + age_max_ms),
    })
    return identity
  }

  return ({ headers: { authorization = '' } }) => {
    const token = /^Bearer ([\w.~+/=-]{1,4096})$/i.exec(authorization)?.[1]
    if (token === undefined) return missing
    const before = verified.get(token)
    if (before !== undefined && before.until_ms > Date.now()) return before.identity
    return verify(token).catch((error: unknown) => {
      log.warn({ err: error }, 'a token could not be checked')
      return { type: 'REFUSED', reason: 'IDENTITY_UNAVAILABLE' }
    })
  }
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
