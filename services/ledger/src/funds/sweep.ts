/** Releases funds out that were not completed in time. */
import type { Database } from '@causeway/postgres'
import { isOutage, periodically, type Logger } from '@causeway/process'
import { recordFunds, type FundsParts } from './handle.ts'
import { overdueFunds } from './store.ts'

const batch_max = 100

export interface SweepParts extends Pick<FundsParts, 'writer' | 'bus' | 'rules'> {
  readonly database: Database
  readonly log: Logger
  readonly every_ms: number
  /** Whether this process is the ledger's writer; other replicas do nothing. */
  readonly isHere: () => boolean
}

export function sweepFunds(parts: SweepParts): { stop(): Promise<void> } {
  const { every_ms, log } = parts
  return periodically(every_ms, () => sweepOnce(parts), { log, name: 'ending funds out' })
}

export async function sweepOnce(parts: SweepParts): Promise<void> {
  if (!parts.isHere()) return
  for (const { id, participant } of await overdueFunds(parts.database, batch_max)) {
    const by = { actor: 'participant-lifecycle', action: 'recordFundsOutExpiry' }
    const command = {
      type: 'END_WITHDRAWAL',
      id,
      participant,
      accountId: null,
      how: 'EXPIRE',
    } as const
    try {
      const outcome = await recordFunds(parts, command, by)
      if (outcome.type === 'DONE') parts.log.info({ id, participant }, 'funds out have expired')
    } catch (error) {
      // A hold that cannot be ended stays the oldest one; later ones must not wait for it.
      if (isOutage(error)) throw error
      parts.log.error({ err: error, id, participant }, 'ALARM funds out could not be ended')
    }
  }
}
