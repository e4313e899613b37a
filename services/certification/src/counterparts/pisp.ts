/**
 * The kit as a PISP at the FSP under test, a DFSP, and as the auth service that the DFSP may ask: it
 * links the user's account and requests payments from it.
 */
import { consentChallenge } from '@causeway/fspiop'
import { type Authenticator, createAuthenticator } from '@causeway/fsp'
import { randomUUID } from 'node:crypto'
import { NotRun, Unmet } from '../case.ts'
import { describe, type Kit, type Matches } from '../kit.ts'
import type { Draft } from '../message.ts'
import type { ReceivedRequest } from '../peer.ts'
import { at, ensure, is, isAnswer, need, servedOrNotRun } from '../read.ts'
import { actingPayee, type ActingPayee, answerPayment, type PayeeScript } from './payee.ts'
import { inFuture } from './payer.ts'

export interface ConsentRequest {
  readonly consentRequestId: string
  readonly scopes: readonly { readonly address: string; readonly actions: readonly string[] }[]
  readonly [member: string]: unknown
}

/** What a case does differently. */
export interface PispScript {
  /** The participant that acts as PISP; the counterparty when left out. */
  readonly pisp?: string
  /** The auth service's answer to a registration: an error in place of VERIFIED. */
  readonly registrationError?: string
  readonly verificationError?: string
  /** The answer to the terms; it accepts them when left out. */
  readonly rejects?: boolean
  readonly payee?: PayeeScript
}

export function pispOf({ settings }: Kit, { pisp = settings.counterparty }: PispScript) {
  return { from: pisp, to: settings.fsp }
}

export function userOf({ settings }: Kit): string {
  return need(settings.userId, 'no user of the FSP as a DFSP is named (--user)')
}

/** The accounts that the DFSP offers to the user. */
export async function accountsOf(kit: Kit, script: PispScript = {}): Promise<readonly unknown[]> {
  const path = `/accounts/${encodeURIComponent(userOf(kit))}`
  servedOrNotRun(await kit.send({ method: 'GET', path, ...pispOf(kit, script) }), '/accounts')
  const message = await kit.expect(`PUT ${path} with accounts`, isAnswer(path))
  const list = at(message.json, 'accounts') ?? at(message.json, 'accountList') ?? message.json
  ensure(Array.isArray(list) && list.length > 0, 'a list of accounts', describe(message))
  return list as readonly unknown[]
}

export async function newConsentRequest(
  kit: Kit,
  script: PispScript = {},
  changes: Readonly<Record<string, unknown>> = {},
): Promise<ConsentRequest> {
  const [account] = await accountsOf(kit, script)
  const address = String(at(account, 'address'))
  return {
    consentRequestId: randomUUID(),
    userId: userOf(kit),
    scopes: [{ address, actions: ['ACCOUNTS_TRANSFER'] }],
    authChannels: ['WEB', 'OTP'],
    callbackUri: kit.settings.callbackUri,
    ...changes,
  }
}

/** Sends it; resolves with PUT /consentRequests/{ID} or its error. */
export async function askForConsent(
  kit: Kit,
  request: ConsentRequest,
  script: PispScript = {},
): Promise<ReceivedRequest> {
  const path = '/consentRequests'
  const draft = { method: 'POST', path, ...pispOf(kit, script), body: request } as const
  servedOrNotRun(await kit.send(draft), path)
  return kit.expect(
    'PUT /consentRequests/{ID} or its error',
    isAnswer(`${path}/${request.consentRequestId}`),
  )
}

/** The user authenticates; resolves with the grant, POST /consents. */
export async function granted(
  kit: Kit,
  { consentRequestId }: ConsentRequest,
  script: PispScript = {},
): Promise<ReceivedRequest> {
  const triggered = kit.trigger({ action: 'authenticate', consentRequestId })
  const outcome = await triggered.outcome(kit.settings.answer_ms)
  const { authToken } = outcome ?? {}
  if (authToken === undefined) throw new NotRun('the trigger does not report the authToken')
  await kit.send({
    method: 'PATCH',
    path: `/consentRequests/${consentRequestId}`,
    ...pispOf(kit, script),
    body: { authToken },
  })
  return kit.expect('POST /consents for the PISP', isGrant(consentRequestId))
}

