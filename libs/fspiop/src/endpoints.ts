/**
 * Callback addresses of FSPs: the closed list of endpoint types, the address of a registered value, and
 * the type of each operation.
 */
import { baseAddressFault, mailAddressFault, webAddressFault } from './addresses.ts'
import type { Resource } from './resources.ts'
import { routes, type Operation, type PathParameters } from './routes.ts'

const callbackUrlTypes = [
  'FSPIOP_CALLBACK_URL_PARTICIPANT_PUT',
  'FSPIOP_CALLBACK_URL_PARTICIPANT_PUT_ERROR',
  'FSPIOP_CALLBACK_URL_PARTICIPANT_DELETE',
  'FSPIOP_CALLBACK_URL_PARTICIPANT_SUB_ID_PUT',
  'FSPIOP_CALLBACK_URL_PARTICIPANT_SUB_ID_PUT_ERROR',
  'FSPIOP_CALLBACK_URL_PARTICIPANT_SUB_ID_DELETE',
  'FSPIOP_CALLBACK_URL_PARTICIPANT_BATCH_PUT',
  'FSPIOP_CALLBACK_URL_PARTICIPANT_BATCH_PUT_ERROR',
  'FSPIOP_CALLBACK_URL_PARTIES_GET',
  'FSPIOP_CALLBACK_URL_PARTIES_PUT',
  'FSPIOP_CALLBACK_URL_PARTIES_PUT_ERROR',
  'FSPIOP_CALLBACK_URL_PARTIES_SUB_ID_GET',
  'FSPIOP_CALLBACK_URL_PARTIES_SUB_ID_PUT',
  'FSPIOP_CALLBACK_URL_PARTIES_SUB_ID_PUT_ERROR',
  'FSPIOP_CALLBACK_URL_TRANSFER_POST',
  'FSPIOP_CALLBACK_URL_TRANSFER_PUT',
  'FSPIOP_CALLBACK_URL_TRANSFER_ERROR',
  'FSPIOP_CALLBACK_URL_BULK_TRANSFER_POST',
  'FSPIOP_CALLBACK_URL_BULK_TRANSFER_PUT',
  'FSPIOP_CALLBACK_URL_BULK_TRANSFER_ERROR',
  'FSPIOP_CALLBACK_URL_FX_TRANSFER_POST',
  'FSPIOP_CALLBACK_URL_FX_TRANSFER_PUT',
  'FSPIOP_CALLBACK_URL_FX_TRANSFER_ERROR',
  'ALARM_NOTIFICATION_URL',
] as const

/** The path of the resource is appended to their values. */
const baseUrlTypes = [
  'FSPIOP_CALLBACK_URL',
  'FSPIOP_CALLBACK_URL_QUOTES',
  'FSPIOP_CALLBACK_URL_BULK_QUOTES',
  'FSPIOP_CALLBACK_URL_FX_QUOTES',
  'FSPIOP_CALLBACK_URL_TRX_REQ_SERVICE',
  'FSPIOP_CALLBACK_URL_AUTHORIZATIONS',
] as const

/**
 * Base addresses of the Third-Party API. TP_CB_URL_SERVICES_GET and the three before the last four are
 * accepted because scripts register them; nothing is sent there: the hub itself answers GET /services.
 */
