/** The events of changes: one event and one version step per change. */
import type { OutgoingMessage } from '@causeway/bus'
import { newEvent, type EventName, type Payload } from '@causeway/events'
import { formatAmount } from '@causeway/money'
import type { ParticipantChange } from './domain/change.ts'
import type { Endpoint, Participant } from './domain/participant.ts'
import type { NewParticipant, OpenedAccount } from './store.ts'

export interface Announcements {
  readonly events: readonly OutgoingMessage[]
  /** The participant's version after the last of them. */
  readonly version: number
}

/** An opened account, for its event. */
export interface AnnouncedAccount extends OpenedAccount {
  readonly isActive: boolean
}

/** Of a new participant: everything about it in one event. */
export function created(
  participant: Participant & Pick<NewParticipant, 'type'>,
  accounts: readonly AnnouncedAccount[],
  at: Date,
  requestId?: string,
): OutgoingMessage {
  return eventOf('ParticipantCreated', {
    participantId: participant.name,
    type: participant.type,
    state: participant.state,
    isActive: participant.isActive,
    currencies: [...new Set(accounts.map(({ currency }) => currency))],
    accounts: accounts.map(accountPart),
    version: participant.version,
    changedAt: at.toISOString(),
    ...(requestId === undefined ? {} : { requestId }),
  })
}

/** `accounts` are the ones that the changes opened, in their order. */
export function announcementsOf(
  participant: Participant,
  changes: readonly ParticipantChange[],
  accounts: readonly AnnouncedAccount[],
  at: Date,
): Announcements {
  const subject: Subject = { participantId: participant.name, changedAt: at.toISOString() }
  const endpoints = endpointsAfter(participant, changes)
  const opened = [...accounts]
  const facts = changes.flatMap((change): readonly Fact[] => {
    switch (change.type) {
      case 'OPEN_ACCOUNT':
        return opened.splice(0, 1).map((account) => accountAdded(subject, account))
      case 'SET_STATE':
        return [stateUpdated(subject, change)]
      case 'SET_ACCOUNT_STATUS':
        return [statusUpdated(subject, change)]
      case 'SET_LIMIT':
        return limitUpdated(subject, change)
      case 'SET_ENDPOINT':
        return [
          (version) => eventOf('ParticipantEndpointsUpdated', { ...subject, version, endpoints }),
        ]
    }
  })
  const { version } = participant
  return {
    events: facts.map((fact, index) => fact(version + index + 1)),
    version: version + facts.length,
  }
}

interface Subject {
  readonly participantId: string
  readonly changedAt: string
}

/** An event that waits for its version. */
type Fact = (version: number) => OutgoingMessage

function eventOf<Name extends EventName>(name: Name, payload: Payload<Name>): OutgoingMessage {
  return newEvent('participant-lifecycle', name, payload)
}

function accountPart({ id, type, currency, isActive }: AnnouncedAccount) {
  return { accountId: id, ledgerAccountType: type, currency, isActive }
}

function accountAdded(subject: Subject, account: AnnouncedAccount): Fact {
  return (version) =>
    eventOf('ParticipantAccountAdded', { ...subject, version, account: accountPart(account) })
}

function stateUpdated(
  subject: Subject,
  { state: newState, old: oldState, isActive }: Extract<ParticipantChange, { type: 'SET_STATE' }>,
): Fact {
  return (version) =>
    eventOf('ParticipantStateUpdated', { ...subject, version, oldState, newState, isActive })
}

function statusUpdated(
  subject: Subject,
  { accountId, currency, isActive }: Extract<ParticipantChange, { type: 'SET_ACCOUNT_STATUS' }>,
): Fact {
  const name = isActive ? 'ParticipantAccountEnabled' : 'ParticipantAccountDisabled'
  return (version) => eventOf(name, { ...subject, version, accountId, currency, isActive })
}

/** The limit and its alarm percentage have separate events. */
function limitUpdated(
  subject: Subject,
  { accountId, currency, limit, old }: Extract<ParticipantChange, { type: 'SET_LIMIT' }>,
): readonly Fact[] {
  const about = { ...subject, accountId, currency }
  const value: Fact = (version) =>
    eventOf('ParticipantAccountLimitUpdated', {
      ...about,
      version,
      limit: { type: 'NET_DEBIT_CAP', value: formatAmount(limit.value) },
      ...(old === null ? {} : { oldValue: formatAmount(old.value) }),
    })
  if (old === null) return [value]
  const threshold: Fact = (version) =>
    eventOf('ParticipantAccountThresholdUpdated', {
      ...about,
      version,
      alarmPercentage: formatAmount(limit.alarmPercentage),
      old: formatAmount(old.alarmPercentage),
    })
  return [
    ...(limit.value === old.value ? [] : [value]),
    ...(limit.alarmPercentage === old.alarmPercentage ? [] : [threshold]),
  ]
}

function endpointsAfter(
  participant: Participant,
  changes: readonly ParticipantChange[],
): Endpoint[] {
  const values = new Map(participant.endpoints.map(({ type, value }) => [type, value]))
  for (const change of changes) {
    if (change.type === 'SET_ENDPOINT') values.set(change.endpointType, change.value)
  }
  return [...values].map(([type, value]) => ({ type, value }))
}
