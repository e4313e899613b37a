/** One valid message for each operation of the Third-Party API between a PISP and a DFSP. */
import type { EndpointType, Operation } from '@causeway/fspiop'
import { headersOf, id, mediaType, type HeaderChanges, type TestMessage } from './messages.ts'

export const pisp = 'greenbank'
export const dfsp = 'bluewallet'
/** The id of a user at a DFSP. */
export const user = encodeURIComponent('amina/"1"@bankx')
export const scopes = [{ address: 'bankx.acc.000123', actions: ['ACCOUNTS_TRANSFER'] }]
export const credential = {
  credentialType: 'FIDO',
  status: 'PENDING',
  fidoPayload: {
    id: 'aWQ',
    response: { clientDataJSON: 'e30=', attestationObject: 'o2M=' },
    type: 'public-key',
  },
}
const error = { errorInformation: { errorCode: '6104', errorDescription: 'no' } }
const transactionType = { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' }
export const verification = {
  verificationRequestId: id,
  challenge: 'hAf-Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8-o',
  consentId: id,
  signedPayloadType: 'GENERIC',
  genericValue: 'c2ln',
}

export interface ThirdPartyCallback {
  readonly operation: Operation
  readonly sent: TestMessage
  /** The address to which the other FSP is sent the message. */
  readonly type: EndpointType
  /** The path of the error callback to its sender when it cannot be delivered. */
  readonly errorPath: string | undefined
}

/** Its body with blanks that no JSON writer creates: they must be preserved. */
export function thirdPartyMessage(
  operation: string,
  {
    source,
    body,
    path,
    changed = {},
  }: {
    readonly source: string
    readonly body?: object | undefined
    readonly path?: string
    readonly changed?: HeaderChanges
  },
): TestMessage {
  const [method = '', template = ''] = operation.split(' ')
  const target = path ?? template.replace('{ID}', template.startsWith('/accounts') ? user : id)
  const resource = target.split('/')[1] as Parameters<typeof mediaType>[1] & string
  const destination = source === pisp ? dfsp : pisp
  const type = mediaType('1.0', resource)
  const known = { 'fspiop-destination': destination, 'content-type': type, ...changed }
  const text = body === undefined ? {} : { body: `${JSON.stringify(body, undefined, 3)}\n` }
  return { method, path: target, headers: headersOf(method, source, known, resource), ...text }
}

function about(
  operation: Operation,
  source: string,
  type: string,
  body?: object,
): ThirdPartyCallback {
  const sent = thirdPartyMessage(operation, { source, body })
  const template = operation.slice(operation.indexOf(' ') + 1)
  const base = template.replace(/\/\{ID\}.*$/, '')
  const isError = template.endsWith('/error')
  const errorPath = isError ? undefined : `${base}/${base === '/accounts' ? user : id}/error`
  return { operation, sent, type: `TP_CB_URL_${type}` as EndpointType, errorPath }
}

const amount = { amount: '100', currency: 'USD' }
const transaction = {
  transactionRequestId: id,
  payer: {
    partyIdType: 'THIRD_PARTY_LINK',
    partyIdentifier: 'bankx.acc.000123',
    fspId: dfsp,
  },
  payee: { partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '255700000001' } },
  amountType: 'SEND',
  amount,
  transactionType,
}
const consentRequest = {
  consentRequestId: id,
  userId: 'amina@bankx',
  scopes,
  authChannels: ['WEB', 'OTP'],
  callbackUri: 'https://app.pispx.example/linked',
}
export const grant = { consentId: id, consentRequestId: id, scopes, status: 'ISSUED' }
const accepted = {
  responseType: 'ACCEPTED',
  signedPayload: { signedPayloadType: 'GENERIC', genericSignedPayload: 'c2ln' },
}
const authorization = {
  authorizationRequestId: id,
  transactionRequestId: id,
  challenge: verification.challenge,
  transactionType,
}

