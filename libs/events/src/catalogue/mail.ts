/** An e-mail as an event: notifications delivers it for the service that writes it. */
import type { OutgoingMessage } from '@causeway/bus'
import type { PublisherOf } from './catalogue.ts'
import { derivedId } from '../derived-id.ts'
import { newEvent, type DomainEvent } from '../event.ts'

export interface Mail {
  readonly subject: string
  readonly text: string
  /** Text files; together they must fit into one message. */
  readonly attachments?: readonly Attachment[]
}

export interface Attachment {
  /** The file name. */
  readonly name: string
  /** The media type. */
  readonly type: string
  readonly content: string
}

/** Each fact in a line of its own. */
export function mailText(facts: readonly (readonly [name: string, value: string])[]): string {
  return facts.map(([name, value]) => `${name}: ${value}\n`).join('')
}

export interface Recipient {
  /** The participant or person; an event is mailed to each name once, also after a redelivery. */
  readonly name: string
  readonly address: string
  /** The participant whose message it is for the delivery: its own name, or the hub's. */
  readonly fspId: string
}

const delivery_max_ms = 24 * 3_600_000

/** @param about the id of what the event is about */
export function mailMessage(
  source: PublisherOf<'NotifyRequested'>,
  event: Pick<DomainEvent, 'id' | 'name' | 'time' | 'traceparent'>,
  about: string,
  { subject, text, attachments = [] }: Mail,
  { name, address, fspId }: Recipient,
): OutgoingMessage {
  const notificationId = derivedId(event.id, 'NotifyRequested', name)
  const payload = {
    notificationId,
    // E-mails are unordered, so that no address waits for another one.
    entityId: notificationId,
    cause: { msgName: event.name, entityId: about },
    legRole: 'REQUESTER' as const,
    destinationFspId: fspId,
    transport: {
      type: 'EMAIL' as const,
      address,
      subject,
      ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
    },
    headers: {},
    deadline: new Date(Date.parse(event.time) + delivery_max_ms).toISOString(),
    reportRequired: false,
  }
  return newEvent(source, 'NotifyRequested', payload, {
    id: notificationId,
    relay: { body: Buffer.from(text) },
    traceparent: event.traceparent,
  })
}
