/** Every named domain event: the only asynchronous language between the services. */
import type { z } from 'zod'
import { bulkQuoteEvents } from './bulk-quotes.ts'
import { bulkTransferEvents } from './bulk-transfers.ts'
import { consentEvents } from './consents.ts'
import type { EventDefinition } from './define.ts'
import { notificationEvents } from './notifications.ts'
import { participantEvents } from './participants.ts'
import { partyEvents } from './parties.ts'
import type { ReadonlyDeep } from './parts.ts'
import { platformEvents } from './platform.ts'
import { quoteEvents } from './quotes.ts'
import { reportEvents } from './reports.ts'
import { scheduleEvents } from './schedules.ts'
import { securityEvents } from './security.ts'
import { thirdPartyEvents } from './third-party.ts'
import { transferEvents } from './transfers.ts'

export const catalogue = {
  ...transferEvents,
  ...bulkTransferEvents,
  ...quoteEvents,
  ...bulkQuoteEvents,
  ...partyEvents,
  ...participantEvents,
  ...consentEvents,
  ...thirdPartyEvents,
  ...scheduleEvents,
  ...reportEvents,
  ...securityEvents,
  ...notificationEvents,
  ...platformEvents,
} satisfies Record<string, EventDefinition>

/** Every topic, each once. */
export const topics: readonly string[] = [
  ...new Set(Object.values(catalogue).map(({ topic }) => topic)),
].toSorted()

/** Topics that several services write; every other topic has one publisher. */
export const sharedTopics: ReadonlySet<string> = new Set([
  'notifications.requests',
  'audit',
  'logs',
])

/** Topics that components of the operator write, outside the hub; the operator grants their rights. */
export const topicsFromOutside: ReadonlySet<string> = new Set(['random-numbers.requests'])

export type EventName = keyof typeof catalogue

/** The services that may publish the event. */
export type PublisherOf<Name extends EventName> = (typeof catalogue)[Name]['publishers'][number]

export type Payload<Name extends EventName> = ReadonlyDeep<
  z.infer<(typeof catalogue)[Name]['schema']>
>
