/** Quotes end whose payee FSP could not be asked: their payer FSPs are told instead of left waiting. */
import type { DomainEvent } from '@causeway/events'
import type { Work } from '../work.ts'
import { undelivered as told } from './contract.ts'
import { isPending } from './domain/decide.ts'
import type { Claimed, Rejected } from './domain/quote.ts'
import { decideUndelivered } from './domain/undelivered.ts'
import { undeliveredErrorOf } from './errors.ts'

type Report = DomainEvent<'QuoteReceivedCallbackReport'>['payload']['reports'][number]

/** The reports are of POST /quotes. */
export async function endUndelivered(work: Work, reports: readonly Report[]): Promise<void> {
  const failed = new Map(
    reports.flatMap((report) => (report.status === 'FAILED' ? [[report.entityId, report]] : [])),
  )
  if (failed.size === 0) return
  const stored = await work.store.read([...failed.keys()])
  const ended: (Claimed & Rejected)[] = []
  for (const [quoteId, report] of failed) {
    const quote = stored.get(quoteId)
    if (quote === undefined || !isPending(quote)) continue
    ended.push({
      ...quote,
      state: 'REJECTED',
      reason: 'UNDELIVERED',
      error: errorOf(report),
      ruleId: undefined,
      outcome: undefined,
    })
  }
  if (ended.length === 0) return
  const changes = ended.map((quote) => ({ quote, message: undefined }))
  const { moved } = await work.store.move(changes, work.now(), ({ moved: isMoved }) =>
    ended.filter(({ quoteId }) => isMoved.has(quoteId)).map(told),
  )
  work.became('REJECTED', moved.size)
}

function errorOf({ httpStatus, attempts, errorInformation }: Report): Rejected['error'] {
  const decision = decideUndelivered({ httpStatus, attempts, error: errorInformation })
  return typeof decision === 'string' ? undeliveredErrorOf(decision) : decision.error
}
