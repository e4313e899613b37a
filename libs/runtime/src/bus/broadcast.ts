/** What both engines do with what is heard: a failure is told as missed and stops nobody. */
import type { Logger } from '../log.ts'
import type { BroadcastSubscription, Message } from './event-bus.ts'

/** @param open makes the messages; a throw means that one of them cannot be read */
export function tell(
  { group, onMessages, onMissed }: BroadcastSubscription,
  open: () => readonly Message[],
  log: Logger,
): void {
  try {
    onMessages(open())
  } catch (error) {
    log.error({ err: error, group }, 'what was heard could not be taken in')
    onMissed()
  }
}
