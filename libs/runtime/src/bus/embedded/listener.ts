/** Hears what is handed over in this process, and keeps no place in the log. */
import type { Logger } from '../../log.ts'
import type { BroadcastSubscription } from '../event-bus.ts'
import { tell } from '../broadcast.ts'
import { open, type Delivery } from './delivery.ts'
import type { Member } from './member.ts'

/** Whoever is handed the messages of its topics, in the order of the numbers. */
export interface Reader extends Pick<Member, 'take' | 'push' | 'reads' | 'keepsUp'> {
  /** None of whoever keeps no place in the log. */
  readonly group: string | undefined
}

export function openListener(listening: BroadcastSubscription, log: Logger): Reader {
  const { types, known, read, onMissed } = listening
  const hear = (delivery: Delivery) => tell(listening, () => [open(delivery, read)], log)
  return {
    group: undefined,
    take(delivery) {
      if (types.has(delivery.type)) hear(delivery)
      else if (known?.has(delivery.type) === false) onMissed()
    },
    push(delivery) {
      hear(delivery)
      delivery.onFinished?.()
    },
    reads: (type) => types.has(type),
    keepsUp: () => true,
  }
}
