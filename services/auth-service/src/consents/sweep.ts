/**
 * Refuses registrations that account-lookup does not confirm in time. An answer that arrived in
 * time but is not processed yet still counts. A registration that cannot be refused raises an alarm, and
 * keeps no other from being refused.
 */
import { derivedId } from '@causeway/events'
import { halving, type Logger } from '@causeway/process'
import type { ConsentCommand } from './contract.ts'
import type { Consent } from './domain/consent.ts'
import { carryOut, type ConsentWork } from './handle.ts'

export interface UnconfirmedOptions {
  readonly batch_max: number
  readonly wait_ms: number
  /** All events announced before that moment are processed. */
  readonly lowWatermark: () => Promise<Date>
  readonly log: Pick<Logger, 'error'>
}

/** Processes due registrations in batches until none is left. Any number of sweepers may run. */
export async function refuseUnconfirmed(
  work: ConsentWork,
  { batch_max, wait_ms, lowWatermark, log }: UnconfirmedOptions,
): Promise<void> {
  const until_ms = Math.min(work.now().getTime(), (await lowWatermark()).getTime())
  for (;;) {
    const due = await work.store.listUnconfirmed(new Date(until_ms - wait_ms), batch_max)
    const failed = await halving(due, (some) => carryOut(work, some.map(unconfirmed)))
    for (const { item, error } of failed) {
      const { consentId } = item
      log.error({ err: error, consentId }, 'ALARM an unconfirmed consent could not be refused')
    }
    // Those that fail stay the oldest: they are tried again at the next time.
    if (due.length < batch_max || failed.length === due.length) return
  }
}

function unconfirmed({ consentId, requestEventId }: Consent): ConsentCommand {
  return {
    type: 'OWN',
    eventId: derivedId(requestEventId, 'OWNERSHIP_UNCONFIRMED'),
    traceparent: undefined,
    ownership: { consentId, outcome: 'UNCONFIRMED', detail: 'no answer in time' },
  }
}
