/**
 * The permissions of a state are a setting and may have changed since the last start. For each
 * participant whose permission to transfer has changed, a state change is published.
 */
import { announceAudit } from '@causeway/ledger'
import type { Announcer } from '@causeway/events'
import { permittedIn, type States } from '@causeway/services'
import type { Transaction } from '@causeway/postgres'
import { applyChanges } from './apply.ts'
import { auditedChanges } from './audit.ts'
import type { ParticipantChange } from './domain/change.ts'
import { participantsNamed } from './store.ts'

const by = { actor: 'participant-lifecycle', action: 'AlignParticipantState' }

/** Runs in the ledger's queue. */
export async function republishStates(
  tx: Transaction,
  bus: Announcer,
  states: States,
): Promise<void> {
  for (const participant of await participantsNamed(tx, 'ALL')) {
    const { state, isActive: before, isHub, type } = participant
    const isActive = permittedIn(states, state).has('TRANSFERS')
    if (isHub || type === 'AUTH_SERVICE' || isActive === before) continue
    const changes: readonly ParticipantChange[] = [
      { type: 'SET_STATE', state, old: state, isActive },
    ]
    await applyChanges(bus, tx, [{ participant, changes }], new Date())
    const audited = auditedChanges(participant, changes)
    if (audited) announceAudit(bus, tx, by, audited)
  }
}
