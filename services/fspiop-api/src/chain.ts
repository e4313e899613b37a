/**
 * The way of a request: parse, identity, headers, source, schema, publish; each step a plain function
 * that lets it go on or refuses it. Nothing is acknowledged before it is stored.
 */
import {
  checkHeaders,
  matchPath,
  responseContentType,
  type AcceptedHeaders,
  type Headers,
  type Method,
  type Operation,
  type PathMatch,
  type PathParameters,
  type Refusal,
  type Resource,
  type Version,
} from '@causeway/fspiop'
import type { Participant, Participants } from '@causeway/participants'
import type { OutgoingMessage } from '@causeway/runtime'
import type { Share } from './admission.ts'
import { refuse, type Compatibility } from './refusals.ts'

/** A message whose head is in order and whose sender may send it. */
export interface Incoming {
  readonly parameters: PathParameters
  readonly source: string
  /** Undefined when absent, empty or the hub itself: whoever knows fills it in. */
  readonly destination: string | undefined
  /** The version in which the sender wants to be answered. */
  readonly version: Version
  readonly headers: Headers
  readonly body: Buffer
  /** When the last byte came, ISO 8601. */
  readonly receivedAt: string
}

/** What is made of a message: events that are stored before the answer, nothing, or a refusal. */
export type Reading =
  | { readonly type: 'PUBLISH'; readonly event: OutgoingMessage }
  | { readonly type: 'IGNORE' }
  | { readonly type: 'REFUSE'; readonly refusal: Refusal }

export interface ServedRoute {
  readonly share: Share
  /** POST, GET and DELETE begin something, so their source must be active. */
  readonly needsActiveSource: boolean
  readonly read: (message: Incoming) => Reading
}

export type ServedRoutes = Readonly<Partial<Record<Operation, ServedRoute>>>

/** A request whose path and method are served. */
export interface Routed {
  readonly method: Method
  readonly resource: Resource
  readonly match: Extract<PathMatch, { kind: 'ROUTE' }>
  readonly route: ServedRoute
}

export interface Answer {
  readonly status: number
  readonly contentType: string
  /** For 405. */
  readonly allow?: readonly string[]
  /** Undefined in an acknowledgement, which has no body. */
  readonly refusal?: Refusal
}

export interface Edge {
  readonly served: ServedRoutes
  readonly participants: Participants
  readonly hubName: string
  readonly compatibility: Compatibility
  /** Resolves when the event is durable; rejects when it is not within its time. */
  readonly publish: (event: OutgoingMessage) => Promise<void>
}

/** Parse: the route of a request, or the answer when there is none. */
export function routeOf(
  served: ServedRoutes,
  method: string,
  path: string,
): { readonly routed: Routed } | { readonly answer: Answer } {
  const match = matchPath(method, path)
  if (match.kind === 'PATH_UNKNOWN') {
    return { answer: refused(refuse('PATH_UNKNOWN'), 'application/json') }
  }
  const { resource } = match
  if (match.kind === 'METHOD_UNKNOWN') {
    const answer = refused(refuse('METHOD_UNKNOWN'), responseContentType(resource))
    return { answer: { ...answer, allow: match.allow } }
  }
  const route = served[match.operation]
  if (route === undefined) {
    return { answer: refused(refuse('NOT_SERVED'), responseContentType(resource)) }
  }
  return { routed: { method: method as Method, resource, match, route } }
}

/** Everything after the parse, up to the answer. */
export async function workOn(
  edge: Edge,
  { method, resource, match, route }: Routed,
  headers: Headers,
  body: Buffer,
  receivedAt: string,
): Promise<Answer> {
  const check = checkHeaders(method, resource, headers)
  const contentType = responseContentType(resource, check)
  if (!check.accepted) return refused(check.refusal, contentType)

  const known = edge.participants.peek(check.source)
  const fault = maySpeak(known, route) ? undefined : await sourceFault(edge, check.source, route)
  if (fault !== undefined) return refused(fault, contentType)

  if (match.fault !== undefined) return refused(match.fault, contentType)
  const reading = route.read({
    parameters: match.parameters,
    source: check.source,
    destination: check.destination === edge.hubName ? undefined : check.destination,
    version: versionOf(check),
    headers,
    body,
    receivedAt,
  })
  if (reading.type === 'REFUSE') return refused(reading.refusal, contentType)
  if (reading.type === 'PUBLISH') {
    try {
      await edge.publish(reading.event)
    } catch {
      return refused(refuse('NOT_STORABLE'), contentType)
    }
  }
  return { status: method === 'PUT' || method === 'PATCH' ? 200 : 202, contentType }
}

export function refused(refusal: Refusal, contentType: string): Answer {
  return { status: refusal.status, contentType, refusal }
}

function versionOf({ acceptVersion, contentVersion }: AcceptedHeaders): Version {
  return acceptVersion ?? contentVersion
}

function maySpeak(participant: Participant | undefined, route: ServedRoute): boolean {
  return participant !== undefined && (participant.isActive || !route.needsActiveSource)
}

/** Memory does not let it speak: asked once afresh before it is refused. */
async function sourceFault(
  { participants, compatibility }: Edge,
  source: string,
  route: ServedRoute,
): Promise<Refusal | undefined> {
  let participant: Participant | undefined
  try {
    participant = await participants.askAfresh(source)
  } catch {
    return refuse('PARTICIPANTS_AWAY')
  }
  if (participant === undefined) return refuse('SOURCE_UNKNOWN', compatibility)
  return maySpeak(participant, route) ? undefined : refuse('SOURCE_INACTIVE')
}
