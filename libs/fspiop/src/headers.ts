/**
 * The headers of a request: one ordered check of all that they must hold, and the headers of what
 * goes out, relayed or made by the hub. FSPIOP 3.2. Names are lower case, as Node.js gives them.
 */
import { isFspId } from './elements.ts'
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
  /** Of GET, POST and DELETE: the version in which callback and answer are to be. */
  readonly acceptVersion: Version | undefined
  /** The version of the message itself. */
  readonly contentVersion: Version
  /** Whether it is a participant, and the one that the channel says, is not known here. */
  readonly source: string
  /** `undefined` when absent or empty; may be the hub's own name. */
  readonly destination: string | undefined
}

export type HeaderCheck = AcceptedHeaders | { readonly accepted: false; readonly refusal: Refusal }

/**
 * Accept, Date, Content-Type, FSPIOP-Source and FSPIOP-Destination, in this order; the first fault is
 * the answer. Missing 3102, malformed 3101, version not supported 406/3001. On PUT and PATCH Accept
 * decides nothing; `judgesEveryAccept` refuses one that is there and is not the resource's. A header
 * that is parsed, Connection too, has at most 512 characters (3101), so that what a header costs is
 * bounded whatever it holds.
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
 * Content-Type of the answer to a request: the version that was agreed on, or the resource's current
 * one while none is known, as in a refusal of the headers themselves.
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

const relayedNames: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'date',
  'traceparent',
  'tracestate',
])

/** Written by a gateway for the hub alone: it tells what the FSP's own channel looked like. */
const gatewayNames: ReadonlySet<string> = new Set(['x-forwarded-client-cert'])

/**
 * What is relayed unchanged: the API's own headers, all of `fspiop-*` and `x-*`, and the trace. What
 * belongs to one connection (also by its word in Connection), to the channel (Authorization) or to
 * the form of transport is left out, and Accept on PUT and PATCH. A given `destination`, found by
 * lookup, stands in the place of an empty one. X-Forwarded-For stays as it came, for a signature may
 * cover it.
 */
export function relayHeaders(
  method: Method,
  headers: Headers,
  destination?: string,
): Record<string, string> {
  const ofConnection = namesInConnection(one(headers, 'connection'))
  const relayed: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    if (!relayedNames.has(name) && !/^(?:fspiop|x)-/.test(name)) continue
    if (gatewayNames.has(name) || ofConnection.has(name)) continue
    if (name === 'accept' && isAnswer(method)) continue
    const value = one(headers, name)
    if (value !== undefined) relayed[name] = value
  }
  if (destination !== undefined) relayed['fspiop-destination'] = destination
  return relayed
}

function isAnswer(method: Method): boolean {
  return method === 'PUT' || method === 'PATCH'
}

const noNames: ReadonlySet<string> = new Set()

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
  /** The path from the resource name on, as "/transfers/<id>/error". */
  readonly path: string
  /** The version that the receiver used. */
  readonly version: Version
  /** The hub's own name. */
  readonly source: string
  readonly destination: string
  readonly date: Date
}

/**
 * The headers of a message that the hub makes; a signature is added by who holds the key. What asks for an
 * answer asks for it in its own version.
 */
export function hubHeaders(message: HubMessage): Record<string, string> {
  const { method, resource, path, version, source, destination, date } = message
  return {
    'content-type': contentType(resource, version),
    ...(isAnswer(method) ? {} : { accept: contentType(resource, version) }),
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

/** Clients look for the header's name, some of them in the sentence that other hubs write. */
function missing(name: string, sentence = ''): HeaderCheck {
  return { accepted: false, refusal: refusal('3102', `${sentence}header ${name}`) }
}

function malformed(name: string, why: string): HeaderCheck {
  return { accepted: false, refusal: refusal('3101', `header ${name}: ${why}`) }
}
