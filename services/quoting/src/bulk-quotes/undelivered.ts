/**
 * Bulk quotes end whose payee FSP could not be asked: their payer FSPs are told instead of left waiting,
 * also when the bulk has expired over the attempts to ask.
 */
import type { DomainEvent } from '@causeway/events'
import { isPending } from '../quotes/domain/decide.ts'
import type { ErrorInformation } from '../quotes/domain/quote.ts'
import { decideUndelivered } from '../quotes/domain/undelivered.ts'
import { undeliveredErrorOf } from '../quotes/errors.ts'
import type { Work } from '../work.ts'
import { undelivered } from './contract.ts'

type Report = DomainEvent<'BulkQuoteReceivedCallbackReport'>['payload']['reports'][number]

/** The reports are of POST /bulkQuotes. */
export async function endUndeliveredBulks(work: Work, reports: readonly Report[]): Promise<void> {
  for (const report of reports) {
    if (report.status === 'FAILED') await endUndelivered(work, report)
  }
}

async function endUndelivered(work: Work, report: Report): Promise<void> {
  const bulk = (await work.bulks.read(report.entityId))?.bulk
  if (bulk === undefined) return
  const error = errorOf(report)
  const says = undelivered(bulk, error)
  if (!isPending(bulk)) {
    if (bulk.state === 'EXPIRED') await work.publish([says])
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
    () => [says],
  )
  if (hasMoved) {
    work.becameBulk('REJECTED')
    return
  }
  // Something else has ended it meanwhile.
  const ended = (await work.bulks.read(report.entityId))?.bulk
  if (ended?.state === 'EXPIRED') await work.publish([says])
}

function errorOf({ httpStatus, attempts, errorInformation }: Report): ErrorInformation {
  const decision = decideUndelivered({ httpStatus, attempts, error: errorInformation })
  return typeof decision === 'string' ? undeliveredErrorOf(decision) : decision.error
}
