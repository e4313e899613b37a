/**
 * The texts of e-mails about an alarm, a changed limit, a position that a settlement moved, a failed
 * reminder, a report of a finished day, or a key or certificate that ends soon.
 */
import { mailText, type Mail, type Payload } from '@causeway/events'

export type MailedName =
  | 'ParticipantLiquidityThresholdExceeded'
  | 'ParticipantAccountLimitUpdated'
  | 'ParticipantPositionChanged'
  | 'ScheduleReminderFailed'
  | 'DayReportStored'
  | 'CredentialEnding'

export type MailedEvent = {
  readonly [Name in MailedName]: { readonly name: Name; readonly payload: Payload<Name> }
}[MailedName]

export interface ParticipantMail extends Mail {
  /** The type of the endpoint that holds the address. */
  readonly endpointType: string
}

/** Undefined: the event needs no e-mail. */
export function mailOf(event: MailedEvent): ParticipantMail | undefined {
  switch (event.name) {
    case 'ParticipantLiquidityThresholdExceeded':
      return alarmMail(event.payload)
    case 'ParticipantAccountLimitUpdated':
      return adjustmentMail(event.payload)
    case 'ParticipantPositionChanged':
      return positionMail(event.payload)
    case 'ScheduleReminderFailed':
      return reminderMail(event.payload)
    case 'DayReportStored':
      return reportMail(event.payload)
    case 'CredentialEnding':
      return endingMail(event.payload)
  }
}

/** The participant concerned; undefined: only the hub. */
export function participantOf({ payload }: MailedEvent): string | undefined {
  return 'participantId' in payload ? payload.participantId : undefined
}

/** Who gets the e-mail: the participant and the hub; a report has one reader. */
export function recipientsOf(event: MailedEvent, hubName: string): readonly string[] {
  const participant = participantOf(event)
  if (participant === undefined) return [hubName]
  return event.name === 'DayReportStored' ? [participant] : [participant, hubName]
}

function alarmMail(alarm: Payload<'ParticipantLiquidityThresholdExceeded'>): ParticipantMail {
  const { participantId, currency, kind, remainingPercentage } = alarm
  const subject =
    kind === 'THRESHOLD'
      ? `${participantId}: ${remainingPercentage} % of the ${currency} limit remain`
      : `${participantId}: a ${currency} transfer was refused for lack of liquidity`
  return {
    endpointType: 'NET_DEBIT_CAP_THRESHOLD_BREACH_EMAIL',
    subject,
    text: mailText([
      ['Participant', participantId],
      ['Currency', currency],
      ['Limit type', 'NET_DEBIT_CAP'],
      ['Limit', `${alarm.limit} (the lower of net debit cap and cover)`],
      ['Position', alarm.position],
      ['Remaining', `${remainingPercentage} %`],
      ['Alarm at', `${alarm.alarmPercentage} %`],
      ['Time', alarm.occurredAt],
    ]),
  }
}

function adjustmentMail(
  change: Payload<'ParticipantAccountLimitUpdated'>,
): ParticipantMail | undefined {
  const { participantId, currency, limit, oldValue } = change
  if (limit.value === oldValue) return undefined
  return {
    endpointType: 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL',
    subject: `${participantId}: the ${currency} limit is ${limit.value}`,
    text: mailText([
      ['Participant', participantId],
      ['Currency', currency],
      ['Limit type', limit.type],
      ['New value', limit.value],
      ['Old value', oldValue ?? 'none'],
      ['Time', change.changedAt],
    ]),
  }
}

function positionMail(change: Payload<'ParticipantPositionChanged'>): ParticipantMail {
  const { participantId, currency, value } = change
  return {
    endpointType: 'SETTLEMENT_TRANSFER_POSITION_CHANGE_EMAIL',
    subject: `${participantId}: a settlement has moved the ${currency} position to ${value}`,
    text: mailText([
      ['Participant', participantId],
      ['Currency', currency],
      ['Position', value],
      ['Time', change.changedAt],
    ]),
  }
}

function reminderMail(failed: Payload<'ScheduleReminderFailed'>): ParticipantMail {
  const { reminderId, owner, dueAt } = failed
  return {
    endpointType: 'ALARM_NOTIFICATION_EMAIL',
    subject: `Hub: the reminder ${reminderId} of ${dueAt} could not be delivered`,
    text: mailText([
      ['Reminder', reminderId],
      ['Owner', owner],
      ['Time', dueAt],
      ['Attempts', String(failed.attempts)],
      ['Last error', failed.error],
      ['Next time', failed.nextAt ?? 'none: it is stored as FAILED or deleted'],
    ]),
  }
}

function reportMail(report: Payload<'DayReportStored'>): ParticipantMail {
  const { participantId = 'Hub', day, scope, version } = report
  const about = scope === undefined ? day : `${day} (${scope})`
  const corrected = version === 1 ? '' : `, version ${version}`
  return {
    endpointType: 'END_OF_DAY_REPORT_EMAIL',
    subject: `${participantId}: end-of-day report of ${about}${corrected}`,
    text: mailText([
      ['Day', day],
      ...(scope === undefined ? [] : [['Currency', scope] as const]),
      ['Version', String(version)],
      ['Report', report.link],
      ['SHA-256 of the JSON', report.sha256],
      ['Time', report.storedAt],
    ]),
    attachments: report.files,
  }
}

const credentials = {
  SIGNING_KEY: 'signing key',
  ENCRYPTION_KEY: 'encryption key',
  CERTIFICATE: 'certificate',
} as const

function endingMail(ending: Payload<'CredentialEnding'>): ParticipantMail {
  const { participantId, kind, credentialId, endsAt, daysLeft } = ending
  const days = daysLeft === 1 ? '1 day' : `${daysLeft} days`
  return {
    endpointType: 'ALARM_NOTIFICATION_EMAIL',
    subject: `${participantId}: the ${credentials[kind]} ${credentialId} ends in ${days}`,
    text: mailText([
      ['Participant', participantId],
      [kind === 'CERTIFICATE' ? 'Certificate' : 'Key', credentialId],
      ['Ends', endsAt],
      ['Time', ending.warnedAt],
    ]),
  }
}
