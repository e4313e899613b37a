/**
 * Ends bulk quotes whose request could not be delivered, and sends their payer FSPs an error, also for a
 * bulk quote that expired during the delivery attempts.
 */
import type { DomainEvent } from '@causeway/events'
import type { ErrorInformation } from '@causeway/fspiop'
import { isPending } from '../quotes/domain/decide.ts'
import { decideUndelivered } from '../quotes/domain/undelivered.ts'
import { undeliveredErrorOf } from '../quotes/errors.ts'
import type { Work } from '../work.ts'
import { undelivered } from './contract.ts'

type BulkDeliveryReport =
  DomainEvent<'BulkQuoteReceivedCallbackReport'>['payload']['reports'][number]

/** Requires reports of POST /bulkQuotes. */
export async function endUndeliveredBulks(
  work: Work,
  reports: readonly BulkDeliveryReport[],
): Promise<void> {
  for (const report of reports) {
    if (report.status === 'FAILED') await endUndelivered(work, report)
  }
}

async function endUndelivered(work: Work, report: BulkDeliveryReport): Promise<void> {
  const bulk = (await work.bulks.read(report.entityId))?.bulk
  if (bulk === undefined) return
  const error = errorOf(bulk.expiresAt, report)
  const event = undelivered(bulk, error)
  if (!isPending(bulk)) {
    if (bulk.state === 'EXPIRED') await work.publish([event])
    return
  }
  const hasMoved = await work.bulks.end(
    {
      bulk: { ...bulk, state: 'REJECTED', reason: 'UNDELIVERED', error, outcome: undefined },
      message: undefined,
      answer: undefined,
      forbidden: new Map(),
    },
    work.now(),
    () => [event],
  )
  if (hasMoved) {
    work.becameBulk('REJECTED')
    return
  }
  // Another message has ended it meanwhile.
  const ended = (await work.bulks.read(report.entityId))?.bulk
  if (ended?.state === 'EXPIRED') await work.publish([event])
}

function errorOf(expiresAt: string, report: BulkDeliveryReport): ErrorInformation {
  const { httpStatus, attempts, errorInformation: error, reportedAt } = report
  const isExpired = Date.parse(expiresAt) <= Date.parse(reportedAt)
  const decision = decideUndelivered({ httpStatus, attempts, error, isExpired })
  return typeof decision === 'string' ? undeliveredErrorOf(decision) : decision.error
}
