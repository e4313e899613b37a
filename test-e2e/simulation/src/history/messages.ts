/** Messages of FSPs, as the FSPIOP API has them, and what callbacks say. */
import { conditionOf, type ErrorInformation, type ExtensionList } from '@causeway/fspiop'
import type { HttpRequest } from '@causeway/http'
import { now_ms } from '../virtual/world.ts'
import type { Currency } from './plan/currencies.ts'
import { pisp } from './plan/link-plan.ts'
import { extended, isSameList, listOf } from './plan/lists.ts'
import { fsps } from './plan/plan.ts'
import type { End, PayeeMessage, TransferRecord } from './record.ts'

const fulfilment = Buffer.alloc(32, 7).toString('base64url')
const wrongFulfilment = Buffer.alloc(32, 8).toString('base64url')
const condition = conditionOf(fulfilment)
const ilpPacket = 'DIICzQAAAAAAAADIMjAzMDAxMDEwMDAwMDAwMDA'
const firstPort = 7_001
const partyType = 'MSISDN'
/** The resources of the Third-Party API. */
const thirdParty: ReadonlySet<string> = new Set([
  'consentRequests',
  'consents',
  'thirdpartyRequests',
])

/** In the order of their ports. */
const participants = [...fsps, pisp] as const

/** Where the hub sends the callbacks of a participant. */
export function callbackUrlOf(participant: (typeof participants)[number]): string {
  return `http://127.0.0.1:${firstPort + participants.indexOf(participant)}`
}

/** Whether a path is one of the Third-Party API. */
export function isThirdParty({ pathname }: URL): boolean {
  return thirdParty.has(pathname.split('/')[1] ?? '')
}

/** How a payee FSP refuses. */
export const refusedByPayee = {
  errorCode: '5104',
  errorDescription: 'Payee rejected transaction',
} as const

/** What each item of a bulk has. */
export const termsOfItem = { ilpPacket, condition } as const

export function priceOf(amount: string, currency: Currency = 'USD') {
  return { amount, currency }
}

export function fulfilmentOf(kind: 'FULFIL' | 'WRONG'): string {
  return kind === 'FULFIL' ? fulfilment : wrongFulfilment
}

/** The participant at an address. */
export function fspAt({ port }: URL): string {
  return participants[Number(port) - firstPort] ?? 'nobody'
}

/** Each FSP holds one party; nobody holds one as well. */
export function partyOf(fsp: string): string {
  return `12025550${100 + fsps.indexOf(fsp as (typeof fsps)[number])}`
}

export function registrationOf(fsp: string): HttpRequest {
  const path = `/participants/${partyType}/${partyOf(fsp)}`
  return messageOf('POST', path, fsp, undefined, { fspId: fsp, currency: 'USD' })
}

export function lookupOf({ planned: { payer, payee } }: TransferRecord): HttpRequest {
  return messageOf('GET', `/parties/${partyType}/${partyOf(payee)}`, payer, undefined)
}

export function partyAnswerOf({ planned: { payer, payee } }: TransferRecord): HttpRequest {
  const identifier = partyOf(payee)
  return messageOf('PUT', `/parties/${partyType}/${identifier}`, payee, payer, {
    party: {
      partyIdInfo: { partyIdType: partyType, partyIdentifier: identifier, fspId: payee },
      name: 'Ana Silva',
    },
  })
}

export function quoteOf(
  { planned: { payer, payee, amount, currency } }: TransferRecord,
  quoteId: string,
  transactionId: string,
): HttpRequest {
  const party = (fspId: string) => ({
    partyIdType: partyType,
    partyIdentifier: partyOf(fspId),
    fspId,
  })
  return messageOf('POST', '/quotes', payer, payee, {
    quoteId,
    transactionId,
    payee: { partyIdInfo: party(payee) },
    payer: { partyIdInfo: party(payer) },
    amountType: 'SEND',
    amount: priceOf(amount, currency),
    transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
  })
}

export function termsOf(
  { planned: { payer, payee, amount, currency } }: TransferRecord,
  quoteId: string,
  expires_ms: number,
): HttpRequest {
  return messageOf('PUT', `/quotes/${quoteId}`, payee, payer, {
    transferAmount: priceOf(amount, currency),
    expiration: new Date(expires_ms).toISOString(),
    ilpPacket,
    condition,
  })
}

