/**
 * Authenticates and authorizes every operation. Tokens are verified here with the keys of
 * auth-service, without a call to it; revoked tokens are refused.
 */
import { grants } from '@causeway/services/privileges'
import type { Logger } from '@causeway/process'
import { errors, jwtVerify } from 'jose'
import { z } from 'zod'
import { refused, type RefusedOperation } from '../answer.ts'
import type { Policies, Policy } from './policy.ts'
import { open, signedIn } from './privileges.ts'

export interface Caller {
  readonly outcome: 'known'
  /** The operator's name; 'unknown' where none is required and none was sent. */
  readonly actor: string
  /** A program, or a person. */
  readonly isProgram: boolean
  readonly roles: readonly string[]
  /** Of the log-in; empty where none is required. */
  readonly session: string
  /** As it was sent; empty where none is required. */
  readonly token: string
  /** Whether the caller has the privilege. */
  may(privilege: string): boolean
}

/** The identity that a request carries: the headers Authorization and X-Operator. */
export interface SentIdentity {
  readonly authorization: string | undefined
  readonly operator: string | undefined
}

export interface RefusedCaller extends RefusedOperation {
  /** Whose token it is; undefined: not known. */
  readonly actor?: string
}

export interface Guard {
  /** Whether the caller has one of the privileges. Rejects only for a bug. */
  check(privileges: readonly string[], sent: SentIdentity): Promise<Caller | RefusedCaller>
  /** Reloads the policy, so that a change applies to the next request. */
  renew(): Promise<void>
  stop(): Promise<void>
}

const anonymous: Caller = {
  outcome: 'known',
  actor: 'unknown',
  isProgram: false,
  roles: [],
  session: '',
  token: '',
  may: () => true,
}

/** The header with the caller's name, where OPERATOR_IDENTITY=none. */
export const operatorHeader = 'X-Operator'
const operatorPattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/

/**
 * OPERATOR_IDENTITY=none: every caller of the port may do everything, under the name that it sends.
 */
export const noGuard: Guard = {
  check: (_privileges, { operator }) => Promise.resolve(asNamed(operator)),
  renew: () => Promise.resolve(),
  stop: () => Promise.resolve(),
}

function asNamed(operator: string | undefined): Caller | RefusedOperation {
  if (operator === undefined) return anonymous
  return operatorPattern.test(operator)
    ? { ...anonymous, actor: operator }
    : refused('MALFORMED', `${operatorHeader} is the name of an operator`)
}

export interface GuardParts {
  readonly policies: Policies
  readonly hubName: string
  readonly log: Logger
}

/** How long after a reading in vain no unknown key causes another one: anyone can invent a key id. */
const vain_ms = 5_000

/** The audience of operators' tokens: auth-service writes it into each. */
const audience = 'operator-api'

const claims = z.object({
  sub: z.string().regex(/^(user|app)::./),
  sid: z.string(),
  ver: z.int(),
  platformRoles: z.array(z.string()),
  mustChangePassword: z.boolean(),
  mustRegisterKey: z.boolean(),
})

type Claims = z.infer<typeof claims>

export function openGuard({ policies, hubName, log }: GuardParts): Guard {
  let vainUntil_ms = 0

  async function claimsOf(token: string): Promise<Claims | undefined> {
    const read = await readToken(token, await policies.current(), hubName)
    if (read !== 'KEY_UNKNOWN') return read
    if (Date.now() < vainUntil_ms) return undefined
    const again = await readToken(token, await policies.renew(), hubName)
    if (again !== 'KEY_UNKNOWN') return again
    vainUntil_ms = Date.now() + vain_ms
    return undefined
  }

  async function check(
    privileges: readonly string[],
    authorization: string,
  ): Promise<Caller | RefusedCaller> {
    const token = /^Bearer +([\w.~+/=-]{1,4096})$/i.exec(authorization)?.[1]
    if (token === undefined) return refused('TOKEN_MISSING', 'log in: POST /app-basic-auth')
    const known = await claimsOf(token)
    if (known === undefined) return refused('TOKEN_INVALID', 'not a token, or it has expired')
    const { sub, sid, ver, platformRoles, mustChangePassword, mustRegisterKey } = known
    const isLimited = mustChangePassword || mustRegisterKey
    if (policies.isInvalidated([sid, sub], ver)) {
      return refused('TOKEN_INVALID', 'the token was revoked: log in again')
    }
    const { roles } = await policies.current()
    const granted = platformRoles.flatMap((role) => roles.get(role) ?? [])
    const actor = sub.slice(sub.indexOf('::') + 2)
    const may = (privilege: string) =>
      privilege === signedIn ||
      (!isLimited && grants(granted, privilege) && !isAlone(sub, privilege))
    if (privileges.some(may)) {
      const isProgram = sub.startsWith('app::')
      return { outcome: 'known', actor, isProgram, roles: platformRoles, session: sid, token, may }
    }
    if (mustChangePassword) return refused('PASSWORD_OLD', 'change your password first')
    return mustRegisterKey
      ? refused('KEY_MISSING', 'register a security key first')
      : { ...refused('PRIVILEGE_MISSING', privileges.join(' or ')), actor }
  }

  return {
    async check(privileges, { authorization = '' }) {
      if (privileges.includes(open)) return anonymous
      try {
        return await check(privileges, authorization)
      } catch (error) {
        log.warn({ err: error }, 'a token could not be checked')
        return refused('UNAVAILABLE', 'try again later')
      }
    },
    async renew() {
      await policies.renew()
    },
    stop: () => policies.stop(),
  }
}

/** A program cannot be the second person of a four-eyes change. */
function isAlone(subject: string, privilege: string): boolean {
  return subject.startsWith('app::') && /^(APPROVE|REJECT)_/.test(privilege)
}

async function readToken(
  token: string,
  { keySet }: Policy,
  issuer: string,
): Promise<Claims | 'KEY_UNKNOWN' | undefined> {
  try {
    const { payload } = await jwtVerify(token, keySet, {
      issuer,
      audience,
      typ: 'at+jwt',
      algorithms: ['ES256'],
      requiredClaims: ['exp', 'iat', 'jti'],
    })
    return claims.safeParse(payload).data
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'KEY_UNKNOWN'
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