const thirdPartyUrlTypes = [
  'TP_CB_URL_SERVICES_GET',
  'TP_CB_URL_SERVICES_PUT',
  'TP_CB_URL_SERVICES_PUT_ERROR',
  'TP_CB_URL_ACCOUNTS_GET',
  'TP_CB_URL_ACCOUNTS_PUT',
  'TP_CB_URL_ACCOUNTS_PUT_ERROR',
  'TP_CB_URL_CONSENT_REQUEST_POST',
  'TP_CB_URL_CONSENT_REQUEST_PUT',
  'TP_CB_URL_CONSENT_REQUEST_PUT_ERROR',
  'TP_CB_URL_CONSENT_REQUEST_PATCH',
  'TP_CB_URL_CONSENT_POST',
  'TP_CB_URL_CONSENT_GET',
  'TP_CB_URL_CONSENT_PUT',
  'TP_CB_URL_CONSENT_PUT_ERROR',
  'TP_CB_URL_CONSENT_PATCH',
  'TP_CB_URL_TRANSACTION_REQUEST_GET',
  'TP_CB_URL_TRANSACTION_REQUEST_POST',
  'TP_CB_URL_TRANSACTION_REQUEST_PUT',
  'TP_CB_URL_TRANSACTION_REQUEST_PUT_ERROR',
  'TP_CB_URL_TRANSACTION_REQUEST_PATCH',
  'TP_CB_URL_TRANSACTION_REQUEST_AUTH_POST',
  'TP_CB_URL_TRANSACTION_REQUEST_AUTH_PUT',
  'TP_CB_URL_TRANSACTION_REQUEST_AUTH_PUT_ERROR',
  'TP_CB_URL_TRANSACTION_REQUEST_VERIFY_POST',
  'TP_CB_URL_TRANSACTION_REQUEST_VERIFY_PUT',
  'TP_CB_URL_TRANSACTION_REQUEST_VERIFY_PUT_ERROR',
  'TP_CB_URL_CREATE_CREDENTIAL_POST',
  'TP_CB_URL_CONSENT_GENERATE_CHALLENGE_POST',
  'TP_CB_URL_CONSENT_GENERATE_CHALLENGE_PUT_ERROR',
  'TP_CB_URL_CONSENT_DELETE',
  'TP_CB_URL_CONSENT_REQUEST_GET',
  'TP_CB_URL_TRANSACTION_REQUEST_AUTH_GET',
  'TP_CB_URL_TRANSACTION_REQUEST_VERIFY_GET',
] as const

/** Their value is an e-mail address. */
const emailTypes = [
  'NET_DEBIT_CAP_THRESHOLD_BREACH_EMAIL',
  'NET_DEBIT_CAP_ADJUSTMENT_EMAIL',
  'SETTLEMENT_TRANSFER_POSITION_CHANGE_EMAIL',
  'ALARM_NOTIFICATION_EMAIL',
  'END_OF_DAY_REPORT_EMAIL',
] as const

/** Their value is a name. */
const topicTypes = ['ALARM_NOTIFICATION_TOPIC'] as const

export const endpointTypes = [
  ...callbackUrlTypes,
  ...baseUrlTypes,
  ...thirdPartyUrlTypes,
  ...emailTypes,
  ...topicTypes,
] as const

export type EndpointType = (typeof endpointTypes)[number]

const allTypes: ReadonlySet<string> = new Set(endpointTypes)
const bases: ReadonlySet<string> = new Set([...baseUrlTypes, ...thirdPartyUrlTypes])
const emails: ReadonlySet<string> = new Set(emailTypes)
const topics: ReadonlySet<string> = new Set(topicTypes)

export function isEndpointType(text: string): text is EndpointType {
  return allTypes.has(text)
}

/** Whether the value of this type is a base address, to which the path is appended. */
export function isBaseUrlType(type: EndpointType): boolean {
  return bases.has(type)
}

const value_max = 1024
const variablePattern = /\{\{\s*([A-Za-z]+)\s*\}\}/g
const topicPattern = /^[\w.-]{1,1024}$/

/**
 * Why the value can never work for the type, as a phrase that follows "value"; undefined for one that can be
 * registered: an absolute http or https address, to which paths can be appended where the type demands it,
 * with variables that a message to it has; an e-mail address for the e-mail types.
 */
