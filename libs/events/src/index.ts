export {
  auditEntry,
  signedContentOf,
  type AuditedAction,
  type AuditedState,
  type AuditPayload,
} from './audit.ts'
export { participantSubject, type Announcer, type Audited, type By } from './audited-change.ts'
export { canonicalJson } from './canonical-json.ts'
export {
  catalogue,
  topics,
  type EventName,
  type Payload,
  type PublisherOf,
} from './catalogue/catalogue.ts'
export { privilegeOfCall } from './four-eyes.ts'
export { type EventDefinition, type Publisher } from './catalogue/define.ts'
export { derivedId } from './derived-id.ts'
export {
  onBroadcast,
  newEvent,
  onEvents,
  type DomainEvent,
  type EventOptions,
  type BroadcastHandlers,
  type Relay,
} from './event.ts'
export { shipLog } from './log-shipping.ts'
export { logLevels } from './catalogue/platform.ts'
export { mailMessage, mailText, type Mail } from './catalogue/mail.ts'
export type { ErrorInformation, LegRole } from './catalogue/parts.ts'
export { roundsOf } from './rounds.ts'
