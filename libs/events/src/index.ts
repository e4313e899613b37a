export {
  auditEntry,
  signedContentOf,
  type AuditedAction,
  type AuditedState,
  type AuditPayload,
} from './audit.ts'
export { canonicalJson } from './canonical-json.ts'
export { catalogue, topics, type EventName, type Payload } from './catalogue.ts'
export { privilegeOfCall } from './four-eyes.ts'
export { type EventDefinition, type Publisher } from './define.ts'
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
export { logLevels } from './platform.ts'
export { mailMessage, mailText, type Mail } from './mail.ts'
export type { ErrorInformation, LegRole } from './parts.ts'
export { roundsOf } from './rounds.ts'