export function endpointValueFault(type: EndpointType, value: string): string | undefined {
  if (emails.has(type)) return mailAddressFault(value)
  if (topics.has(type)) return topicPattern.test(value) ? undefined : 'must be the name of a topic'
  const plain = value.replace(variablePattern, 'x')
  if (/[{}]/.test(plain)) return 'has a brace outside of a variable such as {{id}}'
  const names = variablesIn(value)
  const unknown = names.find((name) => !variablesOf(type).has(name))
  if (unknown !== undefined) return `has the unknown variable {{${unknown}}}`
  if (value.length > value_max) return `has more than ${value_max} characters`
  const isBase = names.length === 0 && isBaseUrlType(type)
  return isBase ? baseAddressFault(plain) : webAddressFault(plain)
}

function variablesIn(template: string): readonly string[] {
  return Array.from(template.matchAll(variablePattern), ([, name = '']) => name)
}

/**
 * The template with its double-brace variables filled in, percent-encoded; `undefined` when it has a
 * variable without a value.
 */
export function fillTemplate(
  template: string,
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const known = variablesIn(template).every(
    (name) => Object.hasOwn(variables, name) && variables[name] !== undefined,
  )
  if (!known) return undefined
  return template.replace(variablePattern, (_, name: string) =>
    encodeURIComponent(variables[name] ?? ''),
  )
}

/**
 * The address of a callback. The path (from the resource name on, with its query) is appended to values
 * of base-address types; all others, and a base with variables, are filled in. When the resulting
 * address ends in the path, the path is used exactly as given, with its query, because a signature
 * covers it.
 */
export function callbackUrl(
  type: EndpointType,
  value: string,
  path: string,
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (isBaseUrlType(type) && !value.includes('{{')) return baseOf(type, value, path) + path
  const url = fillTemplate(value, variables)
  if (url === undefined || url.endsWith(path)) return url
  const encoded = encodedPath(path)
  return encoded !== undefined && url.endsWith(encoded) ? url.slice(0, -encoded.length) + path : url
}

const thirdPartyUrls: ReadonlySet<string> = new Set(thirdPartyUrlTypes)
const collectionPattern = /^\/(?:thirdpartyRequests\/)?[A-Za-z]+/

/** Values of the Third-Party API may end in the resource already, which is then not appended again. */
function baseOf(type: EndpointType, value: string, path: string): string {
  const base = value.replace(/(?<!\/)\/+$/, '')
  if (!thirdPartyUrls.has(type)) return base
  const collection = collectionPattern.exec(path)?.[0] ?? ''
  return base.endsWith(collection) ? base.slice(0, base.length - collection.length) : base
}

/** The path in the encoding of `fillTemplate`, without its query. */
function encodedPath(path: string): string | undefined {
  const [withoutQuery = ''] = path.split('?')
  try {
    return withoutQuery
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
      .join('/')
  } catch {
    return undefined
  }
}

