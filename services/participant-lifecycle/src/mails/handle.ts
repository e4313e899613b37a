/**
 * Events that people are told of by e-mail, each at the participant's address and at the hub's, or at the
 * hub's alone when they are about no participant. The ids
 * follow from the event, so that one which is heard twice is mailed once. Who has no address is not told.
 */
import { derivedId, newEvent, onEvents, type DomainEvent, type EventName } from '@causeway/events'
import type { alarmsService } from '@causeway/protos'
import {
  retrying,
  type Handlers,
  type Database,
  type EventBus,
  type Logger,
  type OutgoingMessage,
  type Subscribed,
} from '@causeway/runtime'
import type { Participant } from '../participants/domain/participant.ts'
import { participantsNamed } from '../participants/store.ts'
import { mailOf, participantOf, type Mail } from './contract.ts'

export interface MailParts {
  readonly bus: EventBus
  readonly database: Database
  /** Whichever replica writes the ledger, it looks there. */
  readonly check: (
    position: Parameters<Handlers<typeof alarmsService>['LiquidityThresholdExceeded']>[0],
  ) => Promise<object>
  readonly hubName: string
  readonly log: Logger
  /** Ends the repeating of calls. */
  readonly signal: AbortSignal
}

const heard = [
  'ParticipantLiquidityThresholdExceeded',
  'ParticipantAccountLimitUpdated',
  'ParticipantAccountThresholdUpdated',
  'ParticipantPositionChanged',
  'ScheduleReminderFailed',
] as const satisfies readonly EventName[]

type Heard = DomainEvent<(typeof heard)[number]>

const kept_for_ms = 24 * 3_600_000

export function mailPeople(parts: MailParts): Promise<Subscribed> {
  return onEvents(parts.bus, 'participant_lifecycle', heard, async (events) => {
    await checkAgain(parts, events)
    const messages = await messagesOf(parts, events)
    if (messages.length > 0) await parts.bus.publish(messages)
  })
}

/** What a changed limit or percentage means for the alarms, the ledger knows. */
async function checkAgain(
  { check, log, signal }: MailParts,
  events: readonly Heard[],
): Promise<void> {
  const changed = new Map(
    events.flatMap((event) => {
      const isLimit = event.name === 'ParticipantAccountLimitUpdated'
      if (!isLimit && event.name !== 'ParticipantAccountThresholdUpdated') return []
      const { participantId, currency } = event.payload
      return [[`${participantId}/${currency}`, { ...figures, participantId, currency }]]
    }),
  )
  for (const position of changed.values()) {
    await retrying(() => check(position), {
      log,
      what: 'look at the alarms of a position',
      signal,
    })
  }
}

/** The ledger looks for itself. */
const figures = {
  accountId: 0,
  position: '',
  limit: '',
  liquidity: '',
  remainingPercentage: '',
  transferId: '',
}

async function messagesOf(
  { database, hubName, log }: MailParts,
  events: readonly Heard[],
): Promise<readonly OutgoingMessage[]> {
  const mailed = events.flatMap((event) => {
    if (event.name === 'ParticipantAccountThresholdUpdated') return []
    const mail = mailOf(event)
    if (mail === undefined) return []
    const participant = participantOf(event)
    return [{ event, mail, told: participant === undefined ? [hubName] : [participant, hubName] }]
  })
  if (mailed.length === 0) return []
  const names = new Set(mailed.flatMap(({ told }) => told))
  const participants = await participantsNamed(database, [...names])
  const byName = new Map(participants.map((participant) => [participant.name, participant]))
  return mailed.flatMap(({ event, mail, told }) =>
    told.flatMap((name) => {
      const address = addressOf(byName.get(name), mail)
      if (address === undefined) {
        log.info({ participant: name, type: mail.endpointType }, 'no address: nobody is told')
        return []
      }
      return [message(event, mail, name, address)]
    }),
  )
}

function addressOf(participant: Participant | undefined, mail: Mail): string | undefined {
  return participant?.endpoints.find(({ type }) => type === mail.endpointType)?.value
}

function message(event: Heard, mail: Mail, name: string, address: string): OutgoingMessage {
  const notificationId = derivedId(event.id, 'NotifyRequested', name)
  const payload = {
    notificationId,
    // E-mails keep no order among each other, so that no address waits for another one.
    entityId: notificationId,
    cause: { msgName: event.name, entityId: entityOf(event) },
    legRole: 'REQUESTER' as const,
    destinationFspId: name,
    transport: { type: 'EMAIL' as const, address, subject: mail.subject },
    headers: {},
    deadline: new Date(Date.parse(event.time) + kept_for_ms).toISOString(),
    reportRequired: false,
  }
  const options = {
    id: notificationId,
    relay: { body: Buffer.from(mail.text) },
    traceparent: event.traceparent,
  }
  return newEvent('participant-lifecycle', 'NotifyRequested', payload, options)
}

function entityOf({ payload }: Heard): string {
  return 'participantId' in payload ? payload.participantId : payload.reminderId
}
