/**
 * No registration waits for account-lookup for ever: one that is not confirmed in time is refused. An
 * answer that came in time and waits to be read counts.
 */
import { derivedId } from '@causeway/events'
import type { Command } from './contract.ts'
import { carryOut, type ConsentWork } from './handle.ts'

export interface UnconfirmedOptions {
  readonly batch_max: number
  readonly wait_ms: number
  /** Whatever was announced before that moment is worked off. */
  readonly lowWatermark: () => Promise<Date>
}

/** Takes what is due, batch by batch, until nothing is. Any number of sweepers may run. */
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
