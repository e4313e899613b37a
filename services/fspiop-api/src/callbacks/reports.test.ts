import type { DomainEvent } from '@causeway/events'
import { expect, test } from '@jest/globals'
import { failureCallbacks, reportEvents, reportLines, undeliveredQuestions } from './reports.ts'

function report(id: string, ...causes: readonly string[]): DomainEvent<'NotifyReport'> {
  return {
    name: 'NotifyReport',
    id,
    time: '2026-11-21T10:00:00.000Z',
    relay: undefined,
    maybeDuplicate: false,
    traceparent: undefined,
    payload: {
      reports: causes.map((msgName, at) => ({
        notificationId: `${id}-${at}`,
        cause: { msgName, entityId: `transfer-${at}` },
        legRole: 'PAYER',
        destinationFspId: 'greenbank',
        status: 'SUCCESS',
        httpStatus: 200,
        attempts: 1,
        duration_ms: 3,
        reportedAt: '2026-11-21T10:00:00.000Z',
      })),
    },
  }
}

const events = [
  report('a', 'TransferPrepared', 'TransferCommittedFulfiled', 'PartyQueryReceived'),
  report('b', 'TransferPrepared'),
]

test('A batch of reports is one event per kind, and reports of other causes are omitted', () => {
  const messages = reportEvents(events.flatMap(reportLines))
  expect(messages.map(({ type, topic }) => [type, topic])).toEqual([
    ['TransferPrepareCallbackReport', 'fspiop-api.transfers'],
    ['TransferFulfilCommittedCallbackReport', 'fspiop-api.transfers'],
  ])
  expect(messages[0]?.payload).toEqual({
    reports: [
      expect.objectContaining({ notificationId: 'a-0', entityId: 'transfer-0' }),
      expect.objectContaining({ notificationId: 'b-0', entityId: 'transfer-0' }),
    ],
  })
  expect(JSON.stringify(messages)).not.toContain('msgName')
})

test('The same batch gives the same ids again, another split gives other ids', () => {
  const ids = (batch: typeof events) => reportEvents(batch.flatMap(reportLines)).map(({ id }) => id)
  expect(ids(events)).toEqual(ids(events))
  expect(ids(events.slice(0, 1))).not.toEqual(ids(events).slice(0, 2))
})

test('The failure of a lookup that went to several FSPs is reported to account-lookup only', () => {
  const event = report('a', 'PartyQueryReceived')
  const [line] = event.payload.reports
  if (line === undefined) throw new Error('there is no report')
  const onFailure = {
    requesterFspId: 'redmoney',
    operation: 'PUT /parties/{Type}/{ID}/error',
    path: '/parties/MSISDN/1/error',
    variables: { partyIdType: 'MSISDN', partyIdentifier: '1', ID: '1', id: '1' },
    version: '1.0',
    several: { questionId: 'q', fsps: 2 },
  }
  const outcome = (changed: Partial<typeof line>) => {
    const reports = [{ ...line, onFailure, ...changed }]
    const received = { ...event, payload: { reports } }
    expect(failureCallbacks(received)).toEqual([])
    return undeliveredQuestions(received)
  }
  const [message] = outcome({ status: 'FAILED', httpStatus: 500 })
  expect(message).toMatchObject({
    topic: 'fspiop-api.parties',
    type: 'PartyQueryUndelivered',
    payload: {
      partyKey: 'transfer-0',
      partyIdType: 'MSISDN',
      partyIdentifier: '1',
      requesterFspId: 'redmoney',
      version: '1.0',
      fspId: 'greenbank',
      errorInformation: { errorCode: '1001' },
      questionId: 'q',
      fsps: 2,
    },
  })
  expect(outcome({ status: 'FAILED' })[0]?.id).toBe(message?.id)
  expect(outcome({ status: 'SUCCESS' })).toEqual([])
})