const transactions = '/thirdpartyRequests/transactions'
const authorizations = '/thirdpartyRequests/authorizations'
const verifications = '/thirdpartyRequests/verifications'
const account = { address: 'bankx.acc.000123', currency: 'USD' }

export const everyRelayed: readonly ThirdPartyCallback[] = [
  about('GET /accounts/{ID}', pisp, 'ACCOUNTS_GET'),
  about('PUT /accounts/{ID}', dfsp, 'ACCOUNTS_PUT', { accounts: [account] }),
  about('PUT /accounts/{ID}/error', dfsp, 'ACCOUNTS_PUT_ERROR', error),
  about('POST /consentRequests', pisp, 'CONSENT_REQUEST_POST', consentRequest),
  about('GET /consentRequests/{ID}', pisp, 'CONSENT_REQUEST_GET'),
  about('PUT /consentRequests/{ID}', dfsp, 'CONSENT_REQUEST_PUT', {
    scopes,
    authChannels: ['OTP'],
  }),
  about('PATCH /consentRequests/{ID}', pisp, 'CONSENT_REQUEST_PATCH', { authToken: '493817' }),
  about('PUT /consentRequests/{ID}/error', dfsp, 'CONSENT_REQUEST_PUT_ERROR', error),
  about('POST /consents', dfsp, 'CONSENT_POST', grant),
  about('GET /consents/{ID}', pisp, 'CONSENT_GET'),
  about('PUT /consents/{ID}', pisp, 'CONSENT_PUT', { status: 'ISSUED', scopes, credential }),
  about('PATCH /consents/{ID}', dfsp, 'CONSENT_PATCH', { credential: { status: 'VERIFIED' } }),
  about('DELETE /consents/{ID}', pisp, 'CONSENT_DELETE'),
  about('PUT /consents/{ID}/error', dfsp, 'CONSENT_PUT_ERROR', error),
  about(`POST ${transactions}`, pisp, 'TRANSACTION_REQUEST_POST', transaction),
  about(`GET ${transactions}/{ID}`, pisp, 'TRANSACTION_REQUEST_GET'),
  about(`PUT ${transactions}/{ID}`, dfsp, 'TRANSACTION_REQUEST_PUT', {
    transactionId: id,
    transactionRequestState: 'RECEIVED',
  }),
  about(`PATCH ${transactions}/{ID}`, dfsp, 'TRANSACTION_REQUEST_PATCH', {
    transactionRequestState: 'ACCEPTED',
    transactionState: 'COMPLETED',
    completedTimestamp: '2027-03-01T12:01:07.250Z',
  }),
  about(`PUT ${transactions}/{ID}/error`, dfsp, 'TRANSACTION_REQUEST_PUT_ERROR', error),
  about(`POST ${authorizations}`, dfsp, 'TRANSACTION_REQUEST_AUTH_POST', authorization),
  about(`GET ${authorizations}/{ID}`, dfsp, 'TRANSACTION_REQUEST_AUTH_GET'),
  about(`PUT ${authorizations}/{ID}`, pisp, 'TRANSACTION_REQUEST_AUTH_PUT', accepted),
  about(`PUT ${authorizations}/{ID}/error`, pisp, 'TRANSACTION_REQUEST_AUTH_PUT_ERROR', error),
  about(`POST ${verifications}`, dfsp, 'TRANSACTION_REQUEST_VERIFY_POST', verification),
  about(`GET ${verifications}/{ID}`, dfsp, 'TRANSACTION_REQUEST_VERIFY_GET'),
  about(`PUT ${verifications}/{ID}`, pisp, 'TRANSACTION_REQUEST_VERIFY_PUT', {
    authenticationResponse: 'VERIFIED',
  }),
  about(`PUT ${verifications}/{ID}/error`, pisp, 'TRANSACTION_REQUEST_VERIFY_PUT_ERROR', error),
]
