export { topicAccess } from './access.ts'
export { auditEntry, type AuditedAction, type AuditedState } from './audit.ts'
export { catalogue, sharedTopics, topics, type EventName, type Payload } from './catalogue.ts'
export { privilegeOfCall } from './four-eyes.ts'
export { define, type EventDefinition, type Publisher } from './define.ts'
export { derivedId } from './derived-id.ts'
export {
  hearEvents,
  newEvent,
  onEvents,
  type DomainEvent,
  type EventOptions,
  type Hearing,
  type Relay,
} from './event.ts'
export type {
  DeliveryReport,
  ErrorInformation,
  ExtensionList,
  LegRole,
  Money,
  Position,
} from './parts.ts'
