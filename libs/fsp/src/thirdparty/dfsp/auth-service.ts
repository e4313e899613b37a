/**
 * A DFSP's questions to the auth service: consents are registered, signatures checked and consents
 * revoked there. Third-Party API 1.0: /consents, /thirdpartyRequests/verifications.
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
import { openQuestions, type Questions } from '../../asking.ts'
import { type Failed, informationIn } from '../../errors.ts'
import type { HubLink } from '../../hub/link.ts'
import { bodyOf, type Hearing, idOf, type Received } from '../../inbound.ts'
import { writeMessage } from '../../message.ts'
import type { Verdict } from './payment.ts'
import { verdictOf } from './payment.ts'
import type { Verifier } from './verifier.ts'

export interface AuthServiceOptions {
  readonly name: string
  readonly hubName: string
  /** The name of the auth service in the scheme. */
  readonly authService: string
  readonly link: HubLink
  readonly silence_ms: number
  readonly patience_ms: number
}

export interface AuthService extends Verifier {
  /** PUT /consents/{ID}, PATCH /consents/{ID} and PUT /consents/{ID}/error from it or from the hub. */
  takeRegistered(message: Received): Hearing
  /** The time of the revocation, where the message tells of one. */
  takeRevoked(message: Received): Hearing | { readonly revokedAt: string }
  takeError(message: Received): Hearing
  takeVerification(message: Received): Hearing
  takeVerificationError(message: Received): Hearing
  close(): void
}

type Registered = { readonly state: 'REGISTERED' } | Failed
type Revoked = { readonly state: 'REVOKED'; readonly revokedAt: string } | Failed
type Verified = { readonly state: 'VERDICT'; readonly verdict: Verdict }

interface Parts extends AuthServiceOptions {
  readonly registrations: Questions<undefined, Registered>
  readonly revocations: Questions<undefined, Revoked>
  readonly verifications: Questions<undefined, Verified>
}

export function openAuthService(options: AuthServiceOptions): AuthService {
  const { link, silence_ms, hubName, authService } = options
  const parts: Parts = {
    ...options,
    registrations: openQuestions(link, silence_ms),
    revocations: openQuestions(link, silence_ms),
    verifications: openQuestions(link, silence_ms),
  }
  const { registrations, revocations, verifications } = parts
  const isStranger = ({ source }: Received) => source !== authService && source !== hubName
  return {
    ...verifierOf(parts),
    takeRegistered(message) {
      const reading = bodyOf(putConsents, message)
      if (!reading.ok) return { disbelieved: reading.detail }
      if (reading.value.credential?.status !== 'VERIFIED') {
        return { disbelieved: '/credential/status: not VERIFIED' }
      }
      registrations.answer(idOf(message), { state: 'REGISTERED' })
      return 'HEARD'
    },
    takeRevoked(message) {
      const reading = bodyOf(patchConsents, message)
      if (!reading.ok) return { disbelieved: reading.detail }
      const { status, revokedAt = new Date().toISOString() } = reading.value
      if (status !== 'REVOKED') return { disbelieved: '/status: not REVOKED' }
      revocations.answer(idOf(message), { state: 'REVOKED', revokedAt })
      return { revokedAt }
    },
    takeError(message) {
      const id = idOf(message)
      const error = errorOf(message)
      if ('disbelieved' in error) return error
      registrations.answer(id, { state: 'FAILED', error })
      revocations.answer(id, { state: 'FAILED', error })
      return 'HEARD'
    },
    takeVerification(message) {
      const reading = bodyOf(putVerifications, message)
      if (!reading.ok) return { disbelieved: reading.detail }
      if (message.source !== authService) return { disbelieved: `${message.source} checks nothing` }
      const isRight = reading.value.authenticationResponse === 'VERIFIED'
      const verdict: Verdict = { type: isRight ? 'VERIFIED' : 'WRONG_SIGNATURE' }
      verifications.answer(idOf(message), { state: 'VERDICT', verdict })
      return 'HEARD'
    },
    takeVerificationError(message) {
      if (isStranger(message)) return { disbelieved: `${message.source} checks nothing` }
      const error = errorOf(message)
      if ('disbelieved' in error) return error
      verifications.answer(idOf(message), { state: 'VERDICT', verdict: verdictOf(error) })
      return 'HEARD'
    },
    close() {
      for (const open of [registrations, revocations, verifications]) open.close()
    },
  }
}

function verifierOf(parts: Parts): Verifier {
  const { name, authService, patience_ms, registrations, revocations, verifications } = parts
  const route = { from: name, to: authService }
  const asked = (key: string) => {
    const until_ms = Date.now() + patience_ms
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
      const ended = await registrations.ask({
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
      const ended = await verifications.ask({
        ...asked(verificationRequestId),
        request: writeMessage('POST', path, route, body),
        // The same request again is answered the same, and one that was lost is answered at all.
        reminder: () => writeMessage('POST', path, route, body),
      })
      return ended.state === 'VERDICT' ? ended.verdict : { type: 'NONE' }
    },
    async revoke({ consentId }) {
      const request = () => writeMessage('DELETE', `/consents/${consentId}`, route)
      const ended = await revocations.ask({
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

function errorOf(message: Received): ErrorInformation | { readonly disbelieved: string } {
  const reading = bodyOf(errorBody, message)
  return reading.ok ? informationIn(reading.value) : { disbelieved: reading.detail }
}
