/** Hears what is handed over in this process, and keeps no place in the log. */
import type { Logger } from '../../log.ts'
import type { Listening } from '../event-bus.ts'
import { tell } from '../listening.ts'
import { open } from './delivery.ts'
import type { Member } from './member.ts'

/** Whoever is handed the messages of its topics, in the order of the numbers. */
export type Reader = Pick<Member, 'take'>

export function openListener(listening: Listening, log: Logger): Reader {
  const { types, read } = listening
  return {
    take(delivery) {
      if (types.has(delivery.type)) tell(listening, () => [open(delivery, read)], log)
    },
  }
}