const isGrant =
  (consentRequestId: string): Matches =>
  (message) =>
    is('POST', '/consents')(message) &&
    at(message.json, 'consentRequestId') === consentRequestId &&
    at(message.json, 'credential') === undefined

export interface Linked {
  readonly consentId: string
  readonly address: string
  /** The device of the user, with the key of the consent. */
  readonly device: Authenticator
  /** The final PUT or PATCH /consents/{ID}, or its error. */
  readonly final: ReceivedRequest
  /** The registration at the auth service; undefined: the DFSP verifies the key itself. */
  readonly registration: ReceivedRequest | undefined
}

/** Links the user's account, from the request to the final consent. */
export async function linked(kit: Kit, script: PispScript = {}): Promise<Linked> {
  const request = await newConsentRequest(kit, script)
  const asked = await askForConsent(kit, request, script)
  ensure(!asked.path.endsWith('/error'), 'PUT /consentRequests/{ID}', describe(asked))
  const grant = await granted(kit, request, script)
  const consentId = String(at(grant.json, 'consentId'))
  const scopes = at(grant.json, 'scopes') as readonly unknown[]
  const device = createAuthenticator()
  const path = `/consents/${consentId}`
  actAsAuthService(kit, consentId, script)
  actAsLookUpService(kit)
  const challenge = consentChallenge({ consentId, scopes })
  await kit.sendExpecting(200, {
    method: 'PUT',
    path,
    ...pispOf(kit, script),
    body: {
      status: 'ISSUED',
      scopes,
      credential: {
        credentialType: 'FIDO',
        status: 'PENDING',
        fidoPayload: device.register({ challenge, origin: originOf(kit) }),
      },
    },
  })
  const final = await kit.expect(
    'the final PUT or PATCH /consents/{ID} for the PISP, or an error',
    (message) =>
      (isAnswer(path)(message) || is('PATCH', path)(message)) &&
      message.headers['fspiop-destination'] === pispOf(kit, script).from,
  )
  const registration = kit.taken.find(isRegistration(consentId))
  return { consentId, address: String(at(scopes[0], 'address')), device, final, registration }
}

/** `linked`, and the key was accepted. */
export async function linkedAndVerified(kit: Kit, script: PispScript = {}): Promise<Linked> {
  const link = await linked(kit, script)
  const status = at(link.final.json, 'credential', 'status')
  ensure(status === 'VERIFIED', 'a credential that is VERIFIED', describe(link.final))
  return link
}

/** The site of the PISP, where keys are made and used. */
function originOf({ settings }: Kit): string {
  return new URL(settings.callbackUri).origin
}

/** The same for cases about what comes after: linking has cases of its own. */
export async function linkedOrNotRun(kit: Kit, script: PispScript = {}): Promise<Linked> {
  try {
    return await linkedAndVerified(kit, script)
  } catch (error) {
    if (!(error instanceof Unmet)) throw error
    throw new NotRun(`no account could be linked: ${error.message}`)
  }
}

const isRegistration =
  (consentId: string): Matches =>
  (message) =>
    is('POST', '/consents')(message) &&
    at(message.json, 'consentId') === consentId &&
    at(message.json, 'credential') !== undefined

function actAsAuthService(kit: Kit, consentId: string, script: PispScript): void {
  const route = { from: kit.settings.authService, to: kit.settings.fsp }
  kit.on(isRegistration(consentId), ({ json }) => {
    const path = `/consents/${consentId}`
    const credential = { ...(at(json, 'credential') as object), status: 'VERIFIED' }
    const body = { scopes: at(json, 'scopes'), credential, status: 'ISSUED' }
    kit.post(
      script.registrationError === undefined
        ? { method: 'PUT', path, ...route, body }
        : errorOf(path, route, script.registrationError),
    )
  })
  kit.on(isRevocation(consentId), () => {
    const body = { status: 'REVOKED', revokedAt: new Date().toISOString() }
    kit.post({ method: 'PATCH', path: `/consents/${consentId}`, ...route, body })
  })
}

