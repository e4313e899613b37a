import { expect, test } from '@jest/globals'
import { mailOf, recipientsOf } from './contract.ts'

const at = '2026-11-26T00:01:00.000Z'

const report = {
  reportId: 'report-greenbank-2026-11-25-v1',
  participantId: 'greenbank',
  day: '2026-11-25',
  version: 1,
  sha256: 'ab12',
  link: 'https://hub.example/reports/2026-11-25',
  files: [{ name: 'report.csv', type: 'text/csv', content: 'day\r\n' }],
  storedAt: at,
}

test('A report is sent to its reader alone, with its link, its hash and its files', () => {
  const event = { name: 'DayReportStored', payload: report } as const
  expect(recipientsOf(event, 'Hub')).toEqual(['greenbank'])
  expect(mailOf(event)).toMatchObject({
    endpointType: 'END_OF_DAY_REPORT_EMAIL',
    subject: 'greenbank: end-of-day report of 2026-11-25',
    text: expect.stringContaining('Report: https://hub.example/reports/2026-11-25\n'),
    attachments: report.files,
  })
})

test("The operator's report is sent to the hub, and a corrected one names its version", () => {
  const { participantId: _left, ...ofOperator } = report
  const event = { name: 'DayReportStored', payload: { ...ofOperator, version: 2 } } as const
  expect(recipientsOf(event, 'Hub')).toEqual(['Hub'])
  expect(mailOf(event)?.subject).toBe('Hub: end-of-day report of 2026-11-25, version 2')
})

test('The FSP and the hub are warned of a certificate that ends soon', () => {
  const payload = {
    participantId: 'greenbank',
    kind: 'CERTIFICATE',
    credentialId: '4a7f',
    endsAt: '2026-11-27T00:00:00.000Z',
    daysLeft: 1,
    warnedAt: at,
  } as const
  const event = { name: 'CredentialEnding', payload } as const
  expect(recipientsOf(event, 'Hub')).toEqual(['greenbank', 'Hub'])
  expect(mailOf(event)).toMatchObject({
    endpointType: 'ALARM_NOTIFICATION_EMAIL',
    subject: 'greenbank: the certificate 4a7f ends in 1 day',
  })
})
