/**
 * A bus that records traces: publishing and processing a message are spans in the trace of that message,
 * and its header `traceparent` connects them. A batch is many spans at once.
 */
import { traceIdOf, type Span, type Tracer } from '@causeway/tracing'
import type { EventBus, Message, OutgoingMessage, PublishDerived } from '@causeway/bus'
import { recorded } from './recorded.ts'

export function tracedBus(bus: EventBus, tracer: Tracer): EventBus {
  const publishBy =
    (publish: PublishDerived): PublishDerived =>
    (messages) => {
      const produced = produce(messages, tracer)
      return recorded(produced.spans, () => publish(produced.messages))
    }
  return {
    ...bus,
    announce(tx, messages) {
      const produced = produce(messages, tracer)
      bus.announce(tx, produced.messages)
      // Whether it was committed is visible by whether it is processed.
      for (const span of produced.spans) span.end()
    },
    publish: publishBy((messages) => bus.publish(messages)),
    subscribe: (subscription) =>
      bus.subscribe({
        ...subscription,
        handleBatch(messages, batch) {
          const consumed = consume(messages, subscription.group, tracer)
          const publishDerived = publishBy(batch.publishDerived)
          const work = () =>
            subscription.handleBatch(consumed.messages, { ...batch, publishDerived })
          return recorded(consumed.spans, () => tracer.within(consumed.spans, work))
        },
      }),
  }
}

interface Traced<Any> {
  readonly messages: readonly Any[]
  readonly spans: readonly Span[]
}

function produce(messages: readonly OutgoingMessage[], tracer: Tracer): Traced<OutgoingMessage> {
  return eachTraced(messages, (message) => {
    const parent = traceparentOf(message) ?? soleOf(tracer.current())?.traceparent
    const traceId = parent === undefined ? traceIdOf(message.key) : undefined
    if (parent === undefined && traceId === undefined) return undefined
    const attributes = attributesOf(message)
    return tracer.begin(`publish ${message.type}`, {
      kind: 'PRODUCER',
      parent,
      traceId,
      attributes,
    })
  })
}

function consume(messages: readonly Message[], group: string, tracer: Tracer): Traced<Message> {
  return eachTraced(messages, (message) => {
    const parent = traceparentOf(message)
    if (parent === undefined) return undefined
    const attributes = { ...attributesOf(message), 'messaging.consumer.group.name': group }
    return tracer.begin(`process ${message.type}`, { kind: 'CONSUMER', parent, attributes })
  })
}

function eachTraced<Any extends OutgoingMessage>(
  messages: readonly Any[],
  begin: (message: Any) => Span | undefined,
): Traced<Any> {
  const spans: Span[] = []
  const traced = messages.map((message) => {
    const span = begin(message)
    if (span === undefined) return message
    spans.push(span)
    return { ...message, headers: { ...message.headers, traceparent: span.traceparent } }
  })
  return { messages: traced, spans }
}

function traceparentOf({ headers }: OutgoingMessage): string | undefined {
  return headers['traceparent']?.toString()
}

function attributesOf({ id, topic, key }: OutgoingMessage): Readonly<Record<string, string>> {
  return {
    'messaging.system': 'causeway',
    'messaging.destination.name': topic,
    'messaging.message.id': id,
    // Other keys may be personal, such as a telephone number.
    ...(traceIdOf(key) === undefined ? {} : { 'messaging.message.conversation_id': key }),
  }
}

/** With several source messages it is unknown which one caused a message. */
function soleOf(spans: readonly Span[]): Span | undefined {
  return spans.length === 1 ? spans[0] : undefined
}