const byOperation: Readonly<Partial<Record<Operation, EndpointType>>> = {
  'PUT /participants/{ID}': 'FSPIOP_CALLBACK_URL_PARTICIPANT_BATCH_PUT',
  'PUT /participants/{ID}/error': 'FSPIOP_CALLBACK_URL_PARTICIPANT_BATCH_PUT_ERROR',
  'PUT /participants/{Type}/{ID}': 'FSPIOP_CALLBACK_URL_PARTICIPANT_PUT',
  'PUT /participants/{Type}/{ID}/error': 'FSPIOP_CALLBACK_URL_PARTICIPANT_PUT_ERROR',
  'PUT /participants/{Type}/{ID}/{SubId}': 'FSPIOP_CALLBACK_URL_PARTICIPANT_SUB_ID_PUT',
  'PUT /participants/{Type}/{ID}/{SubId}/error': 'FSPIOP_CALLBACK_URL_PARTICIPANT_SUB_ID_PUT_ERROR',
  'GET /parties/{Type}/{ID}': 'FSPIOP_CALLBACK_URL_PARTIES_GET',
  'PUT /parties/{Type}/{ID}': 'FSPIOP_CALLBACK_URL_PARTIES_PUT',
  'PUT /parties/{Type}/{ID}/error': 'FSPIOP_CALLBACK_URL_PARTIES_PUT_ERROR',
  'GET /parties/{Type}/{ID}/{SubId}': 'FSPIOP_CALLBACK_URL_PARTIES_SUB_ID_GET',
  'PUT /parties/{Type}/{ID}/{SubId}': 'FSPIOP_CALLBACK_URL_PARTIES_SUB_ID_PUT',
  'PUT /parties/{Type}/{ID}/{SubId}/error': 'FSPIOP_CALLBACK_URL_PARTIES_SUB_ID_PUT_ERROR',
  'POST /transactionRequests': 'FSPIOP_CALLBACK_URL_TRX_REQ_SERVICE',
  'GET /transactionRequests/{ID}': 'FSPIOP_CALLBACK_URL_TRX_REQ_SERVICE',
  'PUT /transactionRequests/{ID}': 'FSPIOP_CALLBACK_URL_TRX_REQ_SERVICE',
  'PUT /transactionRequests/{ID}/error': 'FSPIOP_CALLBACK_URL_TRX_REQ_SERVICE',
  'POST /quotes': 'FSPIOP_CALLBACK_URL_QUOTES',
  'GET /quotes/{ID}': 'FSPIOP_CALLBACK_URL_QUOTES',
  'PUT /quotes/{ID}': 'FSPIOP_CALLBACK_URL_QUOTES',
  'PUT /quotes/{ID}/error': 'FSPIOP_CALLBACK_URL_QUOTES',
  'GET /authorizations/{ID}': 'FSPIOP_CALLBACK_URL_AUTHORIZATIONS',
  'PUT /authorizations/{ID}': 'FSPIOP_CALLBACK_URL_AUTHORIZATIONS',
  'PUT /authorizations/{ID}/error': 'FSPIOP_CALLBACK_URL_AUTHORIZATIONS',
  'POST /transfers': 'FSPIOP_CALLBACK_URL_TRANSFER_POST',
  'PUT /transfers/{ID}': 'FSPIOP_CALLBACK_URL_TRANSFER_PUT',
  'PATCH /transfers/{ID}': 'FSPIOP_CALLBACK_URL_TRANSFER_PUT',
  'PUT /transfers/{ID}/error': 'FSPIOP_CALLBACK_URL_TRANSFER_ERROR',
  // No type is published for transactions; the base of the transaction requests serves them.
  'GET /transactions/{ID}': 'FSPIOP_CALLBACK_URL_TRX_REQ_SERVICE',
  'PUT /transactions/{ID}': 'FSPIOP_CALLBACK_URL_TRX_REQ_SERVICE',
  'PUT /transactions/{ID}/error': 'FSPIOP_CALLBACK_URL_TRX_REQ_SERVICE',
  // No type is published for pings either; each FSP has a base for quotes.
  'PUT /pings/{ID}': 'FSPIOP_CALLBACK_URL_QUOTES',
  'POST /bulkQuotes': 'FSPIOP_CALLBACK_URL_BULK_QUOTES',
  'GET /bulkQuotes/{ID}': 'FSPIOP_CALLBACK_URL_BULK_QUOTES',
  'PUT /bulkQuotes/{ID}': 'FSPIOP_CALLBACK_URL_BULK_QUOTES',
  'PUT /bulkQuotes/{ID}/error': 'FSPIOP_CALLBACK_URL_BULK_QUOTES',
  'PUT /services/{ServiceType}': 'TP_CB_URL_SERVICES_PUT',
  'PUT /services/{ServiceType}/error': 'TP_CB_URL_SERVICES_PUT_ERROR',
  'GET /accounts/{ID}': 'TP_CB_URL_ACCOUNTS_GET',
  'PUT /accounts/{ID}': 'TP_CB_URL_ACCOUNTS_PUT',
  'PUT /accounts/{ID}/error': 'TP_CB_URL_ACCOUNTS_PUT_ERROR',
  'POST /consentRequests': 'TP_CB_URL_CONSENT_REQUEST_POST',
  'GET /consentRequests/{ID}': 'TP_CB_URL_CONSENT_REQUEST_GET',
  'PUT /consentRequests/{ID}': 'TP_CB_URL_CONSENT_REQUEST_PUT',
  'PATCH /consentRequests/{ID}': 'TP_CB_URL_CONSENT_REQUEST_PATCH',
  'PUT /consentRequests/{ID}/error': 'TP_CB_URL_CONSENT_REQUEST_PUT_ERROR',
  'POST /consents': 'TP_CB_URL_CONSENT_POST',
  'GET /consents/{ID}': 'TP_CB_URL_CONSENT_GET',
  'PUT /consents/{ID}': 'TP_CB_URL_CONSENT_PUT',
  'PATCH /consents/{ID}': 'TP_CB_URL_CONSENT_PATCH',
  'DELETE /consents/{ID}': 'TP_CB_URL_CONSENT_DELETE',
  'PUT /consents/{ID}/error': 'TP_CB_URL_CONSENT_PUT_ERROR',
  'POST /thirdpartyRequests/transactions': 'TP_CB_URL_TRANSACTION_REQUEST_POST',
  'GET /thirdpartyRequests/transactions/{ID}': 'TP_CB_URL_TRANSACTION_REQUEST_GET',
  'PUT /thirdpartyRequests/transactions/{ID}': 'TP_CB_URL_TRANSACTION_REQUEST_PUT',
  'PATCH /thirdpartyRequests/transactions/{ID}': 'TP_CB_URL_TRANSACTION_REQUEST_PATCH',
  'PUT /thirdpartyRequests/transactions/{ID}/error': 'TP_CB_URL_TRANSACTION_REQUEST_PUT_ERROR',
  'POST /thirdpartyRequests/authorizations': 'TP_CB_URL_TRANSACTION_REQUEST_AUTH_POST',
  'GET /thirdpartyRequests/authorizations/{ID}': 'TP_CB_URL_TRANSACTION_REQUEST_AUTH_GET',
  'PUT /thirdpartyRequests/authorizations/{ID}': 'TP_CB_URL_TRANSACTION_REQUEST_AUTH_PUT',
  'PUT /thirdpartyRequests/authorizations/{ID}/error':
    'TP_CB_URL_TRANSACTION_REQUEST_AUTH_PUT_ERROR',
  'POST /thirdpartyRequests/verifications': 'TP_CB_URL_TRANSACTION_REQUEST_VERIFY_POST',
  'GET /thirdpartyRequests/verifications/{ID}': 'TP_CB_URL_TRANSACTION_REQUEST_VERIFY_GET',
  'PUT /thirdpartyRequests/verifications/{ID}': 'TP_CB_URL_TRANSACTION_REQUEST_VERIFY_PUT',
  'PUT /thirdpartyRequests/verifications/{ID}/error':
    'TP_CB_URL_TRANSACTION_REQUEST_VERIFY_PUT_ERROR',
  'POST /bulkTransfers': 'FSPIOP_CALLBACK_URL_BULK_TRANSFER_POST',
  'PUT /bulkTransfers/{ID}': 'FSPIOP_CALLBACK_URL_BULK_TRANSFER_PUT',
  'PUT /bulkTransfers/{ID}/error': 'FSPIOP_CALLBACK_URL_BULK_TRANSFER_ERROR',
}

