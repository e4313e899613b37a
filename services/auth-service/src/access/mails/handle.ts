/**
 * Sends e-mails to operators about changes that need their approval, and about decisions on their
 * requests. Ids are derived from the event, so a redelivered event sends no second e-mail.
 */
import type { EventBus, OutgoingMessage, Subscribed } from '@causeway/bus'
import { mailMessage, onEvents, type DomainEvent } from '@causeway/events'
import type { Database } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import { allRoles } from '../operators/role-store.ts'
import { allOperators } from '../operators/store.ts'
import { mailOf, recipientsOf, type Addressee } from './recipients.ts'

export interface MailParts {
  readonly bus: EventBus
  readonly db: Database
  readonly hubName: string
  readonly log: Logger
}

const mailedEvents = ['ParticipantChangeRequested', 'ParticipantChangeDecided'] as const

type ChangeEvent = DomainEvent<(typeof mailedEvents)[number]>

export function mailOperators({ bus, db, hubName, log }: MailParts): Promise<Subscribed> {
  return onEvents(bus, 'auth_service.changes', mailedEvents, async (events) => {
    const operators = await allOperators(db)
    const roles = await allRoles(db)
    const messages = events.flatMap((event) => {
      const recipients = recipientsOf(event, operators, roles)
      const { requestId } = event.payload
      if (recipients.length === 0)
        log.info({ requestId, event: event.name }, 'no operator to notify has an e-mail address')
      return recipients.map((person) => message(event, person, hubName))
    })
    if (messages.length > 0) await bus.publish(messages)
  })
}

function message(event: ChangeEvent, { name, email }: Addressee, hubName: string): OutgoingMessage {
  const recipient = { name, address: email, fspId: hubName }
  return mailMessage('auth-service', event, event.payload.requestId, mailOf(event), recipient)
}
