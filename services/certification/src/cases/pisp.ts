/**
 * The FSP as a PISP: the key that its user makes for a consent, and payments that the user signs. Each
 * case needs the triggers `link` and `payFromLink`.
 */
import {
  canonicalJson,
  challengeReadings,
  consentChallenge,
  consentClientChallenges,
  transactionClientChallenges,
} from '@causeway/fspiop'
import { createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto'
import { type Case, NotRun, Unmet } from '../case.ts'
import {
  type ActingDfsp,
  actingDfsp,
  linkedAtKit,
  reportedState,
  requestedFromKit,
  termsOf,
} from '../counterparts/dfsp.ts'
import { describe, type Kit } from '../kit.ts'
import type { ReceivedRequest } from '../peer.ts'
import { at, ensure, is } from '../read.ts'

const role = 'pisp' as const

/** Up to PUT /consents/{ID} with the key. */
async function credentialOf(kit: Kit): Promise<{ dfsp: ActingDfsp; message: ReceivedRequest }> {
  const dfsp = actingDfsp(kit)
  await dfsp.triggered.begun('POST /consentRequests', dfsp.isRequest)
  return { dfsp, message: await kit.expect('PUT /consents/{ID} with the key', dfsp.isCredential) }
}

const newChallenge = () => randomBytes(32).toString('base64url')

const linking: readonly Case[] = [
  {
    id: 'pisp-consent-request',
    title:
      'A consent request names user, scopes and channels, and a callbackUri where WEB is offered',
    role,
    section: 'Third-Party: linking 1.3',
    async run(kit) {
      const dfsp = actingDfsp(kit)
      const request = await dfsp.triggered.begun('POST /consentRequests', dfsp.isRequest)
      const { json } = request
      for (const name of ['consentRequestId', 'userId']) {
        ensure(typeof at(json, name) === 'string', name, describe(request))
      }
      const channels = at(json, 'authChannels')
      ensure(Array.isArray(channels) && channels.length > 0, 'authChannels', describe(request))
      const isWeb = Array.isArray(channels) && channels.includes('WEB')
      ensure(
        !isWeb || typeof at(json, 'callbackUri') === 'string',
        'a callbackUri, since WEB is offered',
        describe(request),
      )
    },
  },
  {
    id: 'pisp-token',
    title: 'The token of the user is passed on with PATCH /consentRequests/{ID}',
    role,
    section: 'Third-Party: linking 1.4',
    async run(kit) {
      const dfsp = actingDfsp(kit)
      await dfsp.triggered.begun('POST /consentRequests', dfsp.isRequest)
      const message = await kit.expect('PATCH /consentRequests/{ID}', dfsp.isToken)
      ensure(
        at(message.json, 'authToken') === dfsp.authToken,
        `authToken ${dfsp.authToken}`,
        describe(message),
      )
    },
  },
  {
    id: 'pisp-credential',
    title:
      'The key of a consent signs SHA-256 of the canonical JSON of consentId and scopes as granted',
    role,
    section: 'Third-Party: linking 1.6.1, 3.2',
    async run(kit) {
      const { dfsp, message } = await credentialOf(kit)
      const credential = at(message.json, 'credential')
      ensure(at(credential, 'status') === 'PENDING', 'status PENDING', describe(message))
      const challenge = consentChallenge({ consentId: dfsp.consentId, scopes: dfsp.scopes })
      const isRight =
        at(credential, 'credentialType') === 'FIDO'
          ? consentClientChallenges(challenge).includes(clientChallenge(payloadOf(credential)))
          : isSigned(payloadOf(credential), challenge.toString('base64url'))
      ensure(isRight, `a signature over ${challenge.toString('base64url')}`, describe(message))
    },
  },
  {
    id: 'pisp-scopes-kept',
    title: 'PUT /consents/{ID} repeats the scopes exactly as they were granted',
    role,
    section: 'Third-Party: linking 1.6.1',
    async run(kit) {
      const { dfsp, message } = await credentialOf(kit)
      const [granted, seen] = [
        canonicalJson(dfsp.scopes),
        canonicalJson(at(message.json, 'scopes')),
      ]
      ensure(seen === granted, granted, seen)
    },
  },
  {
    id: 'pisp-unlink',
    title:
      'A consent is ended with DELETE, and is revoked for the PISP with the PATCH that answers it',
    role,
    section: 'Third-Party: linking 1.7',
    async run(kit) {
      const { consentId } = await linkedAtKit(kit)
      const { counterparty, fsp } = kit.settings
      const path = `/consents/${consentId}`
      const triggered = kit.trigger({ action: 'unlink', dfspId: counterparty, consentId })
      await triggered.begun(`DELETE ${path}`, is('DELETE', path))
      const body = { status: 'REVOKED', revokedAt: new Date().toISOString() }
      await kit.sendExpecting(200, { method: 'PATCH', path, from: counterparty, to: fsp, body })
      const state = await triggered.outcome(kit.settings.answer_ms)
      if (state?.state !== undefined) ensure(state.state === 'UNLINKED', 'UNLINKED', state.state)
    },
  },
]

function payloadOf(credential: unknown): unknown {
  const { fidoPayload, genericPayload, payload } = credential as Readonly<Record<string, unknown>>
  return fidoPayload ?? genericPayload ?? payload
}

/** The challenge in the data that a FIDO key signed. */
function clientChallenge(payload: unknown): string {
  const text = Buffer.from(String(at(payload, 'response', 'clientDataJSON')), 'base64').toString()
  try {
    return String(at(JSON.parse(text) as unknown, 'challenge'))
  } catch {
    return ''
  }
}

/** Over the text of the challenge, or over the bytes that it encodes. */
function isSigned(payload: unknown, challenge: string): boolean {
  return isSignature(String(at(payload, 'signature')), String(at(payload, 'publicKey')), challenge)
}

function isSignature(signature: string, publicKey: string, challenge: string): boolean {
  const bytes = Buffer.from(signature, 'base64')
  try {
    const der = Buffer.from(publicKey, 'base64')
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    const readings = [Buffer.from(challenge), ...challengeReadings(challenge)]
    return readings.some((reading) => verify(digest, reading, key, bytes))
  } catch {
    return false
  }
}

/** PUT /thirdpartyRequests/authorizations/{ID}, an error too. */
const isAnswerTo =
  (id: string) =>
  ({ method, path }: ReceivedRequest): boolean =>
    method === 'PUT' && path.startsWith(`/thirdpartyRequests/authorizations/${id}`)

const paying: readonly Case[] = [
  {
    id: 'pisp-request',
    title: 'A payment request names the linked account as payer and the payee with its FSP',
    role,
    section: 'Third-Party: transfer 1.2.1',
    async run(kit) {
      const dfsp = await linkedAtKit(kit)
      const { request } = await requestedFromKit(kit, dfsp)
      const { json } = request
      const { counterparty } = kit.settings
      ensure(
        at(json, 'payer', 'partyIdType') === 'THIRD_PARTY_LINK',
        'a payer of the type THIRD_PARTY_LINK',
        describe(request),
      )
      ensure(
        at(json, 'payee', 'partyIdInfo', 'fspId') === counterparty,
        `fspId ${counterparty} of the payee`,
        describe(request),
      )
      for (const name of ['transactionRequestId', 'amount', 'amountType', 'transactionType']) {
        ensure(at(json, name) !== undefined, name, describe(request))
      }
    },
  },
  {
    id: 'pisp-signs',
    title: 'The user’s consent to the terms is a signature over the challenge of the DFSP',
    role,
    section: 'Third-Party: transfer 1.3.3',
    async run(kit) {
      const { dfsp, message } = await credentialOf(kit)
      await dfsp.triggered.outcome(kit.settings.answer_ms)
      const credential = at(message.json, 'credential')
      const payment = await requestedFromKit(kit, dfsp)
      const challenge = newChallenge()
      const id = await payment.askForSignature(challenge)
      const answer = await kit.expect('PUT /thirdpartyRequests/authorizations/{ID}', isAnswerTo(id))
      const signed = at(answer.json, 'signedPayload')
      ensure(
        at(answer.json, 'responseType') === 'ACCEPTED' && signed !== undefined,
        'ACCEPTED with a signedPayload',
        describe(answer),
      )
      const isRight =
        at(signed, 'signedPayloadType') === 'FIDO'
          ? transactionClientChallenges(challenge).includes(
              clientChallenge(at(signed, 'fidoSignedPayload')),
            )
          : isSignature(
              String(at(signed, 'genericSignedPayload')),
              String(at(payloadOf(credential), 'publicKey')),
              challenge,
            )
      ensure(isRight, `a signature over ${challenge} with the key of the consent`, describe(answer))
    },
  },
  {
    id: 'pisp-terms-of-stranger',
    title: 'Terms from another participant than the DFSP are not signed',
    role,
    section: 'Third-Party: transfer 1.3.2',
    async run(kit) {
      const payment = await requestedFromKit(kit, await linkedAtKit(kit))
      const { stranger, fsp } = kit.settings
      const id = randomUUID()
      await kit.send({
        method: 'POST',
        path: '/thirdpartyRequests/authorizations',
        from: stranger,
        to: fsp,
        body: termsOf(payment.request, id, newChallenge()),
      })
      await kit.expectNone(
        'ACCEPTED for a stranger',
        (message) => isAnswerTo(id)(message) && at(message.json, 'responseType') === 'ACCEPTED',
      )
    },
  },
  {
    id: 'pisp-asks-after-silence',
    title: 'Without an answer the PISP asks with GET, or sends the same request again',
    role,
    section: 'Third-Party: transfer 1.6',
    async run(kit) {
      const payment = await requestedFromKit(kit, await linkedAtKit(kit))
      const again = await kit.expect(
        'GET /thirdpartyRequests/transactions/{ID}, or the same POST',
        (message) =>
          is('GET', `/thirdpartyRequests/transactions/${payment.id}`)(message) ||
          (message !== payment.request && payment.isRequest(message)),
        kit.settings.silence_ms,
      )
      ensure(
        again.method === 'GET' || again.body.equals(payment.request.body),
        describe(payment.request),
        describe(again),
      )
    },
  },
  {
    id: 'pisp-completed',
    title: 'PATCH with ACCEPTED and COMPLETED completes the payment',
    role,
    section: 'Third-Party: transfer 1.5',
    async run(kit) {
      const payment = await requestedFromKit(kit, await linkedAtKit(kit))
      const completedTimestamp = new Date().toISOString()
      const states = { transactionRequestState: 'ACCEPTED', transactionState: 'COMPLETED' }
      await payment.send({ method: 'PATCH', body: { completedTimestamp, ...states } })
      const state = await reportedState(payment.triggered, kit.settings.answer_ms)
      ensure(state === 'COMPLETED', 'COMPLETED', state)
    },
  },
  {
    id: 'pisp-unknown-error-code',
    title: 'An error with an unknown code is accepted, and ends the payment',
    role,
    section: 'Third-Party: error codes, FSPIOP 3.3.2',
    async run(kit) {
      const payment = await requestedFromKit(kit, await linkedAtKit(kit))
      const errorInformation = { errorCode: '6299', errorDescription: 'Certification' }
      await payment.send({ method: 'PUT', isError: true, body: { errorInformation } })
      const state = await payment.triggered.outcome(kit.settings.answer_ms)
      if (state?.state === undefined) return
      ensure(state.state !== 'COMPLETED', 'a payment that failed', state.state)
    },
  },
  {
    id: 'pisp-no-outcome',
    title: 'A payment without an outcome until its expiration is a failure',
    role,
    section: 'Third-Party: transfer 1.6',
    async run(kit) {
      const { answer_ms, watch_ms } = kit.settings
      const validFor_ms = 3 * watch_ms
      const payment = await requestedFromKit(kit, await linkedAtKit(kit), { validFor_ms })
      const expired_ms = Date.parse(String(at(payment.request.json, 'expiration')))
      if (Number.isNaN(expired_ms)) throw new NotRun('the request has no expiration')
      const state = await reportedState(payment.triggered, validFor_ms + answer_ms)
      if (state === 'COMPLETED') throw new Unmet('a payment that failed', state)
      ensure(Date.now() >= expired_ms, 'no outcome before the expiration', `${state} before it`)
    },
  },
]

export const pisp: readonly Case[] = [...linking, ...paying]