const isRevocation = (consentId: string): Matches => is('DELETE', `/consents/${consentId}`)

/** The hub's answer to associations of linked accounts. */
function actAsLookUpService(kit: Kit): void {
  const { hubName, fsp } = kit.settings
  kit.on(
    ({ method, path }) => method === 'POST' && path.startsWith('/participants/'),
    ({ path }) => kit.post({ method: 'PUT', path, from: hubName, to: fsp, body: { fspId: fsp } }),
  )
}

function errorOf(path: string, route: Pick<Draft, 'from' | 'to'>, errorCode: string): Draft {
  const errorInformation = { errorCode, errorDescription: 'Certification' }
  return { method: 'PUT', path: `${path}/error`, ...route, body: { errorInformation } }
}

export interface ThirdPartyPayment {
  readonly id: string
  readonly payee: ActingPayee
  readonly isTerms: Matches
  readonly isVerification: Matches
  /** PATCH or error: one of them ends the payment. */
  readonly isFinal: Matches
}

/** Requests a payment of the linked account to the kit's customer, and plays every other part. */
export async function requestPayment(
  kit: Kit,
  { address, device }: Pick<Linked, 'address' | 'device'>,
  script: PispScript = {},
): Promise<ThirdPartyPayment> {
  const { settings } = kit
  const id = randomUUID()
  const payee = actingPayee()
  answerPayment(kit, payee, script.payee ?? {})
  const path = `/thirdpartyRequests/transactions/${id}`
  const isTerms: Matches = (message) =>
    is('POST', '/thirdpartyRequests/authorizations')(message) &&
    at(message.json, 'transactionRequestId') === id
  const challenges = new Set<unknown>()
  const isVerification: Matches = (message) =>
    is('POST', '/thirdpartyRequests/verifications')(message) &&
    challenges.has(at(message.json, 'challenge'))
  kit.on(isTerms, ({ json }) => {
    const challenge = String(at(json, 'challenge'))
    challenges.add(challenge)
    const ceremony = { challenge: Buffer.from(challenge, 'base64url'), origin: originOf(kit) }
    const signedPayload = {
      signedPayloadType: 'FIDO',
      fidoSignedPayload: device.assert(ceremony),
    }
    kit.post({
      method: 'PUT',
      path: `/thirdpartyRequests/authorizations/${String(at(json, 'authorizationRequestId'))}`,
      ...pispOf(kit, script),
      body:
        script.rejects === true
          ? { responseType: 'REJECTED' }
          : { responseType: 'ACCEPTED', signedPayload },
    })
  })
  kit.on(isVerification, ({ json }) => {
    const about = `/thirdpartyRequests/verifications/${String(at(json, 'verificationRequestId'))}`
    const route = { from: settings.authService, to: settings.fsp }
    kit.post(
      script.verificationError === undefined
        ? { method: 'PUT', path: about, ...route, body: { authenticationResponse: 'VERIFIED' } }
        : errorOf(about, route, script.verificationError),
    )
  })
  const draft = {
    method: 'POST',
    path: '/thirdpartyRequests/transactions',
    ...pispOf(kit, script),
    body: transactionRequest(kit, id, address, payee.id),
  } as const
  servedOrNotRun(await kit.send(draft), '/thirdpartyRequests')
  return {
    id,
    payee,
    isTerms,
    isVerification,
    isFinal: (message) => is('PATCH', path)(message) || is('PUT', `${path}/error`)(message),
  }
}

export function transactionRequest({ settings }: Kit, id: string, address: string, payee: string) {
  return {
    transactionRequestId: id,
    payee: {
      partyIdInfo: {
        partyIdType: 'MSISDN',
        partyIdentifier: payee,
        fspId: settings.counterparty,
      },
    },
    payer: { partyIdType: 'THIRD_PARTY_LINK', partyIdentifier: address, fspId: settings.fsp },
    amountType: 'SEND',
    amount: { currency: settings.currency, amount: '10' },
    transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
    expiration: inFuture(settings.answer_ms + settings.silence_ms),
  }
}
