/** The kit as a DFSP, while the FSP under test links and pays as a PISP. */
import { randomUUID } from 'node:crypto'
import { NotRun } from '../case.ts'
import type { Kit, Matches, Triggered } from '../kit.ts'
import type { Draft } from '../message.ts'
import type { ReceivedRequest } from '../peer.ts'
import { at, is } from '../read.ts'
import { newNumber } from './payee.ts'

export interface ActingDfsp {
  readonly consentId: string
  readonly address: string
  readonly authToken: string
  /** The grant: the scopes as the challenge is made of them. */
  readonly scopes: readonly object[]
  readonly triggered: Triggered
  readonly isRequest: Matches
  /** PATCH /consentRequests/{ID}. */
  readonly isToken: Matches
  /** PUT /consents/{ID} with the key. */
  readonly isCredential: Matches
}

/** Has the PISP link an account, and answers each step. */
export function actingDfsp(kit: Kit): ActingDfsp {
  const { settings } = kit
  const route = { from: settings.counterparty, to: settings.fsp }
  const consentId = randomUUID()
  const address = `certifier.${newNumber()}`
  const authToken = randomUUID().replaceAll('-', '')
  // A later version of the API may define more members: the challenge has them too.
  const scopes = [{ address, actions: ['ACCOUNTS_TRANSFER'], certificationMember: 'kept' }]
  let requestId: unknown
  const isRequest: Matches = (message) =>
    is('POST', '/consentRequests')(message) && at(message.json, 'scopes', 0, 'address') === address
  const isToken: Matches = ({ method, path }) =>
    method === 'PATCH' && path === `/consentRequests/${String(requestId)}`
  const isCredential: Matches = is('PUT', `/consents/${consentId}`)

  kit.on(isRequest, ({ json }) => {
    requestId = at(json, 'consentRequestId')
    kit.post({
      method: 'PUT',
      path: `/consentRequests/${String(requestId)}`,
      ...route,
      body: {
        scopes: at(json, 'scopes'),
        authChannels: ['WEB'],
        callbackUri: at(json, 'callbackUri') ?? settings.callbackUri,
        authUri: `https://dfsp.certification.example/${String(requestId)}`,
      },
    })
  })
  kit.on(isToken, () => {
    const body = { consentId, consentRequestId: requestId, scopes, status: 'ISSUED' }
    kit.post({ method: 'POST', path: '/consents', ...route, body })
  })
  kit.on(isCredential, ({ json }) => {
    const credential = { ...(at(json, 'credential') as object), status: 'VERIFIED' }
    const body = { scopes, credential, status: 'ISSUED' }
    kit.post({ method: 'PUT', path: `/consents/${consentId}`, ...route, body })
  })
  const triggered = kit.trigger({
    action: 'link',
    dfspId: settings.counterparty,
    userId: 'certification-user',
    address,
    authToken,
  })
  return { consentId, address, authToken, scopes, triggered, isRequest, isToken, isCredential }
}

/** Resolves when the account is linked. */
export async function linkedAtKit(kit: Kit): Promise<ActingDfsp> {
  const dfsp = actingDfsp(kit)
  await dfsp.triggered.begun('POST /consentRequests', dfsp.isRequest)
  await kit.expect('PUT /consents/{ID} with the key', dfsp.isCredential)
  await dfsp.triggered.outcome(kit.settings.answer_ms)
  return dfsp
}

export interface RequestedPayment {
  readonly id: string
  readonly request: ReceivedRequest
  readonly isRequest: Matches
  readonly triggered: Triggered
  /** Asks the user for a signature over these terms; resolves with the id of the request. */
  askForSignature(challenge: string, from?: string): Promise<string>
  /** PUT, PATCH or an error about the payment. */
  send(draft: Pick<Draft, 'method' | 'body'> & { readonly isError?: boolean }): Promise<void>
}

/** Has the PISP request a payment; resolves when the request has arrived. */
export async function requestedFromKit(
  kit: Kit,
  { consentId, address }: Pick<ActingDfsp, 'consentId' | 'address'>,
  { validFor_ms }: { readonly validFor_ms?: number } = {},
): Promise<RequestedPayment> {
  const { settings } = kit
  const route = { from: settings.counterparty, to: settings.fsp }
  const number = newNumber()
  const isLookUp = is('GET', `/parties/MSISDN/${number}`)
  kit.on(isLookUp, ({ path }) => {
    const partyIdInfo = {
      partyIdType: 'MSISDN',
      partyIdentifier: number,
      fspId: settings.counterparty,
    }
    const body = { party: { partyIdInfo, name: 'Certification Payee' } }
    kit.post({ method: 'PUT', path, ...route, body })
  })
  const isRequest: Matches = (message) =>
    is('POST', '/thirdpartyRequests/transactions')(message) &&
    at(message.json, 'payer', 'partyIdentifier') === address
  const triggered = kit.trigger({
    action: 'payFromLink',
    dfspId: settings.counterparty,
    consentId,
    address,
    to: { partyIdType: 'MSISDN', partyIdentifier: number },
    amount: { currency: settings.currency, amount: '10' },
    validFor_ms: validFor_ms ?? settings.answer_ms + settings.silence_ms,
  })
  const request = await triggered.begun('POST /thirdpartyRequests/transactions', isRequest)
  const id = String(at(request.json, 'transactionRequestId'))
  const path = `/thirdpartyRequests/transactions/${id}`
  return {
    id,
    request,
    isRequest,
    triggered,
    async askForSignature(challenge, from = settings.counterparty) {
      const authorizationRequestId = randomUUID()
      await kit.sendExpecting(202, {
        method: 'POST',
        path: '/thirdpartyRequests/authorizations',
        from,
        to: settings.fsp,
        body: termsOf(request, authorizationRequestId, challenge),
      })
      return authorizationRequestId
    },
    async send({ method, body, isError = false }) {
      await kit.sendExpecting(200, {
        method,
        path: isError ? `${path}/error` : path,
        ...route,
        ...(body === undefined ? {} : { body }),
      })
    },
  }
}

export function termsOf(
  { json }: ReceivedRequest,
  authorizationRequestId: string,
  challenge: string,
) {
  const amount = at(json, 'amount') as { readonly currency: string }
  return {
    authorizationRequestId,
    transactionRequestId: at(json, 'transactionRequestId'),
    challenge,
    transferAmount: amount,
    payeeReceiveAmount: amount,
    fees: { currency: amount.currency, amount: '0' },
    payer: at(json, 'payer'),
    payee: at(json, 'payee'),
    transactionType: at(json, 'transactionType'),
    expiration: at(json, 'expiration') ?? new Date(Date.now() + 60_000).toISOString(),
  }
}

/** What the PISP reports, or the case is not run. */
export async function reportedState(triggered: Triggered, within_ms: number): Promise<string> {
  const state = (await triggered.outcome(within_ms))?.state
  if (state === undefined) throw new NotRun('the trigger does not report how it ended')
  return state
}