/** The endpoint type of an operation; `undefined` for operations that are never sent to an FSP. */
export function endpointTypeOf(operation: Operation): EndpointType | undefined {
  return byOperation[operation]
}

/** The address for all callbacks without their own, when an FSP has registered it. */
const baseType = 'FSPIOP_CALLBACK_URL' satisfies EndpointType

/** No type is published for these, so another one of the same resource is used. */
const fallbackTypes: Readonly<Partial<Record<EndpointType, EndpointType>>> = {
  TP_CB_URL_CONSENT_DELETE: 'TP_CB_URL_CONSENT_PUT',
  TP_CB_URL_CONSENT_REQUEST_GET: 'TP_CB_URL_CONSENT_REQUEST_POST',
  TP_CB_URL_TRANSACTION_REQUEST_AUTH_GET: 'TP_CB_URL_TRANSACTION_REQUEST_AUTH_POST',
  TP_CB_URL_TRANSACTION_REQUEST_VERIFY_GET: 'TP_CB_URL_TRANSACTION_REQUEST_VERIFY_POST',
}

/** A fallback type is used as a base address only: its template is for another operation. */
function typeFor(endpoints: ReadonlyMap<string, string>, ownType: EndpointType): EndpointType {
  if (endpoints.has(ownType)) return ownType
  const standIn = fallbackTypes[ownType]
  const value = standIn === undefined ? undefined : endpoints.get(standIn)
  return standIn === undefined || value === undefined || value.includes('{{') ? baseType : standIn
}

