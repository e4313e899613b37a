/**
 * Access tokens of operators (RFC 9068): any holder of the published keys verifies them locally.
 * Their claims are those at the time of issue; `ver` and `sid` identify invalidated tokens.
 */
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet } from 'jose'
import { z } from 'zod'
import { signedToken } from '../../fsps/credentials/jwt.ts'
import type { TokenKeys } from '../../fsps/credentials/token-keys.ts'
import type { Kind, Operator } from './domain/operator.ts'

export interface TokenParts {
  readonly tokenKeys: TokenKeys
  readonly hubName: string
  readonly life_s: number
}

/** The audience of operators' tokens. */
const audience = 'operator-api'

export function subjectOf({ kind, name }: Pick<Operator, 'kind' | 'name'>): string {
  return kind === 'PERSON' ? `user::${name}` : `app::${name}`
}

const claims = z.object({
  sub: z.string().regex(/^(user|app)::/),
  exp: z.number(),
  sid: z.string(),
  ver: z.int(),
  platformRoles: z.array(z.string()),
  mustChangePassword: z.boolean(),
  mustRegisterKey: z.boolean(),
})

export interface ReadToken {
  readonly sub: string
  readonly name: string
  readonly kind: Kind
  readonly sessionId: string
  readonly version: number
  readonly roles: readonly string[]
  readonly mustChange: boolean
  readonly mustRegisterKey: boolean
  readonly expiresAt: Date
}

export function issueToken(
  { tokenKeys, hubName, life_s }: TokenParts,
  operator: Operator,
  session: { readonly sessionId: string; readonly mustRegisterKey: boolean },
  now: Date,
): Promise<string> {
  const sub = subjectOf(operator)
  const claims = {
    iss: hubName,
    aud: audience,
    sub,
    azp: sub,
    userType: 'HUB',
    platformRoles: [...operator.roles],
    sid: session.sessionId,
    ver: operator.version,
    mustChangePassword: operator.mustChange,
    mustRegisterKey: session.mustRegisterKey,
  }
  return signedToken(tokenKeys, claims, now, life_s)
}

/** Undefined for a text that is not an operator token of this hub, or for an expired one. */
export async function readToken(
  { tokenKeys, hubName }: TokenParts,
  token: string,
  now: Date,
): Promise<ReadToken | undefined> {
  const keys = createLocalJWKSet(JSON.parse(await tokenKeys.jwks(now)) as JSONWebKeySet)
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: hubName,
      audience,
      typ: 'at+jwt',
      algorithms: ['ES256'],
      currentDate: now,
    })
    const { sub, exp, sid, ver, platformRoles, ...limits } = claims.parse(payload)
    return {
      sub,
      name: sub.slice(sub.indexOf('::') + 2),
      kind: sub.startsWith('user::') ? 'PERSON' : 'MACHINE',
      sessionId: sid,
      version: ver,
      roles: platformRoles,
      mustChange: limits.mustChangePassword,
      mustRegisterKey: limits.mustRegisterKey,
      expiresAt: new Date(exp * 1_000),
    }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return undefined
    throw error
  }
}
