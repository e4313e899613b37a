/**
 * Payment requests and refusals of payees leave the edge with an authentication code, which transfers checks
 * before it reserves or releases money: write access to the log between them does not suffice to invent one. No request is published
 * without one while auth-service cannot be asked for the key.
 */
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import {
  authenticatedEvents,
  requestMac,
  type PaymentRequest,
  type RequestKey,
  type RequestKeys,
} from '@causeway/component-keys'

export function authenticatedRequests(
  bus: Pick<EventBus, 'publish'>,
  keys: RequestKeys,
): EventBus['publish'] {
  return (messages) => {
    if (!messages.some(isRequest)) return bus.publish(messages)
    const found = keys.current()
    return found instanceof Promise
      ? found.then((key) => bus.publish(withCodes(messages, key)))
      : bus.publish(withCodes(messages, found))
  }
}

function isRequest({ type }: OutgoingMessage): boolean {
  return authenticatedEvents.has(type)
}

function withCodes(
  messages: readonly OutgoingMessage[],
  key: RequestKey | 'NONE',
): readonly OutgoingMessage[] {
  if (key === 'NONE') return messages
  return messages.map((message) => {
    if (!isRequest(message)) return message
    const mac = requestMac(key.key, message.payload as PaymentRequest)
    return { ...message, headers: { ...message.headers, 'relay-mac': mac } }
  })
}
