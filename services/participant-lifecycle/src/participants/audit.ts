/** The audit entry of a change: the affected members, before and after. */
import { type Audited, type AuditedState, participantSubject } from '@causeway/events'
import { formatAmount } from '@causeway/money'
import type { ParticipantChange } from './domain/change.ts'
import type { Limit, Participant } from './domain/participant.ts'

/** For an existing participant. Null when nothing changes. */
export function auditedChanges(
  participant: Participant,
  changes: readonly ParticipantChange[],
): Audited | null {
  if (changes.length === 0) return null
  const pairs = changes.map((change) => pairOf(participant, change))
  return {
    subject: participantSubject(participant.name),
    before: merged(pairs.map(({ before }) => before)),
    after: merged(pairs.map(({ after }) => after)),
  }
}

type AuditedMembers = Readonly<
  Record<'state' | 'accounts' | 'limits' | 'endpoints', AuditedState | undefined>
>
type ChangedMembers = Partial<AuditedMembers>

function pairOf(
  { accounts }: Participant,
  change: ParticipantChange,
): { readonly before: ChangedMembers; readonly after: ChangedMembers } {
  switch (change.type) {
    case 'SET_STATE':
      return {
        before: { state: { name: change.old } },
        after: { state: { name: change.state, isActive: change.isActive } },
      }
    case 'OPEN_ACCOUNT': {
      const { accountType, currency, isActive } = change
      return { before: {}, after: { accounts: { [`${accountType} ${currency}`]: { isActive } } } }
    }
    case 'SET_ACCOUNT_STATUS': {
      const key = `${accounts.find(({ id }) => id === change.accountId)?.type} ${change.currency}`
      const { isActive } = change
      return {
        before: { accounts: { [key]: { isActive: !isActive } } },
        after: { accounts: { [key]: { isActive } } },
      }
    }
    case 'SET_LIMIT':
      return {
        before:
          change.old === null ? {} : { limits: { [change.currency]: limitState(change.old) } },
        after: { limits: { [change.currency]: limitState(change.limit) } },
      }
    case 'SET_ENDPOINT':
      return {
        before: change.old === null ? {} : { endpoints: { [change.endpointType]: change.old } },
        after: { endpoints: { [change.endpointType]: change.value } },
      }
  }
}

function limitState({ value, alarmPercentage }: Limit): AuditedState {
  return { value: formatAmount(value), alarmPercentage: formatAmount(alarmPercentage) }
}

function merged(parts: readonly ChangedMembers[]): AuditedState {
  const all: Record<string, AuditedState> = {}
  for (const part of parts) {
    for (const [name, state] of Object.entries(part)) all[name] = { ...all[name], ...state }
  }
  return all
}
