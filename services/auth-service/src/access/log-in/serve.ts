/** Serves log-ins with certificates and security keys, and these keys, over gRPC. */
import { refusalMessage } from '@causeway/services'
import type { Handlers } from '@causeway/grpc'
import type { logInsService } from '@causeway/protos'
import { timeMessage } from '../../contract.ts'
import type { RefusedCommand } from '../../domain/refusal.ts'
import { payloadOf } from '../fido/ceremonies.ts'
import { credentialsOf } from '../fido/credential-store.ts'
import { challengeAnswer, registrationAnswer } from '../fido/serve.ts'
import type { AuthMeasures } from '../../measures.ts'
import { beginOidc, endOidc, type OidcParts } from '../oidc/log-in.ts'
import { keyMessage, logInOutcome, sessionAnswer, sessionMessage } from '../operators/serve.ts'
import { beginKeyLogIn, type KeyStep } from '../operators/sessions.ts'
import { authorizeWithKey, beginAuthorization, useAuthorization } from './authorize.ts'
import { createNonce, logInWithCertificate, type CertificateParts } from './certificates.ts'
import { beginKeyRegistration, registerKey, removeKeys } from './keys.ts'

export interface LogInParts extends CertificateParts, OidcParts {
  readonly measures: AuthMeasures
}

type LogInsHandlers = Handlers<typeof logInsService>

export function serveLogIns(parts: LogInParts): LogInsHandlers {
  return { ...certificates(parts), ...signatures(parts), ...keys(parts), ...openId(parts) }
}

function openId(
  parts: LogInParts,
): Pick<LogInsHandlers, 'DescribeLogIns' | 'BeginOidc' | 'EndOidc'> {
  return {
    DescribeLogIns: () => Promise.resolve({ oidc: parts.oidc !== undefined }),
    async BeginOidc() {
      const begun = await beginOidc(parts, new Date())
      if (begun.type === 'REFUSE') return { refusal: refusalMessage(begun) }
      const { url, state, expiresAt } = begun
      return { begun: { url, browserSecret: state, expiresAt: timeMessage(expiresAt) } }
    },
    async EndOidc({ callback, browserSecret: state, address }) {
      const session = await endOidc(parts, { callback, state }, new Date(), address)
      parts.measures.logIn(logInOutcome(session))
      return sessionAnswer(session)
    },
  }
}

function certificates(
  parts: LogInParts,
): Pick<LogInsHandlers, 'CreateNonce' | 'LogInWithCertificate'> {
  return {
    async CreateNonce() {
      const made = await createNonce(parts, new Date())
      return made.type === 'REFUSE'
        ? { refusal: refusalMessage(made) }
        : { nonce: { nonce: made.challenge, expiresAt: timeMessage(made.expiresAt) } }
    },
    async LogInWithCertificate(proof) {
      const session = await logInWithCertificate(parts, proof, new Date())
      parts.measures.logIn(logInOutcome(session))
      return sessionAnswer(session)
    },
  }
}

function signatures(
  parts: LogInParts,
): Pick<
  LogInsHandlers,
  'BeginKeyLogIn' | 'BeginAuthorization' | 'AuthorizeWithKey' | 'UseAuthorization'
> {
  return {
    async BeginKeyLogIn() {
      return keyAnswer(await beginKeyLogIn(parts, null, new Date()))
    },
    async BeginAuthorization({ operator, transactionId }) {
      return keyAnswer(await beginAuthorization(parts, operator, transactionId, new Date()))
    },
    async AuthorizeWithKey({ transactionId, assertionJson }) {
      const payload = payloadOf(assertionJson)
      const authorized = await authorizeWithKey(parts, { transactionId, payload }, new Date())
      if (authorized.type === 'REFUSE') {
        parts.measures.logIn(authorized.reason)
        return { refusal: refusalMessage(authorized) }
      }
      const { session } = authorized
      if (session === undefined) return { authorized: {} }
      parts.measures.logIn(logInOutcome(session))
      return { authorized: { session: sessionMessage(session) } }
    },
    async UseAuthorization({ operator, transactionId }) {
      return done(await useAuthorization(parts, operator, transactionId, new Date()))
    },
  }
}

function keys(
  parts: LogInParts,
): Pick<LogInsHandlers, 'BeginKeyRegistration' | 'RegisterKey' | 'ListKeys' | 'RemoveKeys'> {
  return {
    BeginKeyRegistration: async ({ operator }) =>
      challengeAnswer(await beginKeyRegistration(parts, operator, new Date())),
    async RegisterKey({ operator, name, attestationJson }) {
      const registration = { operator, name, payload: payloadOf(attestationJson) }
      return registrationAnswer(await registerKey(parts, registration, new Date()))
    },
    async ListKeys({ operator }) {
      const stored = await credentialsOf(parts.db, 'OPERATOR', operator)
      return {
        keys: stored.map((key) => ({
          credentialId: key.credentialId,
          name: key.name,
          verifiesUser: key.isUserVerified,
          createdAt: timeMessage(key.createdAt),
          ...(key.lastUsedAt === null ? {} : { lastUsedAt: timeMessage(key.lastUsedAt) }),
        })),
      }
    },
    RemoveKeys: async (removal) => done(await removeKeys(parts, removal, new Date())),
  }
}

function keyAnswer(step: KeyStep | 'NOT_REQUIRED' | RefusedCommand) {
  if (step === 'NOT_REQUIRED') return {}
  return step.type === 'REFUSE' ? { refusal: refusalMessage(step) } : { key: keyMessage(step) }
}

function done(refused: RefusedCommand | undefined) {
  return { refusal: refused === undefined ? null : refusalMessage(refused) }
}
