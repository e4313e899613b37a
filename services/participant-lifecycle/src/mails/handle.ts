/**
 * Sends e-mails about events, each to the participant's address and to the hub's, or only to the
 * hub's if the event concerns no participant; a report goes to its reader alone. The ids derive from the event, so an event that is
 * delivered twice is mailed once. Without an address no e-mail is sent.
 */
import type { EventBus, OutgoingMessage, Subscribed } from '@causeway/bus'
import { mailMessage, onEvents, type DomainEvent, type EventName } from '@causeway/events'
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { retrying, type Logger } from '@causeway/process'
import type { alarmsService } from '@causeway/protos'
import type { Participant } from '../participants/domain/participant.ts'
import { participantsNamed } from '../participants/store.ts'
import { mailOf, recipientsOf, type ParticipantMail } from './contract.ts'

export interface MailParts {
  readonly bus: EventBus
  readonly database: Database
  /** Checks the position on the replica that writes the ledger. */
  readonly check: (
    position: Parameters<Handlers<typeof alarmsService>['LiquidityThresholdExceeded']>[0],
  ) => Promise<object>
  readonly hubName: string
  readonly log: Logger
  /** Ends the retrying of calls. */
  readonly signal: AbortSignal
}

const consumed = [
  'ParticipantLiquidityThresholdExceeded',
  'ParticipantAccountLimitUpdated',
  'ParticipantAccountThresholdUpdated',
  'ParticipantPositionChanged',
  'ScheduleReminderFailed',
  'DayReportStored',
  'CredentialEnding',
] as const satisfies readonly EventName[]

type ConsumedEvent = DomainEvent<(typeof consumed)[number]>

export function sendMails(parts: MailParts): Promise<Subscribed> {
  return onEvents(parts.bus, 'participant_lifecycle', consumed, async (events) => {
    await checkAgain(parts, events)
    const messages = await messagesOf(parts, events)
    if (messages.length > 0) await parts.bus.publish(messages)
  })
}

/** The ledger checks the alarms again after a changed limit or percentage. */
async function checkAgain(
  { check, log, signal }: MailParts,
  events: readonly ConsumedEvent[],
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
      what: 'checking the alarms of a position',
      signal,
    })
  }
}

/** The ledger uses its own figures. */
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
  events: readonly ConsumedEvent[],
): Promise<readonly OutgoingMessage[]> {
  const mailed = events.flatMap((event) => {
    if (event.name === 'ParticipantAccountThresholdUpdated') return []
    const mail = mailOf(event)
    if (mail === undefined) return []
    return [{ event, mail, recipients: recipientsOf(event, hubName) }]
  })
  if (mailed.length === 0) return []
  const names = new Set(mailed.flatMap(({ recipients }) => recipients))
  const participants = await participantsNamed(database, [...names])
  const byName = new Map(participants.map((participant) => [participant.name, participant]))
  return mailed.flatMap(({ event, mail, recipients }) =>
    recipients.flatMap((name) => {
      const address = addressOf(byName.get(name), mail)
      if (address === undefined) {
        log.info(
          { participant: name, type: mail.endpointType },
          'no e-mail address: no notification is sent',
        )
        return []
      }
      const recipient = { name, address, fspId: name }
      return [mailMessage('participant-lifecycle', event, entityOf(event), mail, recipient)]
    }),
  )
}

function addressOf(
  participant: Participant | undefined,
  mail: ParticipantMail,
): string | undefined {
  return participant?.endpoints.find(({ type }) => type === mail.endpointType)?.value
}

function entityOf({ payload }: ConsumedEvent): string {
  if ('reportId' in payload) return payload.reportId
  return 'participantId' in payload ? payload.participantId : payload.reminderId
}
