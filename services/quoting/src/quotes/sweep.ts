/**
 * No quote stays pending past its expiry, and none expires over an answer that came in time and waits
 * to be read. Nobody is told: the payer FSP named the moment itself.
 */
import type { Work } from '../work.ts'

export interface SweepOptions {
  readonly batch_max: number
  /** Whatever was announced before that moment is worked off. */
  readonly lowWatermark: () => Promise<Date>
}

export function sweep(
  { store, now, became }: Pick<Work, 'store' | 'now' | 'became'>,
  options: SweepOptions,
): Promise<void> {
  return expireDue({ store, now, became }, options)
}

export function sweepBulks(
  { bulks, now, becameBulk }: Pick<Work, 'bulks' | 'now' | 'becameBulk'>,
  options: SweepOptions,
): Promise<void> {
  return expireDue({ store: bulks, now, became: becameBulk }, options)
}

/** Takes what is due, batch by batch, until nothing is. Any number of sweepers may run. */
async function expireDue(
  {
    store,
    now,
    became,
  }: Pick<Work, 'now' | 'became'> & { readonly store: Pick<Work['store'], 'expire'> },
  { batch_max, lowWatermark }: SweepOptions,
): Promise<void> {
  const until = new Date(Math.min(now().getTime(), (await lowWatermark()).getTime()))
  for (;;) {
    const expired = await store.expire(until, batch_max)
    if (expired > 0) became('EXPIRED', expired)
    if (expired < batch_max) return
  }
}
