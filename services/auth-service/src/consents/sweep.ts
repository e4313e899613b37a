/**
 * Refuses registrations that account-lookup does not confirm in time. An answer that arrived in
 * time but is not processed yet still counts.
 */
import { derivedId } from '@causeway/events'
import type { Command } from './contract.ts'
import { carryOut, type ConsentWork } from './handle.ts'

export interface UnconfirmedOptions {
  readonly batch_max: number
  readonly wait_ms: number
  /** All events announced before that moment are processed. */
  readonly lowWatermark: () => Promise<Date>
}

/** Processes due registrations in batches until none is left. Any number of sweepers may run. */
export async function refuseUnconfirmed(
  work: ConsentWork,
  { batch_max, wait_ms, lowWatermark }: UnconfirmedOptions,
): Promise<void> {
  const until_ms = Math.min(work.now().getTime(), (await lowWatermark()).getTime())
  for (;;) {
    const due = await work.store.listUnconfirmed(new Date(until_ms - wait_ms), batch_max)
    await carryOut(
      work,
      due.map(({ consentId, requestEventId }): Command => ({
        type: 'OWN',
        eventId: derivedId(requestEventId, 'OWNERSHIP_UNCONFIRMED'),
        traceparent: undefined,
        ownership: { consentId, outcome: 'UNCONFIRMED', detail: 'no answer in time' },
      })),
    )
    if (due.length < batch_max) return
  }
}
