import type { DomainEvent } from '@causeway/events'
import { expect, test } from '@jest/globals'
import { reportEvents, reportLines } from './reports.ts'

function report(id: string, ...causes: readonly string[]): DomainEvent<'NotifyReport'> {
  return {
    name: 'NotifyReport',
    id,
    time: '2026-11-21T10:00:00.000Z',
    relay: undefined,
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

test('a batch of reports is one event per kind, and what others caused is left to them', () => {
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

test('the same batch again gives the same ids, another split others', () => {
  const ids = (batch: typeof events) => reportEvents(batch.flatMap(reportLines)).map(({ id }) => id)
  expect(ids(events)).toEqual(ids(events))
  expect(ids(events.slice(0, 1))).not.toEqual(ids(events).slice(0, 2))
})
