/**
 * Log-in with a client certificate or a security key, and authorization of a transaction with such
 * a key. The names are those of the reference architecture.
 */
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import { assertion, keyChallengeBody, shownKeyChallenge, transactionId } from './credentials.ts'
import { sessionAnswer, sessionBody, shownSession } from './sessions.ts'

const deadline_ms = 10_000

const nothing = z.strictObject({})
const certificate = z.strictObject({
  /** PEM, as a JSON string. */
  certificate: z.string().min(1).max(16_384).optional(),
  nonce: z.string().min(1).max(128).optional(),
  /** Over the bytes of the nonce, base64: ECDSA or RSA with SHA-256, or Ed25519. */
  signature: z
    .string()
    .max(2_048)
    .regex(/^[\w+/-]+={0,2}$/, { error: 'must be base64' })
    .optional(),
})
const authorization = z.strictObject({ transactionId, assertion })
const transaction = z.strictObject({ transactionId })

const shownNonce = z.strictObject({ nonce: z.string(), expiresDate: shownTime })

/** For callers without a token: each is itself a log-in. */
export function keyLogInOperations(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/app-pem-auth',
      certificate,
      {
        about:
          'Logs in with a client certificate. Without members: makes a nonce; then, with the certificate and the signed nonce, answers a bearer token for its subject',
        answers: { 200: shownSession, 201: shownNonce, 202: shownKeyChallenge },
        isLogIn: true,
        refuses: ['PROOF_INVALID', 'NO_CA', 'BUSY'],
      },
      ({ body }) => logInWithCertificate(deps, body),
    ),
    writes(
      'POST',
      '/app-fido-log-in',
      nothing,
      {
        about:
          'Begins a log-in with a security key alone, which must verify its user; /app-fido-authorize ends it',
        answers: { 201: shownKeyChallenge },
        isLogIn: true,
        refuses: ['BUSY'],
      },
      async () => keyAnswer(await deps.logIns.BeginKeyLogIn({})),
    ),
    writes(
      'POST',
      '/app-fido-authorize',
      authorization,
      {
        about:
          'Verifies the signature of a security key: ends a log-in, which answers a session, or authorizes a transaction',
        answers: {
          200: z.strictObject({ authorized: z.literal(true), session: shownSession.optional() }),
        },
        isLogIn: true,
        refuses: ['PROOF_INVALID', 'BUSY'],
      },
      ({ body }) => authorize(deps, body),
    ),
  ]
}

const oidc = z.strictObject({
  /** The address with which the browser came back. */
  callback: z.url().max(4_096).optional(),
  /** As it was when the log-in began; the browser keeps it to itself. */
  state: z.string().min(1).max(256).optional(),
})

const shownBegun = z.strictObject({
  authorizationUrl: z.string(),
  state: z.string(),
  expiresDate: shownTime,
})

/** Through the OpenID provider of the organisation, for callers without a token. */
export function oidcOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/app-log-ins',
      {
        about: 'Which log-ins there are besides that with a password',
        answers: { 200: z.strictObject({ oidc: z.boolean() }) },
      },
      async () => answered(200, { oidc: (await deps.logIns.DescribeLogIns({})).oidc }),
    ),
    writes(
      'POST',
      '/app-oidc-log-in',
      oidc,
      {
        about:
          'Logs in through the OpenID provider. Without members: the address that the browser goes to; then, with the address at which it comes back, answers a bearer token',
        answers: { 200: shownSession, 201: shownBegun, 202: shownKeyChallenge },
        isLogIn: true,
        refuses: ['PROOF_INVALID', 'NO_OIDC', 'BUSY'],
      },
      ({ body, address }) => logInWithOidc(deps, body, address),
    ),
  ]
}

async function logInWithOidc(
  { logIns }: Deps,
  { callback, state }: z.infer<typeof oidc>,
  address: string,
): Promise<OperationResult> {
  if (callback === undefined && state === undefined) {
    const { begun, refusal } = await logIns.BeginOidc({}, { deadline_ms })
    if (refusal) return refusedUpstream(refusal)
    if (!begun) throw new Error('a log-in was begun and not returned')
    const { url: authorizationUrl, browserSecret, expiresAt: expiresDate } = begun
    return answered(201, { authorizationUrl, state: browserSecret, expiresDate })
  }
  if (callback === undefined) return refused('MISSING', 'callback')
  if (state === undefined) return refused('MISSING', 'state')
  const proof = { callback, browserSecret: state, address }
  return sessionAnswer(await logIns.EndOidc(proof, { deadline_ms }))
}

/** For any operator. */
export function authorizationOperations(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/app-fido-challenge',
      transaction,
      {
        about:
          'Makes a challenge for the approval of a request, named by its requestId; 204: no signature is required',
        answers: { 201: shownKeyChallenge, 204: null },
        refuses: ['KEY_MISSING'],
      },
      async ({ body, actor: operator }) =>
        keyAnswer(await deps.logIns.BeginAuthorization({ operator, ...body })),
    ),
  ]
}

async function logInWithCertificate(
  { logIns }: Deps,
  { certificate: pem, nonce, signature }: z.infer<typeof certificate>,
): Promise<OperationResult> {
  if (pem === undefined && nonce === undefined && signature === undefined) {
    const made = await logIns.CreateNonce({})
    if (made.refusal) return refusedUpstream(made.refusal)
    if (!made.nonce) throw new Error('a nonce was requested and not returned')
    return answered(201, { nonce: made.nonce.nonce, expiresDate: made.nonce.expiresAt })
  }
  if (pem === undefined) return refused('MISSING', 'certificate')
  if (nonce === undefined) return refused('MISSING', 'nonce')
  if (signature === undefined) return refused('MISSING', 'signature')
  const proof = { certificate: pem, nonce, signature }
  return sessionAnswer(await logIns.LogInWithCertificate(proof, { deadline_ms }))
}

async function authorize(
  { logIns }: Deps,
  { transactionId: id, assertion: sent }: z.infer<typeof authorization>,
): Promise<OperationResult> {
  const message = { transactionId: id, assertionJson: JSON.stringify(sent) }
  const { authorized, refusal } = await logIns.AuthorizeWithKey(message, { deadline_ms })
  if (refusal) return refusedUpstream(refusal)
  const session = authorized?.session
  return answered(200, { authorized: true, ...(session ? { session: sessionBody(session) } : {}) })
}

function keyAnswer({
  key,
  refusal,
}: Awaited<ReturnType<Deps['logIns']['BeginAuthorization']>>): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  return key ? answered(201, keyChallengeBody(key)) : answered(204)
}
