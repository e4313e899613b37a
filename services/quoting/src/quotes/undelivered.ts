/**
 * Ends quotes whose request could not be delivered, and sends their payer FSPs an error, also for a
 * quote that expired during the delivery attempts.
 */
import type { DomainEvent } from '@causeway/events'
import type { Work } from '../work.ts'
import { undelivered as errorEvent } from './contract.ts'
import { isPending } from './domain/decide.ts'
import type { Claimed, Pending, Quote, Rejected } from './domain/quote.ts'
import { decideUndelivered } from './domain/undelivered.ts'
import { undeliveredErrorOf } from './errors.ts'

type DeliveryReport = DomainEvent<'QuoteReceivedCallbackReport'>['payload']['reports'][number]

/** Requires reports of POST /quotes. */
export async function endUndelivered(
  work: Work,
  reports: readonly DeliveryReport[],
): Promise<void> {
  const failed = new Map(
    reports.flatMap((report) => (report.status === 'FAILED' ? [[report.entityId, report]] : [])),
  )
  if (failed.size === 0) return
  const stored = await work.store.read([...failed.keys()])
  const ended = [...stored.values()].flatMap((quote) => {
    const report = failed.get(quote.quoteId)
    return report === undefined || !isPending(quote) ? [] : [unreached(quote, report)]
  })
  const moved = await end(work, ended)
  const others = [...stored.keys()].filter((quoteId) => !moved.has(quoteId))
  const expired = [...(await work.store.read(others)).values()].filter(isExpired)
  if (expired.length === 0) return
  await work.publish(
    expired.flatMap((quote) => {
      const report = failed.get(quote.quoteId)
      return report === undefined ? [] : [errorEvent(quote, errorOf(quote, report))]
    }),
  )
}

/** Ends the pending quotes and announces the error to their payer FSPs. */
async function end(
  work: Work,
  ended: readonly (Claimed & Rejected)[],
): Promise<ReadonlySet<string>> {
  if (ended.length === 0) return new Set()
  const changes = ended.map((quote) => ({ quote, message: undefined }))
  const { moved } = await work.store.move(changes, work.now(), ({ moved: isMoved }) =>
    ended
      .filter(({ quoteId }) => isMoved.has(quoteId))
      .map((quote) => errorEvent(quote, quote.error)),
  )
  work.became('REJECTED', moved.size)
  return moved
}

function unreached(quote: Claimed & Pending, report: DeliveryReport): Claimed & Rejected {
  return {
    ...quote,
    state: 'REJECTED',
    reason: 'UNDELIVERED',
    error: errorOf(quote, report),
    ruleId: undefined,
    outcome: undefined,
  }
}

function isExpired({ state }: Quote): boolean {
  return state === 'EXPIRED'
}

function errorOf({ expiresAt }: Claimed, report: DeliveryReport): Rejected['error'] {
  const { httpStatus, attempts, errorInformation: error, reportedAt } = report
  const isExpired = Date.parse(expiresAt) <= Date.parse(reportedAt)
  const decision = decideUndelivered({ httpStatus, attempts, error, isExpired })
  return typeof decision === 'string' ? undeliveredErrorOf(decision) : decision.error
}
