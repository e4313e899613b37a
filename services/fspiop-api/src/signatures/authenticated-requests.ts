/**
 * Payment requests and the answers of payee FSPs leave the edge with an authentication code, which transfers
 * checks before it reserves, posts or releases money: write access to the log between them does not suffice
 * to invent one. None is published without a code while auth-service cannot be asked for the key.
 */
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import {
  authenticatedEvents,
  requestMac,
  type PaymentRequest,
  type RequestKey,
  type RequestKeys,
} from '@causeway/keys/components'

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

const authenticated: ReadonlySet<string> = new Set(authenticatedEvents)

function isRequest({ type }: OutgoingMessage): boolean {
  return authenticated.has(type)
}

function withCodes(
  messages: readonly OutgoingMessage[],
  key: RequestKey,
): readonly OutgoingMessage[] {
  return messages.map((message) => {
    if (!isRequest(message)) return message
    const mac = requestMac(key.key, message.payload as PaymentRequest)
    return { ...message, headers: { ...message.headers, 'relay-mac': mac } }
  })
}
