/** The chain of a request without HTTP and without a bus: its answers and its messages. */
import type { OutgoingMessage } from '@causeway/bus'
import type { DomainEvent, Payload, Relay } from '@causeway/events'
import type { Operation } from '@causeway/fspiop'
import type { DecimalBounds } from '@causeway/money'
import type { Participant, Participants } from '@causeway/participants'
import { openLog } from '@causeway/process'
import { aloneInMemory } from '@causeway/runtime/testing'
import { unknown_max } from '../bounds.ts'
import { openAnswerQuotas } from '../load/answer-quotas.ts'
import { openAnswers } from '../answers/answers.ts'
import { openExchanges } from '../answers/exchanges.ts'
import type { OwnerAnswer } from '../answers/owners.ts'
import { callbackMessages, type CallbackParts } from '../callbacks/callbacks.ts'
import { readHead, routeOf, workOn, type EdgeResponse, type Edge } from '../chain.ts'
import type { Arrivals } from '../bulk-transfers/arrivals.ts'
import { openLargeBodies, type LargeBodies } from '../bodies/large-bodies.ts'
import { servedRoutes } from '../routes.ts'
import { relayedHeadersOf } from '../security.ts'
import type { FspiopApiSettings } from '../settings.ts'
import type { CheckSignature } from '../signatures/verify.ts'
import { triggeredCallbacks, type CallbackEvent } from '../callback-table.ts'
import type { ConsentOwner } from '../pisp/owners.ts'
import type { TestMessage } from './messages.ts'
import { testSettings } from './settings.ts'

export interface TestEdge {
  /** The answer to a message; `identity` is that of the channel, by default that of the message. */
  send(sent: TestMessage, identity?: string): Promise<EdgeResponse>
  /** The status, with code and text of the refusal: `400 3102 header date`. */
  outcomeOf(sent: TestMessage, identity?: string): Promise<string>
  /** The only message that was published since the last call. */
  onlyMessage(): PublishedMessage
  readonly published: OutgoingMessage[]
  readonly participants: Map<string, Participant>
  readonly callbacks: CallbackParts
  /** The result of the lookup of owners by consent, or that it is unavailable. */
  readonly consentOwners: Map<string, ConsentOwner>
  /** What account-lookup answers about `greenbank MSISDN/1`: an FSP, and a party; by default OWNER. */
  readonly owners: Map<string, OwnerAnswer>
  /** The FSPs behind the ids of requests, `consentRequests/1`, or that they cannot be read. */
  readonly recorded: Map<string, readonly [string, string] | 'UNAVAILABLE'>
  /** From now on the edge knows all messages of the last minutes. */
  runForLong(): void
  /** The priority of the operation. */
  priorityOf(operation: Operation): string | undefined
  /** The providers of each type from now on, instead of one participant for each type. */
  provide(names: readonly string[]): void
}

export interface PublishedMessage {
  readonly name: string
  readonly key: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly traceparent: string | undefined
}

/** No thread is started for large bodies. */
export const readAtOnce = openLargeBodies({
  bytes_min: Infinity,
  log: openLog({ name: 'edge', level: 'silent' }),
})

export const unawaited: Arrivals = { announce: () => Promise.resolve(undefined) }

export const receivedAt = '2026-11-21T10:00:00.000Z'

/** Every callback of the FSP is sent to the path of the API below this address. */
export function reachable(name: string, changed: Partial<Participant> = {}): Participant {
  const endpoints = new Map([['FSPIOP_CALLBACK_URL', `http://${name}.example`]])
  return { name, isActive: true, isClosed: false, endpoints, accounts: [], ...changed }
}

export interface EdgeChanges extends Partial<FspiopApiSettings> {
  readonly checkSignature?: CheckSignature
  readonly publish?: Edge['publish']
  /** How fine amounts may be. */
  readonly decimals?: DecimalBounds
  /** How long the edge processes a message before it is stored. */
  readonly work_ms?: number
  readonly largeBodies?: LargeBodies
  /** What transfers answers for a large answer that has arrived; by default nothing is held back for it. */
  readonly arrivals?: Arrivals
}

export function openEdge(changes: EdgeChanges = {}): TestEdge {
  const { checkSignature, publish, decimals, work_ms = 0, ...others } = changes
  const { largeBodies = readAtOnce, arrivals = unawaited, ...changed } = others
  const known = new Map(
    [
      reachable('greenbank'),
      reachable('bluewallet'),
      reachable('sleeper', { isActive: false }),
      reachable('leaver', { isActive: false, isClosed: true }),
    ].map((fsp) => [fsp.name, fsp]),
  )
  const participants = participantsOf(known)
  const callbacks: CallbackParts = {
    participants,
    hubName: 'Hub',
    outcome_ms: () => 86_400_000,
    question_ms: () => 7_000,
    relay_ms: () => 60_000,
    onNoEndpoint: () => undefined,
    sign: undefined,
    authService: { name: testSettings.AUTH_SERVICE_PARTICIPANT, sign: undefined },
  }
  const published: OutgoingMessage[] = []
  const { answers, ...asked } = answersOf(changed.COMPATIBILITY)
  const consentOwners = new Map<string, ConsentOwner>()
  const settings = { ...testSettings, ...changed }
  let provided: readonly string[] | undefined
  const edge: Edge = {
    served: servedRoutes(settings, {
      owners: {
        ownerOf: (consentId) => Promise.resolve(consentOwners.get(consentId) ?? { type: 'NONE' }),
      },
      providers: { of: (type) => Promise.resolve(provided ?? [`a ${type}`]) },
      largeBodies,
      arrivals,
      participants,
      relay_ms: callbacks.relay_ms,
      question_ms: callbacks.question_ms,
    }),
    participants,
    quotas: openAnswerQuotas({
      unasked_max: settings.FSPIOP_API_UNSOLICITED_ANSWERS_MAX,
      unknown_max,
      isSole: true,
    }),
    answers,
    hubName: 'Hub',
    authService: settings.AUTH_SERVICE_PARTICIPANT,
    compatibility: settings.COMPATIBILITY,
    decimals: () => decimals,
    relayedHeaders: relayedHeadersOf(settings),
    checkSignature,
    expiryGrace_ms: settings.EXPIRY_GRACE_MS,
    now_ms: () => Date.parse(receivedAt) + work_ms,
    relay: (triggered) => callbackMessages([triggered], callbacks, new Date(receivedAt)),
    publish:
      publish ??
      ((messages) => {
        published.push(...messages)
        return Promise.resolve()
      }),
  }
  return {
    participants: known,
    callbacks,
    published,
    consentOwners,
    ...asked,
    priorityOf: (operation) => edge.served[operation]?.priority,
    provide(names) {
      provided = names
    },
    send: (sent, identity) => ask(edge, sent, identity),
    async outcomeOf(sent, identity) {
      const { status, refusal } = await ask(edge, sent, identity)
      return refusal === undefined ? `${status}` : `${status} ${refusal.code} ${refusal.detail}`
    },
    onlyMessage() {
      const [message, ...others] = published.splice(0)
      if (message === undefined || others.length > 0) throw new Error('not one message')
      return publishedMessage(message)
    },
  }
}

