/**
 * The headers of a request: one ordered check of the required ones, and the headers of outgoing
 * messages, relayed or created by the hub. FSPIOP 3.2. Names are lower case, as in Node.js.
 */
import { isFspId } from './bodies/elements.ts'
import { type Refusal, refusal } from './errors.ts'
import { readHttpDate, writeHttpDate } from './http-date.ts'
import { contentType, negotiateAccept, readContentType } from './media-type.ts'
import {
  type Method,
  type Resource,
  type ResourceRules,
  resourceRules,
  type Version,
} from './resources.ts'

/** Header values by lower-case name, as `IncomingMessage.headers` holds them. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

export interface AcceptedHeaders {
  readonly accepted: true
  /** Of GET, POST and DELETE: the version of the callback and the response. */
  readonly acceptVersion: Version | undefined
  /** The version of the message itself. */
  readonly contentVersion: Version
  /** Not yet checked: whether it is a participant, and the one authenticated by the channel. */
  readonly source: string
  /** `undefined` when absent or empty; may be the hub's own name. */
  readonly destination: string | undefined
}

export type HeaderCheck = AcceptedHeaders | { readonly accepted: false; readonly refusal: Refusal }

/**
 * Checks Accept, Date, Content-Type, FSPIOP-Source and FSPIOP-Destination, in this order; the first
 * fault is returned. Missing 3102, malformed 3101, version not supported 406/3001. On PUT and PATCH
 * Accept has no effect; `judgesEveryAccept` refuses one that is present and not the resource's. A parsed
 * header, including Connection, has at most 512 characters (3101), which bounds the cost of parsing.
 */
export function checkHeaders(
  method: Method,
  resource: Resource,
  headers: Headers,
  { judgesEveryAccept = false }: { readonly judgesEveryAccept?: boolean } = {},
): HeaderCheck {
  const rules: ResourceRules = resourceRules[resource]
  for (const name of parsedNames) {
    if ((one(headers, name)?.length ?? 0) > parsed_max) return malformed(name, tooLong)
  }
  const asks = method !== 'PUT' && method !== 'PATCH'
  const accept = asks || judgesEveryAccept ? one(headers, 'accept') : undefined
  let acceptVersion: Version | undefined
  if (accept !== undefined) {
    const negotiation = negotiateAccept(accept, resource, rules)
    if (!negotiation.agreed) return { accepted: false, refusal: negotiation.refusal }
    if (asks) acceptVersion = negotiation.version
  } else if (asks) {
    return missing('accept', 'Accept is required: ')
  }

  const date = one(headers, 'date')
  if (date === undefined) return missing('date')
  if (readHttpDate(date) === undefined) return malformed('date', 'not an HTTP date')

  const type = one(headers, 'content-type')
  if (type === undefined) return missing('content-type', 'Content-type is required: ')
  const content = readContentType(type, resource, rules)
  if (!content.agreed) return { accepted: false, refusal: content.refusal }

  const source = one(headers, 'fspiop-source') ?? ''
  if (source === '') return missing('fspiop-source')
  if (!isFspId(source)) return malformed('fspiop-source', 'not a legal FspId')

  const destination = one(headers, 'fspiop-destination') ?? ''
  if (destination === '' && rules.destinationRequired.includes(method)) {
    return missing('fspiop-destination')
  }
  if (destination !== '' && !isFspId(destination)) {
    return malformed('fspiop-destination', 'not a legal FspId')
  }
  return {
    accepted: true,
    acceptVersion,
    contentVersion: content.version,
    source,
    destination: destination === '' ? undefined : destination,
  }
}

/**
 * Content-Type of the response to a request: the agreed version, or the resource's current one when
 * none is known, as in a refusal of the headers themselves.
 */
export function responseContentType(resource: Resource, check?: HeaderCheck): string {
  const version =
    check?.accepted === true ? (check.acceptVersion ?? check.contentVersion) : undefined
  return contentType(resource, version ?? resourceRules[resource].currentVersion)
}

const parsedNames = [
  'accept',
  'date',
  'content-type',
  'fspiop-source',
  'fspiop-destination',
  'connection',
] as const
const parsed_max = 512
const tooLong = `has more than ${parsed_max} characters`

/** The headers of the API, of the trace, and of the way of the message to the hub. */
const relayedNames: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'date',
  'fspiop-destination',
  'fspiop-encryption',
  'fspiop-http-method',
  'fspiop-signature',
  'fspiop-source',
  'fspiop-uri',
  'traceparent',
  'tracestate',
  'x-forwarded-for',
])

/** What a scheme can define; other headers are those of HTTP. */
const schemeNamePattern = /^(?:fspiop|x)-[a-z0-9-]{1,64}$/

