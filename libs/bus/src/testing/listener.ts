/** A broadcast subscription that records what it receives. */
import type { BroadcastSubscription, Message } from '../event-bus.ts'

export function listenerTo(topics: readonly string[], more: Partial<BroadcastSubscription> = {}) {
  const received: Message[] = []
  const missed: number[] = []
  const listening: BroadcastSubscription = {
    group: 'shop',
    topics,
    types: new Set(['Counted']),
    read: (_type, json) => json,
    onMessages: (messages) => received.push(...messages),
    onMissed: () => missed.push(received.length),
    ...more,
  }
  return { received, missed, listening }
}
