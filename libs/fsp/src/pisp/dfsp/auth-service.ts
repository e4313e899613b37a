/**
 * A DFSP's requests to the auth service, which registers consents, verifies signatures and revokes
 * consents. Third-Party API 1.0: /consents, /thirdpartyRequests/verifications.
 */
import {
  errorBody,
  type ErrorInformation,
  errorInformation,
  patchConsents,
  putConsents,
  putVerifications,
} from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { openPendingRequests, type PendingRequests } from '../../pending-requests.ts'
import { type Failed, informationIn } from '../../errors.ts'
import type { HubLink } from '../../hub/link.ts'
import { bodyOf, type HandlerResult, idOf, type Received } from '../../inbound.ts'
import { writeMessage } from '../../message.ts'
import type { SignatureVerdict } from './payment.ts'
import { verdictOf } from './payment.ts'
import type { Verifier } from './verifier.ts'

export interface AuthServiceOptions {
  readonly name: string
  readonly hubName: string
  /** The name of the auth service in the scheme. */
  readonly authService: string
  readonly link: HubLink
  readonly resendAfter_ms: number
  readonly answerTimeout_ms: number
}

export interface AuthService extends Verifier {
  /** PUT /consents/{ID}, PATCH /consents/{ID} and PUT /consents/{ID}/error from it or from the hub. */
  takeRegistered(message: Received): HandlerResult
  /** The time of the revocation, where the message has one. */
  takeRevoked(message: Received): HandlerResult | { readonly revokedAt: string }
  takeError(message: Received): HandlerResult
  takeVerification(message: Received): HandlerResult
  takeVerificationError(message: Received): HandlerResult
  close(): void
}

type Registered = { readonly state: 'REGISTERED' } | Failed
type Revoked = { readonly state: 'REVOKED'; readonly revokedAt: string } | Failed
type VerificationVerdict = { readonly state: 'VERDICT'; readonly verdict: SignatureVerdict }

interface AuthServiceParts extends AuthServiceOptions {
  readonly registrations: PendingRequests<undefined, Registered>
  readonly revocations: PendingRequests<undefined, Revoked>
  readonly verifications: PendingRequests<undefined, VerificationVerdict>
}

export function openAuthService(options: AuthServiceOptions): AuthService {
  const { link, resendAfter_ms, hubName, authService } = options
  const parts: AuthServiceParts = {
    ...options,
    registrations: openPendingRequests(link, resendAfter_ms),
    revocations: openPendingRequests(link, resendAfter_ms),
    verifications: openPendingRequests(link, resendAfter_ms),
  }
  const { registrations, revocations, verifications } = parts
  const isStranger = ({ source }: Received) => source !== authService && source !== hubName
  return {
    ...verifierOf(parts),
    takeRegistered(message) {
      const reading = bodyOf(putConsents, message)
      if (!reading.ok) return { rejected: reading.detail }
      if (reading.value.credential?.status !== 'VERIFIED') {
        return { rejected: '/credential/status: not VERIFIED' }
      }
      registrations.answer(idOf(message), { state: 'REGISTERED' })
      return 'HANDLED'
    },
    takeRevoked(message) {
      const reading = bodyOf(patchConsents, message)
      if (!reading.ok) return { rejected: reading.detail }
      const { status, revokedAt = new Date().toISOString() } = reading.value
      if (status !== 'REVOKED') return { rejected: '/status: not REVOKED' }
      revocations.answer(idOf(message), { state: 'REVOKED', revokedAt })
      return { revokedAt }
    },
    takeError(message) {
      const id = idOf(message)
      const error = errorOf(message)
      if ('rejected' in error) return error
      registrations.answer(id, { state: 'FAILED', error })
      revocations.answer(id, { state: 'FAILED', error })
      return 'HANDLED'
    },
    takeVerification(message) {
      const reading = bodyOf(putVerifications, message)
      if (!reading.ok) return { rejected: reading.detail }
      if (message.source !== authService)
        return { rejected: `${message.source} is not the auth service` }
      const isRight = reading.value.authenticationResponse === 'VERIFIED'
      const verdict: SignatureVerdict = { type: isRight ? 'VERIFIED' : 'WRONG_SIGNATURE' }
      verifications.answer(idOf(message), { state: 'VERDICT', verdict })
      return 'HANDLED'
    },
    takeVerificationError(message) {
      if (isStranger(message)) return { rejected: `${message.source} is not the auth service` }
      const error = errorOf(message)
      if ('rejected' in error) return error
      verifications.answer(idOf(message), { state: 'VERDICT', verdict: verdictOf(error) })
      return 'HANDLED'
    },
    close() {
      for (const open of [registrations, revocations, verifications]) open.close()
    },
  }
}

function verifierOf(parts: AuthServiceParts): Verifier {
  const { name, authService, answerTimeout_ms, registrations, revocations, verifications } = parts
  const route = { from: name, to: authService }
  const asked = (key: string) => {
    const until_ms = Date.now() + answerTimeout_ms
    return { key, until_ms, deadline_ms: until_ms, context: undefined }
  }
  return {
    async register({ consentId, consentRequestId, scopes, credential }) {
      const body = {
        consentId,
        consentRequestId,
        scopes,
        credential: { ...credential, status: 'PENDING' },
        status: 'ISSUED',
      }
      const request = () => writeMessage('POST', '/consents', route, body)
      const ended = await registrations.send({
        ...asked(consentId),
        request: request(),
        reminder: request,
      })
      return ended.state === 'REGISTERED' ? { key: undefined } : { error: ended.error ?? silent() }
    },
    async verify({ consentId }, challenge, signed) {
      const verificationRequestId = randomUUID()
      const body = { verificationRequestId, challenge, consentId, ...signed }
      const path = '/thirdpartyRequests/verifications'
      const ended = await verifications.send({
        ...asked(verificationRequestId),
        request: writeMessage('POST', path, route, body),
        // An equal request gets the same answer, so a lost one is sent again unchanged.
        reminder: () => writeMessage('POST', path, route, body),
      })
      return ended.state === 'VERDICT' ? ended.verdict : { type: 'NONE' }
    },
    async revoke({ consentId }) {
      const request = () => writeMessage('DELETE', `/consents/${consentId}`, route)
      const ended = await revocations.send({
        ...asked(consentId),
        request: request(),
        reminder: request,
      })
      return ended.state === 'REVOKED' ? ended.revokedAt : (ended.error ?? silent())
    },
  }
}

function silent(): ErrorInformation {
  return errorInformation('2004', 'the auth service did not answer in time')
}

function errorOf(message: Received): ErrorInformation | { readonly rejected: string } {
  const reading = bodyOf(errorBody, message)
  return reading.ok ? informationIn(reading.value) : { rejected: reading.detail }
}
