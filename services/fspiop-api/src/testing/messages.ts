/** Valid messages of greenbank, the payer FSP, and bluewallet, the payee FSP; tests change them. */
import type { Resource } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'

export interface TestMessage {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Values by name; undefined omits one. */
export type HeaderChanges = Readonly<Record<string, string | undefined>>

export const id = '7d7ff5c4-8b1c-4b0f-9c7f-2f0de1f0b8a1'
export const expiration = '2030-01-01T00:00:00.000Z'
export const condition = 'YlK5TZyhflbXaDRPtR5zhCu8FrbgvrQwwmzuH0iQ0AI'
export const errorInformation = { errorCode: '5104', errorDescription: 'no' }

export function mediaType(version = '1.1', resource: Resource = 'transfers'): string {
  return `application/vnd.interoperability.${resource}+json;version=${version}`
}

export function headersOf(
  method: string,
  source: string,
  changed: HeaderChanges = {},
  resource: Resource = 'transfers',
): Record<string, string> {
  const all = {
    'content-type': mediaType('1.1', resource),
    date: 'Sat, 21 Nov 2026 10:00:00 GMT',
    'fspiop-source': source,
    accept: method === 'PUT' || method === 'PATCH' ? undefined : mediaType('1', resource),
    ...changed,
  }
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** A message to the other FSP; without a body when none is given. */
export function message(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  changed: HeaderChanges = {},
): TestMessage {
  const resource = path.split(/[/?]/)[1] as Resource
  const source = sourceOf(method, resource)
  const destination = source === 'greenbank' ? 'bluewallet' : 'greenbank'
  const known = { 'fspiop-destination': destination, ...changed }
  return {
    method,
    path,
    headers: headersOf(method, source, known, resource),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
}

/** The same message with these headers changed. */
export function withHeaders(sent: TestMessage, changed: HeaderChanges): TestMessage {
  const all = Object.entries({ ...sent.headers, ...changed })
  const headers = Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return { ...sent, headers }
}

/** The same message with these members of its body changed; `undefined` omits one. */
export function withMembers(
  sent: TestMessage,
  changed: Readonly<Record<string, unknown>>,
): TestMessage {
  const body = JSON.parse(String(sent.body)) as object
  return { ...sent, body: JSON.stringify({ ...body, ...changed }) }
}

/** Requests of a payment are sent by the payer FSP, except the request to pay. */
function sourceOf(method: string, resource: Resource): string {
  const asks = method !== 'PUT'
  const fromPayee = resource === 'transactionRequests'
  return asks === fromPayee ? 'bluewallet' : 'greenbank'
}

const payerInfo = { partyIdType: 'MSISDN', partyIdentifier: '987654321', fspId: 'greenbank' }
const payeeInfo = { partyIdType: 'MSISDN', partyIdentifier: '123456789', fspId: 'bluewallet' }
const usd = (amount: string) => ({ currency: 'USD', amount })
const transactionType = { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' }

export const quoteRequest = {
  quoteId: id,
  transactionId: '3f1c2a90-5b7e-4d21-9c44-0a6be2f1d7c5',
  payee: { partyIdInfo: payeeInfo, name: 'Ana Silva' },
  payer: { partyIdInfo: payerInfo },
  amountType: 'SEND',
  amount: usd('99'),
  transactionType,
  expiration,
}

export const quoteAnswer = {
  transferAmount: usd('99'),
  payeeReceiveAmount: usd('98'),
  payeeFspFee: usd('1'),
  expiration,
  ilpPacket: 'DIICzQAAAAAAAADIMjAzMDAxMDEwMDAwMDAwMDA',
  condition,
}

export const partyAnswer = { party: { partyIdInfo: payeeInfo, name: 'Ana Silva' } }

export const transactionRequest = {
  transactionRequestId: id,
  payee: { partyIdInfo: payeeInfo },
  payer: payerInfo,
  amount: usd('99'),
  transactionType: { scenario: 'PAYMENT', initiator: 'PAYEE', initiatorType: 'BUSINESS' },
  expiration,
}

export const transferFulfilment = {
  fulfilment: 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA',
  completedTimestamp: '2026-11-21T10:00:00.000Z',
  transferState: 'COMMITTED',
}

export const participantsRequest = {
  requestId: id,
  partyList: [
    {
      partyIdType: 'PERSONAL_ID',
      partyIdentifier: 'A12345',
      partySubIdOrType: 'PASSPORT',
      fspId: 'greenbank',
    },
    { partyIdType: 'UNHEARD_OF', partyIdentifier: '1' },
  ],
  currency: 'USD',
}

/** A POST /transfers; `undefined` omits a member. */
export function transferBody(changed: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    transferId: randomUUID(),
    payeeFsp: 'bluewallet',
    payerFsp: 'greenbank',
    amount: usd('99'),
    ilpPacket: 'DIICzQAAAAAAAADIMjAzMDAxMDEwMDAwMDAwMDA',
    condition,
    expiration,
    ...changed,
  })
}
