/** What e-mails say: of an alarm, of a changed limit, of a position that a settlement has moved. */
import type { Payload } from '@causeway/events'

export type MailedName =
  | 'ParticipantLiquidityThresholdExceeded'
  | 'ParticipantAccountLimitUpdated'
  | 'ParticipantPositionChanged'

export type MailedEvent = {
  readonly [Name in MailedName]: { readonly name: Name; readonly payload: Payload<Name> }
}[MailedName]

export interface Mail {
  /** The type of the endpoint that holds the address. */
  readonly endpointType: string
  readonly subject: string
  readonly text: string
}

/** Undefined: nothing has changed that anybody is told of. */
export function mailOf(event: MailedEvent): Mail | undefined {
  switch (event.name) {
    case 'ParticipantLiquidityThresholdExceeded':
      return alarmMail(event.payload)
    case 'ParticipantAccountLimitUpdated':
      return adjustmentMail(event.payload)
    case 'ParticipantPositionChanged':
      return positionMail(event.payload)
  }
}

function alarmMail(alarm: Payload<'ParticipantLiquidityThresholdExceeded'>): Mail {
  const { participantId, currency, kind, remainingPercentage } = alarm
  const subject =
    kind === 'THRESHOLD'
      ? `${participantId}: ${remainingPercentage} % of the ${currency} limit remain`
      : `${participantId}: a ${currency} transfer was refused for want of liquidity`
  return {
    endpointType: 'NET_DEBIT_CAP_THRESHOLD_BREACH_EMAIL',
    subject,
    text: lines([
      ['Participant', participantId],
      ['Currency', currency],
      ['Limit type', 'NET_DEBIT_CAP'],
      ['Limit', `${alarm.limit} (the lower one of net debit cap and cover)`],
      ['Position', alarm.position],
      ['Remaining', `${remainingPercentage} %`],
      ['Alarm at', `${alarm.alarmPercentage} %`],
      ['Time', alarm.occurredAt],
    ]),
  }
}

function adjustmentMail(change: Payload<'ParticipantAccountLimitUpdated'>): Mail | undefined {
  const { participantId, currency, limit, oldValue } = change
  if (limit.value === oldValue) return undefined
  return {
    endpointType: 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL',
    subject: `${participantId}: the ${currency} limit is ${limit.value}`,
    text: lines([
      ['Participant', participantId],
      ['Currency', currency],
      ['Limit type', limit.type],
      ['New value', limit.value],
      ['Old value', oldValue ?? 'none'],
      ['Time', change.changedAt],
    ]),
  }
}

function positionMail(change: Payload<'ParticipantPositionChanged'>): Mail {
  const { participantId, currency, value } = change
  return {
    endpointType: 'SETTLEMENT_TRANSFER_POSITION_CHANGE_EMAIL',
    subject: `${participantId}: a settlement has moved the ${currency} position to ${value}`,
    text: lines([
      ['Participant', participantId],
      ['Currency', currency],
      ['Position', value],
      ['Time', change.changedAt],
    ]),
  }
}

function lines(facts: readonly (readonly [name: string, value: string])[]): string {
  return facts.map(([name, value]) => `${name}: ${value}\n`).join('')
}
