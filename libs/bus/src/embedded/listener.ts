/** Receives what is delivered in this process, and stores no offset. */
import type { Logger } from '@causeway/process'
import type { BroadcastSubscription } from '../event-bus.ts'
import { deliverBroadcast } from '../broadcast.ts'
import { open, type Delivery } from './delivery.ts'
import type { Member } from './member.ts'

/** A receiver of the messages of its topics, in the order of the numbers. */
export interface Reader extends Pick<Member, 'take' | 'push' | 'reads' | 'isCaughtUp'> {
  /** undefined for a reader that stores no offset. */
  readonly group: string | undefined
}

export function openListener(listening: BroadcastSubscription, log: Logger): Reader {
  const { types, known, read, onMissed } = listening
  const deliver = (delivery: Delivery) =>
    deliverBroadcast(listening, () => [open(delivery, read)], log)
  return {
    group: undefined,
    take(delivery) {
      if (types.has(delivery.type)) deliver(delivery)
      else if (known?.has(delivery.type) === false) onMissed()
    },
    push(delivery) {
      deliver(delivery)
      delivery.onFinished?.()
    },
    reads: (type) => types.has(type),
    isCaughtUp: () => true,
  }
}
