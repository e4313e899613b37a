/**
 * Expires overdue quotes. A quote does not expire while an answer that arrived in time waits to be
 * processed. There is no callback: the payer FSP has set the expiration itself.
 */
import type { Work } from '../work.ts'

export interface SweepOptions {
  readonly batch_max: number
  /** All events announced before that moment are processed. */
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

/** Processes due quotes in batches until none is left. Any number of sweepers may run. */
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