/**
 * Proxies and servers believe these about the client, its request line or its identity. The receiver
 * trusts the hub's certificate, so it must not read an FSP's word there.
 */
const believedPattern =
  /^x-(?:forwarded|real|client|original|rewrite|http-method|method|host|proxy|remote|ssl|tls|cert|envoy|amz|auth|user|true|cluster|arr|url|accel|sendfile|override)/

/** Whether a scheme may define a header of this name that the hub relays. */
export function isSchemeHeader(name: string): boolean {
  return schemeNamePattern.test(name) && !believedPattern.test(name) && !relayedNames.has(name)
}

const further_max = 4_096

/**
 * Why the headers beside those of the API cannot be relayed: X-Forwarded-For, tracestate and those that
 * the scheme defined have at most 4,096 characters together (3101).
 */
export function furtherHeadersFault(
  headers: Headers,
  scheme: ReadonlySet<string>,
): Refusal | undefined {
  let length = lengthOf(headers, 'x-forwarded-for') + lengthOf(headers, 'tracestate')
  for (const name of scheme) length += lengthOf(headers, name)
  return length <= further_max
    ? undefined
    : refusal(
        '3101',
        `the headers beside those of the API have more than ${further_max} characters`,
      )
}

function lengthOf(headers: Headers, name: string): number {
  return one(headers, name)?.length ?? 0
}

/** Whether a header of this name, in lower case, is relayed in a scheme that defined these. */
export function isRelayed(name: string, scheme: ReadonlySet<string>): boolean {
  return relayedNames.has(name) || scheme.has(name)
}

const noNames: ReadonlySet<string> = new Set()

/**
 * The headers that are relayed unchanged: those of the API, the trace, X-Forwarded-For, and those that
 * the `scheme` defined. All others are removed: those of one connection (also those named in
 * Connection), of the channel and of the transfer coding, what a proxy or server would believe, and
 * Accept on PUT. A given `destination`, found by lookup, replaces an empty one. A PATCH without Accept
 * gets the media type of its body, because the Third-Party API's description requires one there.
 */
export function relayHeaders(
  method: Method,
  headers: Headers,
  {
    destination,
    scheme = noNames,
  }: { readonly destination?: string | undefined; readonly scheme?: ReadonlySet<string> } = {},
): Record<string, string> {
  const ofConnection = namesInConnection(one(headers, 'connection'))
  const relayed: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    if (!isRelayed(name, scheme) || ofConnection.has(name)) continue
    if (name === 'accept' && method === 'PUT') continue
    const value = one(headers, name)
    if (value !== undefined) relayed[name] = value
  }
  if (destination !== undefined) relayed['fspiop-destination'] = destination
  const mediaType = relayed['content-type']
  if (method === 'PATCH' && mediaType !== undefined) relayed['accept'] ??= mediaType
  return relayed
}

function isAnswer(method: Method): boolean {
  return method === 'PUT' || method === 'PATCH'
}

function namesInConnection(value: string | undefined): ReadonlySet<string> {
  if (value === undefined || value === 'keep-alive') return noNames
  return new Set(
    value
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  )
}

export interface HubMessage {
  readonly method: Method
  readonly resource: Resource
  /** The path from the resource name on: "/transfers/<id>/error". */
  readonly path: string
  /** The version that the receiver used. */
  readonly version: Version
  /** The hub's own name. */
  readonly source: string
  readonly destination: string
  readonly date: Date
}

/**
 * The headers of a message that the hub creates, without a signature. Accept names the version of the
 * message itself; a PATCH has it in the Third-Party API alone.
 */
export function hubHeaders(message: HubMessage): Record<string, string> {
  const { method, resource, path, version, source, destination, date } = message
  const { isThirdParty }: ResourceRules = resourceRules[resource]
  const hasAccept = !isAnswer(method) || (method === 'PATCH' && isThirdParty === true)
  return {
    'content-type': contentType(resource, version),
    ...(hasAccept ? { accept: contentType(resource, version) } : {}),
    date: writeHttpDate(date),
    'fspiop-source': source,
    'fspiop-destination': destination,
    'fspiop-http-method': method,
    'fspiop-uri': path,
  }
}

function one(headers: Headers, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}

/** Clients search for the header's name, some of them in the sentence that other hubs use. */
function missing(name: string, sentence = ''): HeaderCheck {
  return { accepted: false, refusal: refusal('3102', `${sentence}header ${name}`) }
}

function malformed(name: string, why: string): HeaderCheck {
  return { accepted: false, refusal: refusal('3101', `header ${name}: ${why}`) }
}
