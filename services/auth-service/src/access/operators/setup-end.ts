/**
 * The end of the program that sets up the hub: its secret lies in files, so after a while it may only
 * see and verify.
 */
import type { EventBus } from '@causeway/bus'
import type { Database } from '@causeway/postgres'
import { periodically, type Logger, type Periodic } from '@causeway/process'
import { lockNamed } from '../../lock.ts'
import { record } from '../../record.ts'
import { invalidateTokensOf } from './announce.ts'
import { recordOf } from './domain/operator.ts'
import { endedOperators, operatorsOf, saveEnd, saveRoles } from './store.ts'

export interface SetupEndParts {
  readonly db: Database
  readonly bus: EventBus
  /** Lifetime of access tokens. */
  readonly life_s: number
}

const every_ms = 60_000

/** Ends what is due; its tokens are invalid from then on. */
export async function endSetup({ db, bus, life_s }: SetupEndParts, now: Date): Promise<void> {
  if ((await endedOperators(db, now)).length === 0) return
  await db.transaction(async (tx) => {
    await lockNamed(tx, 'operators')
    for (const name of await endedOperators(tx, now)) {
      const [before] = await operatorsOf(tx, [name])
      if (before === undefined) continue
      const roles = before.roles.map((role) => (role === 'setup' ? 'setup-ended' : role))
      await saveRoles(tx, name, roles)
      await saveEnd(tx, name, null)
      await invalidateTokensOf(bus, tx, before, { now, life_s })
      record(bus, tx, {
        actor: 'auth-service',
        action: 'EndSetup',
        subject: `operators/${name}`,
        before: recordOf(before),
        after: { ...recordOf(before), roles },
        at: now,
      })
    }
  })
}

export function endSetupInTime(parts: SetupEndParts, log: Logger): Periodic {
  return periodically(every_ms, () => endSetup(parts, new Date()), {
    log,
    name: 'the end of the setup program',
  })
}