/**
 * The address of a callback from an FSP's registered values (by endpoint type): that of the operation's
 * own type, else that of its fallback type, else the base address with the path appended. `undefined`
 * when there is none, or when the result is not an address; the FSP then cannot be reached, and the
 * sender receives 3201. `path` begins with the resource name and includes the query.
 */
export function callbackAddress(
  endpoints: ReadonlyMap<string, string>,
  operation: Operation,
  path: string,
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const ownType = endpointTypeOf(operation)
  if (ownType === undefined) return undefined
  const type = typeFor(endpoints, ownType)
  const value = endpoints.get(type)
  const url = value === undefined ? undefined : callbackUrl(type, value, path, variables)
  return url !== undefined && URL.canParse(url) ? url : undefined
}

/**
 * The variables of registered templates, from the parameters of a path: the identifiers of a party, or
 * the id under the name of its resource; always also as `id` and `ID`, which any template may use.
 */
export function templateVariables(
  resource: Resource,
  { Type, ID, SubId, ServiceType }: PathParameters,
): Readonly<Record<string, string>> {
  if (ServiceType !== undefined) return { ServiceType }
  if (ID === undefined) return {}
  const any = { id: ID, ID }
  if (Type !== undefined) {
    const party = { partyIdType: Type, partyIdentifier: ID }
    return { ...any, ...party, ...(SubId === undefined ? {} : { partySubIdOrType: SubId }) }
  }
  const ownName = ownNames[resource]
  return ownName === undefined ? any : { ...any, [ownName]: ID }
}

/** The further name of the id of a resource. */
const ownNames: Readonly<Partial<Record<Resource, string>>> = {
  participants: 'requestId',
  transfers: 'transferId',
  quotes: 'quoteId',
  bulkQuotes: 'bulkQuoteId',
}

/** The variables of the messages to the addresses of a type; of any message where none is its own. */
const namesByType: ReadonlyMap<EndpointType | undefined, ReadonlySet<string>> = (() => {
  const byType = new Map<EndpointType | undefined, Set<string>>()
  for (const { resource, methods, template } of routes) {
    const names = Object.keys(templateVariables(resource, parametersOf(template)))
    for (const method of methods) {
      const own = endpointTypeOf(`${method} ${template}` as Operation)
      for (const type of [own, baseType, undefined] as const) {
        const known = byType.get(type) ?? new Set()
        byType.set(type, new Set([...known, ...names]))
      }
    }
  }
  return byType
})()

function variablesOf(type: EndpointType): ReadonlySet<string> {
  return namesByType.get(type) ?? namesByType.get(undefined) ?? new Set()
}

/** Those of the message; one without an id in its path has it in its body. */
function parametersOf(template: string): PathParameters {
  const names = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
  return Object.fromEntries((names.length === 0 ? ['ID'] : names).map((name) => [name, '']))
}
