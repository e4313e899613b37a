/**
 * A bus that signs the audit entries of a service with its component key: id of the key and signature
 * are members of the entry. Without a key the entries stay unsigned.
 */
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import { signedContentOf, type AuditPayload } from '@causeway/events'
import type { ComponentKey } from './component-key.ts'

/** @param own asked at each entry: the registration of the key may be refused later */
export function signedEntries(
  bus: EventBus,
  own: { readonly key: ComponentKey | undefined },
): EventBus {
  const signed = (messages: readonly OutgoingMessage[]) => {
    const { key } = own
    if (key === undefined || !messages.some(isEntry)) return messages
    return messages.map((message) => (isEntry(message) ? signedBy(key, message) : message))
  }
  return {
    ...bus,
    announce: (tx, messages) => bus.announce(tx, signed(messages)),
    publish: (messages) => bus.publish(signed(messages)),
  }
}

function isEntry({ type }: OutgoingMessage): boolean {
  return type === '/audit-log-write'
}

function signedBy(key: ComponentKey, message: OutgoingMessage): OutgoingMessage {
  const entry = { ...(message.payload as AuditPayload), sourceKeyId: key.id }
  const sourceSignature = key.sign(signedContentOf(entry)).toString('base64url')
  return { ...message, payload: { ...entry, sourceSignature } }
}
