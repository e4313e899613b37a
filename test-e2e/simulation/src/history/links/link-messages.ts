/** Messages of PISP and DFSP, as the Third-Party API has them. */
import { createHash, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { consentChallenge } from '@causeway/fspiop'
import type { HttpRequest } from '@causeway/http'
import { authServiceName } from '../../hub/services.ts'
import { ed25519Of } from '../../virtual/keys.ts'
import { linkedDfsp as dfsp, pisp } from '../plan/link-plan.ts'
import type { LinkRecord, PaymentRecord } from './link-record.ts'
import { messageOf, partyOf, priceOf } from '../messages.ts'

/** Of the user, and of another person. */
const userKey = ed25519Of(Buffer.alloc(32, 11))
const otherKey = ed25519Of(Buffer.alloc(32, 12))
const userPublicKey = createPublicKey(userKey)
  .export({ type: 'spki', format: 'der' })
  .toString('base64')
const transactionType = { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' }
/** Members and spaces that the hub has no use for: what it relays has them all the same. */
const untouched = '  '

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

function between(
  source: string,
  destination: string,
  method: Method,
  url: string,
  body?: object,
): HttpRequest {
  const message = messageOf(method, url, source, destination, body)
  if (message.body === undefined) return message
  return { ...message, body: Buffer.concat([message.body, Buffer.from(untouched)]) }
}

const fromPisp = (method: Method, url: string, body?: object) =>
  between(pisp, dfsp, method, url, body)
const fromDfsp = (method: Method, url: string, body?: object) =>
  between(dfsp, pisp, method, url, body)
const toAuthService = (method: Method, url: string, body: object) =>
  between(dfsp, authServiceName, method, url, body)

function scopesOf({ id }: LinkRecord) {
  return [{ address: `${dfsp}.${id}`, actions: ['ACCOUNTS_TRANSFER'] }]
}

export function consentRequestOf(link: LinkRecord): HttpRequest {
  return fromPisp('POST', '/consentRequests', {
    consentRequestId: link.id,
    userId: 'ana@mango.example',
    scopes: scopesOf(link),
    authChannels: ['OTP'],
  })
}

export function channelOf(link: LinkRecord): HttpRequest {
  const body = { scopes: scopesOf(link), authChannels: ['OTP'] }
  return fromDfsp('PUT', `/consentRequests/${link.id}`, body)
}

export function tokenOf({ id }: LinkRecord): HttpRequest {
  return fromPisp('PATCH', `/consentRequests/${id}`, { authToken: '493817' })
}

function consentOf(link: LinkRecord) {
  return {
    consentId: link.consentId,
    consentRequestId: link.id,
    scopes: scopesOf(link),
    status: 'ISSUED',
  }
}

export function grantOf(link: LinkRecord): HttpRequest {
  return fromDfsp('POST', '/consents', consentOf(link))
}

/** Right if the user has the private key of the public one. */
function credentialOf(link: LinkRecord, status: 'PENDING' | 'VERIFIED') {
  const { consentId, planned, devices } = link
  const challenge = consentChallenge({ consentId, scopes: scopesOf(link) })
  const isRight = planned.credential === 'RIGHT'
  if (planned.isFido === true) {
    // A forged one was made for another consent.
    const fidoPayload = devices.user.register(challenge, isRight ? {} : { challenge: 'AAAA' })
    return { credentialType: 'FIDO', status, fidoPayload }
  }
  const signature = signed(challenge.toString('base64url'), isRight ? userKey : otherKey)
  return {
    credentialType: 'GENERIC',
    status,
    genericPayload: { publicKey: userPublicKey, signature },
  }
}

export function credentialMessageOf(link: LinkRecord): HttpRequest {
  const body = { scopes: scopesOf(link), credential: credentialOf(link, 'PENDING') }
  return fromPisp('PUT', `/consents/${link.consentId}`, body)
}

export function registrationOf(link: LinkRecord): HttpRequest {
  const body = { ...consentOf(link), credential: credentialOf(link, 'PENDING') }
  return toAuthService('POST', '/consents', body)
}

/** What the auth service has to answer to a registration. */
export function verifiedBodyOf(link: LinkRecord): object {
  return { status: 'ISSUED', scopes: scopesOf(link), credential: credentialOf(link, 'VERIFIED') }
}

export function linkedOf(link: LinkRecord): HttpRequest {
  return fromDfsp('PUT', `/consents/${link.consentId}`, verifiedBodyOf(link))
}

/** The DFSP tells the PISP that there will be no consent. */
export function refusalOf({ id }: LinkRecord, errorCode: string): HttpRequest {
  return fromDfsp('PUT', `/consentRequests/${id}/error`, errorOf(errorCode))
}

export function revocationOf(link: LinkRecord, revokedAt: string): HttpRequest {
  const { consentId, planned } = link
  const path = `/consents/${consentId}`
  if (planned.revocation?.how === 'PATCH') return revokedOf(link, revokedAt)
  return planned.revocation?.by === 'DFSP' ? fromDfsp('DELETE', path) : fromPisp('DELETE', path)
}

/** The DFSP informs the PISP. */
export function revokedOf({ consentId }: LinkRecord, revokedAt: string): HttpRequest {
  return fromDfsp('PATCH', `/consents/${consentId}`, { status: 'REVOKED', revokedAt })
}

const transactions = '/thirdpartyRequests/transactions'

export function transactionOf(link: LinkRecord, { id, planned }: PaymentRecord): HttpRequest {
  const { payee, amount } = planned
  return fromPisp('POST', transactions, {
    transactionRequestId: id,
    payee: {
      partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: partyOf(payee), fspId: payee },
    },
    payer: {
      partyIdType: 'THIRD_PARTY_LINK',
      partyIdentifier: scopesOf(link)[0]?.address,
      fspId: dfsp,
    },
    amountType: 'SEND',
    amount: priceOf(amount),
    transactionType,
  })
}

export function receivedOf({ id }: PaymentRecord, transactionId: string): HttpRequest {
  const body = { transactionId, transactionRequestState: 'RECEIVED' }
  return fromDfsp('PUT', `${transactions}/${id}`, body)
}

/** The terms that the user signs, as a text that each payment has alone. */
function challengeOf({ id }: PaymentRecord): string {
  return createHash('sha256').update(id).digest('base64url')
}

export function authorizationOf(payment: PaymentRecord): HttpRequest {
  return fromDfsp('POST', '/thirdpartyRequests/authorizations', {
    authorizationRequestId: payment.authorizationId,
    transactionRequestId: payment.id,
    challenge: challengeOf(payment),
    transactionType,
    transferAmount: priceOf(payment.planned.amount),
  })
}

export function userAnswerOf(link: LinkRecord, payment: PaymentRecord): HttpRequest {
  const { authorizationId, planned } = payment
  const path = `/thirdpartyRequests/authorizations/${authorizationId}`
  if (planned.user === 'REFUSES') return fromPisp('PUT', path, { responseType: 'REJECTED' })
  const signedPayload = signedPayloadOf(link, payment)
  return fromPisp('PUT', path, { responseType: 'ACCEPTED', signedPayload })
}

function signedPayloadOf({ planned, devices }: LinkRecord, payment: PaymentRecord): object {
  const isForged = payment.planned.user === 'FORGES'
  const challenge = challengeOf(payment)
  if (planned.isFido === true) {
    const { user, other } = devices
    // As of most passkeys, the counter is always 0.
    const assert = { id: user.id, count: 0 }
    const fidoSignedPayload = (isForged ? other : user).assert(
      Buffer.from(challenge, 'base64url'),
      assert,
    )
    return { signedPayloadType: 'FIDO', fidoSignedPayload }
  }
  const genericSignedPayload = signed(challenge, isForged ? otherKey : userKey)
  return { signedPayloadType: 'GENERIC', genericSignedPayload }
}

export function verificationOf({ consentId }: LinkRecord, payment: PaymentRecord): HttpRequest {
  return toAuthService('POST', '/thirdpartyRequests/verifications', {
    verificationRequestId: payment.verificationId,
    challenge: challengeOf(payment),
    consentId,
    ...payment.signed,
  })
}

/** How a payment ended, as the DFSP says. */
export function endOf({ id }: PaymentRecord, end: string, at: string): HttpRequest {
  const path = `${transactions}/${id}`
  if (end === 'COMPLETED') {
    const states = { transactionRequestState: 'ACCEPTED', transactionState: end }
    return fromDfsp('PATCH', path, { ...states, completedTimestamp: at })
  }
  if (end === 'REJECTED') {
    return fromDfsp('PATCH', path, { transactionRequestState: end, transactionState: end })
  }
  return fromDfsp('PUT', `${path}/error`, errorOf(end))
}

function errorOf(errorCode: string) {
  return { errorInformation: { errorCode, errorDescription: 'It does not succeed' } }
}

/** As an Ed25519 key signs it: the SHA-256 of the text. */
function signed(text: string, key: KeyObject): string {
  return sign(null, createHash('sha256').update(text).digest(), key).toString('base64')
}
