/** Stores changes and publishes their events in one transaction, for many participants at once. */
import type { Announcer } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'
import { announcementsOf, created, type AnnouncedAccount } from './announce.ts'
import type { ParticipantChange } from './domain/change.ts'
import type { Participant } from './domain/participant.ts'
import {
  addParticipant,
  openAccounts,
  saveChange,
  saveVersions,
  type NewParticipant,
  type OpenedAccount,
} from './store.ts'

export interface Changing {
  readonly participant: Participant
  readonly changes: readonly ParticipantChange[]
}

/** Participants without changes are skipped. */
export async function applyChanges(
  bus: Announcer,
  tx: Transaction,
  all: readonly Changing[],
  at: Date,
): Promise<void> {
  const changing = all.filter(({ changes }) => changes.length > 0)
  if (changing.length === 0) return
  const opened = await openAccounts(tx, changing.flatMap(openingsOf))
  const versions: { participantId: number; version: number }[] = []
  for (const { participant, changes } of changing) {
    for (const change of changes) {
      if (change.type !== 'OPEN_ACCOUNT') await saveChange(tx, participant.id, change)
    }
    const accounts = announced(participant, changes, opened)
    const { events, version } = announcementsOf(participant, changes, accounts, at)
    bus.announce(tx, events)
    versions.push({ participantId: participant.id, version })
  }
  await saveVersions(tx, versions)
}

/** A new participant with its first accounts. */
export async function applyCreation(
  bus: Announcer,
  tx: Transaction,
  participant: NewParticipant,
  changes: readonly ParticipantChange[],
  at: Date,
  requestId?: string,
): Promise<void> {
  const added = await addParticipant(tx, participant)
  const opened = await openAccounts(tx, openingsOf({ participant: added, changes }))
  const known = { ...added, type: participant.type }
  bus.announce(tx, [created(known, announced(added, changes, opened), at, requestId)])
}

function openingsOf({ participant, changes }: Changing) {
  return changes
    .filter((change) => change.type === 'OPEN_ACCOUNT')
    .map((change) => ({ ...change, participantId: participant.id }))
}

/** The opened accounts of this participant in the order of the changes. */
function announced(
  participant: Participant,
  changes: readonly ParticipantChange[],
  opened: readonly OpenedAccount[],
): readonly AnnouncedAccount[] {
  return changes
    .filter((change) => change.type === 'OPEN_ACCOUNT')
    .map(({ accountType, currency, isActive }) => {
      const account = opened.find(
        (one) =>
          one.participantId === participant.id &&
          one.type === accountType &&
          one.currency === currency,
      )
      if (account === undefined) throw new Error(`no ${accountType} in ${currency} was opened`)
      return { ...account, isActive }
    })
}
