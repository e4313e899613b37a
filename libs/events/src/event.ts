/**
 * From the catalogue to the bus and back: events are made with their topic and key, and handlers
 * get them typed by name.
 */
import { randomUUID } from 'node:crypto'
import type {
  BatchContext,
  EventBus,
  Listener,
  Message,
  MessageHeaders,
  OutgoingMessage,
  Subscribed,
  Subscription,
} from '@causeway/bus'
import { catalogue, type EventName, type Payload, type PublisherOf } from './catalogue/catalogue.ts'
import { readPayload } from './read.ts'

/** What a relay will need: the received body, byte for byte, and the FSP's headers. */
export interface Relay {
  readonly body: Buffer
  /**
   * JSON of the header names and values as received; forwarded, parsed only by the service that
   * sends them.
   */
  readonly headers?: Buffer
  /** When its last byte arrived, ISO 8601; a later event about it may lack it. */
  readonly receivedAt?: string
  /** The code by which the edge authenticates a payment request. */
  readonly mac?: Buffer
}

export type DomainEvent<Name extends EventName = EventName> = {
  readonly [N in Name]: {
    readonly name: N
    readonly id: string
    readonly time: string
    /** It may have come before; false when it surely comes for the first time. */
    readonly maybeDuplicate: boolean
    readonly payload: Payload<N>
    readonly relay: Relay | undefined
    readonly traceparent: string | undefined
  }
}[Name]

export interface EventOptions {
  readonly relay?: Relay | undefined
  readonly traceparent?: string | undefined
  /** The event's id: `derivedId` of its cause in a stateless step, else a new one. */
  readonly id?: string
}

/**
 * An event ready to be announced or published by `source`, which the catalogue names as publisher.
 */
export function newEvent<Name extends EventName>(
  source: PublisherOf<Name>,
  name: Name,
  payload: Payload<Name>,
  options: EventOptions = {},
): OutgoingMessage {
  const { topic, key } = catalogue[name]
  const { relay, traceparent } = options
  return {
    id: options.id ?? randomUUID(),
    topic,
    key: key === null ? '' : ((payload as Readonly<Record<string, string>>)[key] ?? ''),
    type: name,
    source,
    payload,
    headers: {
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(relay === undefined ? {} : { 'relay-body': relay.body }),
      ...(relay?.headers === undefined ? {} : { 'relay-headers': relay.headers }),
      ...(relay?.receivedAt === undefined ? {} : { 'relay-received': relay.receivedAt }),
      ...(relay?.mac === undefined ? {} : { 'relay-mac': relay.mac }),
    },
  }
}

/** Every event that this release knows: one of another name is of a newer release. */
const known: ReadonlySet<string> = new Set(Object.keys(catalogue))

/** Subscribes a group to events by name; the topics follow from the catalogue. */
export function onEvents<Name extends EventName>(
  bus: EventBus,
  group: string,
  names: readonly Name[],
  handleBatch: (events: readonly DomainEvent<Name>[], batch: BatchContext) => Promise<void>,
  options: Pick<
    Subscription,
    'batch_max' | 'batches_in_flight_max' | 'deadLetterObserver' | 'givesWay'
  > = {},
): Promise<Subscribed> {
  return bus.subscribe({
    ...options,
    group,
    topics: [...new Set(names.map((name) => catalogue[name].topic))],
    types: new Set(names),
    known,
    read: (type, json) => readPayload(type as EventName, json),
    handleBatch: (messages, batch) => handleBatch(messages.map(domainEvent<Name>), batch),
  })
}

/** How a process handles broadcast events, for what it holds in memory. */
export interface BroadcastHandlers<Name extends EventName> {
  /** At once and from memory: it waits for nothing. */
  readonly onEvents: (events: readonly DomainEvent<Name>[]) => void
  /**
   * Some events may have been missed: everything in memory that depends on them is to be dropped.
   */
  readonly onMissed: () => void
}

/** Receives events by name in every process of the service, and not a share of them in each. */
export function onBroadcast<Name extends EventName>(
  bus: EventBus,
  group: string,
  names: readonly Name[],
  handlers: BroadcastHandlers<Name>,
): Promise<Listener> {
  return bus.subscribeBroadcast({
    group,
    topics: [...new Set(names.map((name) => catalogue[name].topic))],
    types: new Set(names),
    known,
    read: (type, json) => readPayload(type as EventName, json),
    onMessages: (messages) => handlers.onEvents(messages.map(domainEvent<Name>)),
    onMissed: () => handlers.onMissed(),
  })
}

function domainEvent<Name extends EventName>(message: Message): DomainEvent<Name> {
  const { headers } = message
  return {
    name: message.type,
    id: message.id,
    time: message.time,
    maybeDuplicate: message.maybeDuplicate,
    payload: message.payload,
    relay: relayIn(headers),
    traceparent: headers['traceparent']?.toString(),
  } as DomainEvent<Name>
}

function relayIn(headers: MessageHeaders): Relay | undefined {
  const body = headers['relay-body']
  if (!Buffer.isBuffer(body)) return undefined
  const relayHeaders = headers['relay-headers']
  const mac = headers['relay-mac']
  const receivedAt = headers['relay-received']?.toString()
  return {
    body,
    ...(Buffer.isBuffer(relayHeaders) ? { headers: relayHeaders } : {}),
    ...(receivedAt === undefined ? {} : { receivedAt }),
    ...(Buffer.isBuffer(mac) ? { mac } : {}),
  }
}
