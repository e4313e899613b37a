/**
 * Log-in, renewal, log-out, and the permissions of a token. The names and shapes are those of the
 * Mojaloop reference architecture, including its misspelling.
 */
import { present, type Session } from '@causeway/protos'
import { grants } from '@causeway/services/privileges'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { commands, writes, type Operation } from '../operation.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import { keyChallengeBody, shownKeyChallenge } from './credentials.ts'

/** Hashing a password takes a while, and other requests may be ahead. */
const deadline_ms = 10_000

const secret = z.string().min(1).max(256)
const logIn = z.strictObject({ id: z.string().min(1).max(64), secret })
const refresh = z.strictObject({ refreshToken: secret })
const token = z.strictObject({ token: z.string().max(4_096) })
const question = z.strictObject({ token: z.string().max(4_096), privilege: z.string().max(64) })

export const shownSession = z
  .strictObject({
    accessToken: z.string(),
    refreshToken: z.string().optional(),
    tokenType: z.literal('Bearer'),
    /** Seconds. */
    expiresIn: z.int(),
    roles: z.array(z.string()),
    /** The token permits only a change of password. */
    mustChangePassword: z.boolean(),
    /** The token permits only the registration of a security key. */
    mustRegisterKey: z.boolean(),
  })
  .meta({ id: 'Session' })

const shownToken = z.strictObject({
  active: z.boolean(),
  sub: z.string().optional(),
  userType: z.string().optional(),
  roles: z.array(z.string()).optional(),
  privileges: z.array(z.string()).optional(),
  expiresAt: z.string().optional(),
})

/** For callers without a token. */
export function logInOperations(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/app-basic-auth',
      logIn,
      {
        about:
          'Logs an operator in: name and password are exchanged for a bearer token, or for a challenge (202) where the operator has a security key; /app-fido-authorize ends that log-in',
        answers: { 200: shownSession, 202: shownKeyChallenge },
        takesBasic: true,
        isLogIn: true,
        refuses: ['SECRET_WRONG', 'BUSY'],
      },
      async ({ body, address }) =>
        sessionAnswer(await deps.operators.LogIn({ ...body, address }, { deadline_ms })),
    ),
    writes(
      'POST',
      '/app-token-refresh',
      refresh,
      {
        about: 'Renews a session; the refresh token is replaced and can be used once',
        answers: { 200: shownSession },
        refuses: ['TOKEN_INVALID'],
      },
      async ({ body }) => sessionAnswer(await deps.operators.RefreshSession(body)),
    ),
    writes(
      'POST',
      '/iam-token-verifty',
      token,
      {
        about: 'Whether a token is valid now, and what it permits',
        answers: { 200: shownToken },
      },
      async ({ body }) => answered(200, tokenBody(await stateOf(deps, body.token))),
    ),
    writes(
      'POST',
      '/app-authorize',
      question,
      {
        about: 'Whether a token grants a privilege',
        answers: {
          200: z.strictObject({
            authorized: z.literal(true),
            sub: z.string(),
            roles: z.array(z.string()),
          }),
        },
        refuses: ['TOKEN_INVALID', 'PRIVILEGE_MISSING'],
      },
      ({ body }) => authorize(deps, body),
    ),
  ]
}

/** For any caller with a token. */
export function logOutOperations(deps: Deps): readonly Operation[] {
  return [
    commands(
      'POST',
      '/app-logout',
      { about: 'Ends the session of the token in the request', answers: { 204: null } },
      async ({ token: accessToken }) => {
        if (accessToken === '') return answered(204)
        const { refusal } = await deps.operators.LogOut({ accessToken })
        return refusal ? refusedUpstream(refusal) : answered(204)
      },
    ),
  ]
}

export function sessionAnswer({
  session,
  key,
  refusal,
}: Awaited<ReturnType<Deps['operators']['LogIn']>>): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  if (key) return answered(202, keyChallengeBody(key))
  if (!session) throw new Error('a log-in was answered with neither session nor refusal')
  return answered(200, sessionBody(session))
}

export function sessionBody(session: Session) {
  const { accessToken, refreshToken, expiresInS, roles, ...limits } = session
  return {
    accessToken,
    ...present({ refreshToken }),
    tokenType: 'Bearer',
    expiresIn: expiresInS,
    roles,
    mustChangePassword: limits.mustChangePassword,
    mustRegisterKey: limits.mustRegisterKey,
  }
}

function stateOf(deps: Deps, accessToken: string) {
  return deps.operators.CheckToken({ accessToken })
}

/** For an invalid token no other member is returned. */
function tokenBody({ active, ...state }: Awaited<ReturnType<typeof stateOf>>) {
  return active ? { active, ...state } : { active }
}

async function authorize(deps: Deps, { token: asked, privilege }: z.infer<typeof question>) {
  const { active, sub, roles, privileges } = await stateOf(deps, asked)
  if (!active) return refused('TOKEN_INVALID', 'not a token, or no longer valid')
  if (!grants(privileges, privilege)) return refused('PRIVILEGE_MISSING', privilege)
  return answered(200, { authorized: true, sub, roles })
}