/** Who may answer, by what a test says of account-lookup and notifications. */
function answersOf(compatibility: FspiopApiSettings['COMPATIBILITY'] | undefined) {
  const owners: TestEdge['owners'] = new Map()
  const recorded: TestEdge['recorded'] = new Map()
  let now_ms = Date.parse(receivedAt)
  const remembered_ms = 60_000
  const log = openLog({ name: 'edge', level: 'silent' })
  const shared = aloneInMemory
  const exchanges = openExchanges({
    shared,
    remembered_ms,
    now_ms: () => now_ms,
    check_ms: remembered_ms,
    log,
  })
  const answers = openAnswers({
    exchanges,
    owners: {
      ownerAnswer: ({ partyIdType, partyIdentifier, partySubIdOrType: subId }, fspId) => {
        const party = [partyIdType, partyIdentifier, ...(subId === undefined ? [] : [subId])]
        return Promise.resolve(owners.get(`${fspId} ${party.join('/')}`) ?? 'OWNER')
      },
    },
    recorded: {
      areBetween(key, fsps) {
        const found = recorded.get(key)
        if (found === undefined) return Promise.resolve('NONE')
        if (found === 'UNAVAILABLE') return Promise.resolve(found)
        return Promise.resolve(found.every((fsp) => fsps.includes(fsp)) ? 'YES' : 'OTHERS')
      },
    },
    recordsTransactionRequests: compatibility !== 'mojaloop',
  })
  return {
    answers,
    owners,
    recorded,
    runForLong() {
      now_ms += remembered_ms
    },
  }
}

/** The callbacks of an event, each message as it is published for delivery. */
export async function callbacksFor<Name extends CallbackEvent>(
  edge: TestEdge,
  name: Name,
  payload: Payload<Name>,
  carried: { readonly relay?: Relay; readonly traceparent?: string } = {},
): Promise<readonly PublishedMessage[]> {
  const { relay, traceparent } = carried
  const event = {
    name,
    id: 'cause',
    time: receivedAt,
    payload,
    relay,
    traceparent,
    maybeDuplicate: false,
  }
  const callbackList = triggeredCallbacks(event as DomainEvent<CallbackEvent>, {
    notifyPayeeOnTimeout: true,
    authService: testSettings.AUTH_SERVICE_PARTICIPANT,
  })
  const messages = await callbackMessages(callbackList, edge.callbacks, new Date(receivedAt))
  return messages.map(publishedMessage)
}

/** `bluewallet: PUT http://bluewallet.example/quotes/1` for each message to deliver. */
export function deliveries(messages: readonly PublishedMessage[]): readonly string[] {
  return messages.map(({ payload }) => {
    const { destinationFspId, transport } = payload as Payload<'NotifyRequested'>
    const { method, url } = transport as { readonly method: string; readonly url: string }
    return `${destinationFspId}: ${method} ${url}`
  })
}

/** Participants that are all cached. */
function participantsOf(known: ReadonlyMap<string, Participant>): Participants {
  return {
    peek: (name) => known.get(name),
    getFresh: (name) => Promise.resolve(known.get(name)),
    get: (names) => Promise.resolve(new Map([...known].filter(([name]) => names.includes(name)))),
    ping: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  }
}

async function ask(
  edge: Edge,
  { method, path, headers, body = '' }: TestMessage,
  identity = headers['fspiop-source'] ?? '',
): Promise<EdgeResponse> {
  const parsed = routeOf(edge.served, method, path.split('?')[0] ?? '')
  if ('answer' in parsed) return parsed.answer
  const checked = await readHead(edge, parsed.routed, headers, identity)
  if (checked.type === 'REFUSED') return checked.answer
  return workOn(edge, parsed.routed, checked.head, {
    headers,
    target: path,
    body: Buffer.from(body),
    receivedAt,
  })
}

export function publishedMessage({
  type,
  key,
  payload,
  headers,
}: OutgoingMessage): PublishedMessage {
  return {
    name: type,
    key,
    payload: payload as PublishedMessage['payload'],
    body: headers['relay-body']?.toString(),
    headers:
      headers['relay-headers'] === undefined
        ? undefined
        : (JSON.parse(String(headers['relay-headers'])) as PublishedMessage['headers']),
    traceparent: headers['traceparent']?.toString(),
  }
}
