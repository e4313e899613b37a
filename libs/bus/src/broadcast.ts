/**
 * How both engines deliver broadcasts: a failure is reported as missed and stops no other
 * subscriber.
 */
import type { Logger } from '@causeway/process'
import type { BroadcastSubscription, Message } from './event-bus.ts'

/** @param open reads the messages; a throw means that one of them cannot be read */
export function deliverBroadcast(
  { group, onMessages, onMissed }: BroadcastSubscription,
  open: () => readonly Message[],
  log: Logger,
): void {
  try {
    onMessages(open())
  } catch (error) {
    log.error({ err: error, group }, 'broadcast messages could not be handled')
    onMissed()
  }
}
