/** The event bus: its contract. The engines are the entries `embedded` and `kafka`. */
export { isGroupOf } from './group-names.ts'
export type {
  BatchContext,
  DeadLetter,
  DeadLetterObserver,
  EventBus,
  Listener,
  Message,
  MessageHeaders,
  OutgoingMessage,
  PublishDerived,
  Subscribed,
  Subscription,
} from './event-bus.ts'
export { FromNewerRelease } from './from-newer-release.ts'
export { checkSize } from './message-size.ts'