export function prepareOf(
  { id, planned: { payer, payee, amount, currency, lists }, expires_ms }: TransferRecord,
  isOther: boolean,
): HttpRequest {
  return messageOf('POST', '/transfers', payer, payee, {
    transferId: id,
    payerFsp: payer,
    payeeFsp: payee,
    amount: priceOf(isOther ? '3' : amount, currency),
    ilpPacket,
    condition,
    expiration: new Date(expires_ms).toISOString(),
    ...extended(listOf(lists, 'PAYER')),
  })
}

export function answerOf(
  { id, planned: { payer, payee, lists } }: TransferRecord,
  kind: PayeeMessage['kind'],
  isReserved: boolean,
): HttpRequest {
  const list = extended(listOf(lists, 'PAYEE'))
  if (kind === 'REJECT') {
    return messageOf('PUT', `/transfers/${id}/error`, payee, payer, {
      errorInformation: { ...refusedByPayee, ...list },
    })
  }
  return messageOf('PUT', `/transfers/${id}`, payee, payer, {
    fulfilment: fulfilmentOf(kind),
    completedTimestamp: new Date(now_ms()).toISOString(),
    transferState: isReserved ? 'RESERVED' : 'COMMITTED',
    ...list,
  })
}

export function messageOf(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  source: string,
  destination: string | undefined,
  body?: object,
): HttpRequest {
  const [, resource = ''] = url.split('/')
  const version = thirdParty.has(resource) ? '1.0' : '1.1'
  const mediaType = `application/vnd.interoperability.${resource}+json;version=${version}`
  const headers = {
    ...(method === 'PUT' ? {} : { accept: mediaType }),
    'content-type': mediaType,
    date: new Date(now_ms()).toUTCString(),
    'fspiop-source': source,
    ...(destination === undefined ? {} : { 'fspiop-destination': destination }),
  }
  if (body === undefined) return { method, url, headers }
  return { method, url, headers, body: Buffer.from(JSON.stringify(body)) }
}

interface CallbackBody {
  readonly transferId?: string
  readonly quoteId?: string
  readonly transferState?: string
  readonly errorInformation?: ErrorInformation
  readonly extensionList?: ExtensionList
}

export interface Callback {
  readonly to: string
  readonly resource: 'parties' | 'quotes' | 'transfers'
  /** The id of the transfer or quote, or the identifier of the party. */
  readonly about: string
  /** Whether it asks the FSP, and does not answer it. */
  readonly asks: boolean
  readonly isError: boolean
  /** Undefined: it says nothing about the end of a transfer. */
  readonly end: End | undefined
  /** Of the message, or of its error. */
  readonly list: ExtensionList | undefined
}

/** Undefined: it is about something else. */
export function callbackIn({ method, url, body }: HttpRequest): Callback | undefined {
  const address = new URL(url)
  const [, resource, first = '', second = ''] = address.pathname.split('/')
  if (resource !== 'parties' && resource !== 'quotes' && resource !== 'transfers') return undefined
  const text = body?.toString() ?? ''
  const content = JSON.parse(text === '' ? '{}' : text) as CallbackBody
  const ofPath = resource === 'parties' ? second : first
  return {
    to: fspAt(address),
    resource,
    about: content.transferId ?? content.quoteId ?? ofPath,
    asks: method === 'POST' || method === 'GET',
    isError: content.errorInformation !== undefined,
    end: endIn(content),
    list: content.extensionList ?? content.errorInformation?.extensionList,
  }
}

/**
 * Whether a callback about a transfer has the list that the FSP at the other end has written. What answers
 * a repeated request has none.
 */
export function hasItsList(
  { planned: { payer, lists, again }, prepare }: TransferRecord,
  { asks, to, end, list }: Callback,
): boolean {
  if (asks) return isSameList(list, listOf(lists, 'PAYER'))
  const isOfPayee = end === 'COMMITTED' || end === 'REJECTED'
  const isRepeated = again.length > 0 || prepare.received_ms.length > 1
  if (to !== payer || !isOfPayee || (isRepeated && list === undefined)) return true
  return isSameList(list, listOf(lists, 'PAYEE'))
}

const endsOfCodes: Readonly<Record<string, End>> = {
  '3000': 'NOT_TAKEN',
  '3100': 'INVALID',
  '3203': 'UNKNOWN_PAYEE',
  '3303': 'EXPIRED',
  '4001': 'NO_COVER',
  '4200': 'CAP_REACHED',
  '5104': 'REJECTED',
}

function endIn({ transferState, errorInformation }: CallbackBody): End | undefined {
  if (errorInformation !== undefined) return endsOfCodes[errorInformation.errorCode]
  return transferState === 'COMMITTED' || transferState === 'ABORTED' ? transferState : undefined
}
