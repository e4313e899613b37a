/** Consents in every state, messages about them, and their results as short texts. */
import type { Ceremony, CredentialCheck, FidoVerifier, SignatureCheck } from '@causeway/credentials'
import type { ConsentCommand } from '../contract.ts'
import { decide } from '../decide.ts'
import type { Consent, Verification } from '../domain/consent.ts'
import type { ConsentAnswer, Decision, Unexamined } from '../domain/decision.ts'
import type { Checks } from '../examine.ts'
import { provenKey, type StoredConsents } from '../store.ts'
import { dfsp, owner, pisp } from './messages.ts'
import { strict } from './policy.ts'

export const judging = { policy: strict, participant: owner }

export const id = 'c1'
export const now = new Date('2026-01-15T12:00:00.000Z')
export const before = new Date('2026-01-15T11:00:00.000Z')
const origin = 'https://app.pispx.example'
const rpIdHash = 'SKAA'

const verifier: FidoVerifier = {
  type: 'FIDO',
  credentialId: 'AAAA',
  publicKey: 'AAAA',
  rpIdHash,
  rpId: '',
  origin,
  signCount: 4,
}
export const ceremony: Ceremony = {
  origin,
  isCrossOrigin: false,
  rpIdHash,
  isUserVerified: true,
  signCount: 5,
}
/** GENERIC, so that the policy of origins does not apply. */
export const goodCredential: CredentialCheck = {
  type: 'VALID',
  verifier: { type: 'GENERIC', publicKey: 'AAAA' },
  ceremony: undefined,
}
export const bad = { type: 'INVALID', detail: 'wrong' } as const
/** Of the challenge that was signed. */
const signedHash = 'AAAA'
export const goodSignature = {
  type: 'VALID',
  ceremony,
  signedHash,
} as const satisfies SignatureCheck

const document = { scopes: [], credential: {} }
const registered = {
  consentId: id,
  dfspId: dfsp,
  version: '1.0',
  requestEventId: 'first',
  requestHash: 'content',
  consentRequestId: undefined,
  registeredAt: before,
}

export const states = {
  none: undefined,
  REFUSED: { ...registered, state: 'REFUSED', reason: 'CREDENTIAL_INVALID' },
  PENDING: { ...registered, state: 'PENDING', verifier, document },
  ISSUED: { ...registered, state: 'ISSUED', issuedAt: before, verifier, document },
  REVOKED: {
    ...registered,
    state: 'REVOKED',
    issuedAt: before,
    revokedAt: before,
    revokedBy: dfsp,
  },
} as const satisfies Readonly<Record<string, Consent | undefined>>

export type State = keyof typeof states
export const order: readonly State[] = ['none', 'REFUSED', 'PENDING', 'ISSUED', 'REVOKED']

export interface CheckedCommand {
  readonly command: ConsentCommand
  readonly checks: Checks
}

export function message(command: Record<string, unknown>, checks: Checks = {}): CheckedCommand {
  return {
    command: { eventId: 'next', traceparent: undefined, ...command } as unknown as ConsentCommand,
    checks,
  }
}

export function by(fspId: string) {
  return { eventId: 'next', consentId: id, requester: { fspId, version: '1.0' } }
}

export function register(
  fspId: string,
  changed: object = {},
  credential?: CredentialCheck,
): CheckedCommand {
  const registration = {
    ...by(fspId),
    requestHash: 'content',
    consentRequestId: undefined,
    fault: undefined,
    document,
    ...changed,
  }
  return message({ type: 'REGISTER', registration }, credential === undefined ? {} : { credential })
}

export function revoke(fspId: string, relayedAt?: Date): CheckedCommand {
  const revocation = { ...by(fspId), destination: undefined, relayedAt }
  return message({ type: 'REVOKE', revocation })
}

export function verify(
  fspId: string,
  changed: object = {},
  signature?: SignatureCheck,
): CheckedCommand {
  const request = {
    ...by(fspId),
    verificationRequestId: 'v1',
    requestHash: 'content',
    signedPayloadType: 'FIDO',
    ...changed,
  }
  return message({ type: 'VERIFY', request }, signature === undefined ? {} : { signature })
}

export function own(outcome: 'CONFIRMED' | 'REFUSED' | 'UNCONFIRMED'): CheckedCommand {
  return message({ type: 'OWN', ownership: { consentId: id, outcome, detail: '' } })
}

export function observe(dfspId: string, pispId: string): CheckedCommand {
  const parties = { consentId: id, dfspId, pispId, consentRequestId: undefined }
  return message({ type: 'OBSERVE', parties })
}

export const seen = { consentId: id, dfspId: dfsp, pispId: pisp, consentRequestId: undefined }

export interface Given {
  readonly verifications?: readonly Verification[]
  readonly isUnseen?: boolean
  readonly handled?: readonly string[]
  /** Whether the challenge of the message was verified for another request. */
  readonly isProven?: boolean
}

export function knownAs(consent: Consent | undefined, given: Given): StoredConsents {
  const { verifications = [], isUnseen = false, handled = [], isProven = false } = given
  return {
    consents: new Map(consent === undefined ? [] : [[id, consent]]),
    parties: new Map(isUnseen ? [] : [[id, seen]]),
    verifications: new Map(verifications.map((one) => [one.verificationRequestId, one])),
    handled: new Set(handled),
    proven: new Set(isProven ? [provenKey({ consentId: id, signedHash })] : []),
  }
}

export function decided(state: State, { command, checks }: CheckedCommand, given: Given = {}) {
  return decide(command, knownAs(states[state], given), checks, judging, now)
}

/** `ISSUED: REGISTERED bankx`: the new state, and the answers with their recipients. */
export function summaryOf(decision: Decision | Unexamined): string {
  if (decision.type === 'UNEXAMINED') return 'to be examined'
  const { consent, answers } = decision
  const published = answers.map(answerText).join(', ')
  if (consent !== undefined) return `${consent.state}: ${published}`.trimEnd()
  return published === '' ? '-' : published
}

export function answerText(answer: ConsentAnswer): string {
  switch (answer.type) {
    case 'CLAIM':
    case 'AUDIT':
      return answer.type
    case 'REGISTERED':
      return `REGISTERED ${answer.to.fspId}`
    case 'REFUSED':
      return `${answer.reason} ${answer.to.fspId}`
    case 'REVOKED':
      return `REVOKED ${answer.recipients.map(({ fspId }) => fspId).join('+')}`
    case 'VERIFICATION':
      return `${answer.result} ${answer.to.fspId}`
  }
}
