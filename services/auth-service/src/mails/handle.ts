/**
 * Operators are told by e-mail of what waits for their decision, and of what became of what they asked
 * for. The ids follow from the event, so that one which is heard twice is mailed once.
 */
import { derivedId, newEvent, onEvents, type DomainEvent } from '@causeway/events'
import type { Database, EventBus, Logger, OutgoingMessage, Subscribed } from '@causeway/runtime'
import { allRoles } from '../operators/role-store.ts'
import { allOperators } from '../operators/store.ts'
import { mailOf, toldOf, type Addressee } from './told.ts'

export interface MailParts {
  readonly bus: EventBus
  readonly db: Database
  readonly hubName: string
  readonly log: Logger
}

const heard = ['ParticipantChangeRequested', 'ParticipantChangeDecided'] as const

type Heard = DomainEvent<(typeof heard)[number]>

const kept_for_ms = 24 * 3_600_000

export function mailOperators({ bus, db, hubName, log }: MailParts): Promise<Subscribed> {
  return onEvents(bus, 'auth_service.changes', heard, async (events) => {
    const operators = await allOperators(db)
    const roles = await allRoles(db)
    const messages = events.flatMap((event) => {
      const told = toldOf(event, operators, roles)
      const { requestId } = event.payload
      if (told.length === 0) log.info({ requestId, event: event.name }, 'nobody has an address')
      return told.map((person) => message(event, person, hubName))
    })
    if (messages.length > 0) await bus.publish(messages)
  })
}

function message(event: Heard, { name, email }: Addressee, hubName: string): OutgoingMessage {
  const { subject, text } = mailOf(event)
  const notificationId = derivedId(event.id, 'NotifyRequested', name)
  const payload = {
    notificationId,
    // E-mails keep no order among each other, so that no address waits for another one.
    entityId: notificationId,
    cause: { msgName: event.name, entityId: event.payload.requestId },
    legRole: 'REQUESTER' as const,
    destinationFspId: hubName,
    transport: { type: 'EMAIL' as const, address: email, subject },
    headers: {},
    deadline: new Date(Date.parse(event.time) + kept_for_ms).toISOString(),
    reportRequired: false,
  }
  return newEvent('auth-service', 'NotifyRequested', payload, {
    id: notificationId,
    relay: { body: Buffer.from(text) },
    traceparent: event.traceparent,
  })
}
