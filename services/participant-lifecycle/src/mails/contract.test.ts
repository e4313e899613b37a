import { expect, test } from '@jest/globals'
import { mailOf, participantOf } from './contract.ts'

const at = '2030-01-02T03:04:05.006Z'

test('An alarm e-mail contains limit, position and remaining percentage', () => {
  const payload = {
    participantId: 'greenbank',
    accountId: 4,
    currency: 'USD',
    kind: 'THRESHOLD',
    alarmPercentage: '10',
    remainingPercentage: '9.5',
    position: '905',
    limit: '1000',
    occurredAt: at,
  } as const
  expect(mailOf({ name: 'ParticipantLiquidityThresholdExceeded', payload })).toEqual({
    endpointType: 'NET_DEBIT_CAP_THRESHOLD_BREACH_EMAIL',
    subject: 'greenbank: 9.5 % of the USD limit remain',
    text: [
      'Participant: greenbank',
      'Currency: USD',
      'Limit type: NET_DEBIT_CAP',
      'Limit: 1000 (the lower of net debit cap and cover)',
      'Position: 905',
      'Remaining: 9.5 %',
      'Alarm at: 10 %',
      `Time: ${at}\n`,
    ].join('\n'),
  })
  const refused = { ...payload, kind: 'LIMIT' } as const
  expect(mailOf({ name: 'ParticipantLiquidityThresholdExceeded', payload: refused })).toMatchObject(
    {
      subject: 'greenbank: a USD transfer was refused for lack of liquidity',
    },
  )
})

test('A limit e-mail contains the new and the old value, and is not sent when both are equal', () => {
  const payload = {
    participantId: 'greenbank',
    accountId: 4,
    currency: 'USD',
    version: 7,
    changedAt: at,
    limit: { type: 'NET_DEBIT_CAP', value: '2000' },
  }
  const mail = (oldValue?: string) =>
    mailOf({
      name: 'ParticipantAccountLimitUpdated',
      payload: { ...payload, ...(oldValue === undefined ? {} : { oldValue }) },
    })
  expect(mail('1000')).toMatchObject({
    endpointType: 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL',
    subject: 'greenbank: the USD limit is 2000',
    text: expect.stringContaining('New value: 2000\nOld value: 1000\n'),
  })
  expect(mail()?.text).toContain('Old value: none\n')
  expect(mail('2000')).toBeUndefined()
})

test('A settlement e-mail contains the position after the settlement', () => {
  const payload = {
    participantId: 'bluewallet',
    accountId: 6,
    currency: 'USD',
    value: '-250.5',
    changedAt: at,
  }
  expect(mailOf({ name: 'ParticipantPositionChanged', payload })).toEqual({
    endpointType: 'SETTLEMENT_TRANSFER_POSITION_CHANGE_EMAIL',
    subject: 'bluewallet: a settlement has moved the USD position to -250.5',
    text: `Participant: bluewallet\nCurrency: USD\nPosition: -250.5\nTime: ${at}\n`,
  })
})

test('The hub is sent an e-mail about an undeliverable reminder, with the last error', () => {
  const payload = {
    reminderId: 'reports/daily',
    owner: 'reports',
    dueAt: at,
    attempts: 10,
    error: 'answered 503',
    nextAt: null,
  }
  const event = { name: 'ScheduleReminderFailed', payload } as const
  expect(participantOf(event)).toBeUndefined()
  expect(mailOf(event)).toMatchObject({
    endpointType: 'ALARM_NOTIFICATION_EMAIL',
    subject: `Hub: the reminder reports/daily of ${at} could not be delivered`,
    text: expect.stringContaining('Attempts: 10\nLast error: answered 503\nNext time: none'),
  })
})
