/** The story of one bulk quote, from what quoting and notifications know of it: pure. */
import { orNull, type BulkQuote, type BulkQuoteRecord, type Delivery } from '@causeway/protos'
import { errorIn, type Story } from './compose.ts'
import { deliveryStep } from './deliveries.ts'
import { inOrder, type DecisionStep, type MessageStep, type Step } from './domain/step.ts'

export function bulkQuoteStory(
  record: BulkQuoteRecord,
  deliveries: readonly Delivery[],
): Pick<Story, 'findings' | 'steps'> {
  const summary = bulkQuoteSummary(record)
  const deliverySteps = deliveries.map(deliveryStep)
  const undelivered = deliverySteps.filter(({ state }) => state !== 'DELIVERED')
  return {
    findings: [
      endSentence(summary, record),
      ...undelivered.map(({ says }) => says),
      ...archivedFinding(record),
    ],
    steps: inOrder([...beginning(summary), ...end(summary, record), ...deliverySteps]),
  }
}

export function bulkQuoteSummary({ summary }: BulkQuoteRecord): BulkQuote {
  if (summary === null) throw new Error('quoting answered without what the record is about')
  return summary
}

/** Refused before the payee FSP was asked. */
function isRefusedAtOnce({ state, reason }: BulkQuote): boolean {
  return state === 'REJECTED' && reason !== 'REFUSED' && reason !== 'UNDELIVERED'
}

function beginning(bulk: BulkQuote): readonly Step[] {
  const { payerFsp, payeeFsp, items, itemsRefused, createdAt, expiresAt } = bulk
  const asked: MessageStep = {
    type: 'MESSAGE',
    at: createdAt,
    from: payerFsp,
    message: 'POST /bulkQuotes',
    refused: null,
    error: null,
    says: `${payerFsp} asks ${payeeFsp === '' ? 'for' : `${payeeFsp} for`} the terms of ${payments(items)}`,
  }
  const passedOn: DecisionStep = {
    type: 'DECISION',
    at: createdAt,
    by: 'quoting',
    outcome: 'PENDING',
    reason: null,
    facts: { items, itemsRefused, expiration: expiresAt },
    says:
      itemsRefused === 0
        ? `${payeeFsp} is asked for all of them`
        : `${payeeFsp} is asked for ${items - itemsRefused} of them; the hub refuses ${itemsRefused}`,
  }
  return isRefusedAtOnce(bulk) ? [asked] : [asked, passedOn]
}

function end(bulk: BulkQuote, record: BulkQuoteRecord): readonly Step[] {
  const { payeeFsp, state, reason, completedAt, validUntil } = bulk
  if (completedAt === '') return []
  const error = errorIn(bulk.error)
  const decided: DecisionStep = {
    type: 'DECISION',
    at: completedAt,
    by: 'quoting',
    outcome: state,
    reason: orNull(reason),
    facts: {
      ...(state === 'ACCEPTED' ? itemCounts(record) : {}),
      validUntil: orNull(validUntil),
      errorCode: error?.errorCode ?? null,
      errorDescription: error?.errorDescription ?? null,
    },
    says: endSentence(bulk, record),
  }
  const isAnswered = state === 'ACCEPTED' || reason === 'REFUSED'
  if (!isAnswered) return [decided]
  const answer: MessageStep = {
    type: 'MESSAGE',
    at: completedAt,
    from: payeeFsp,
    message: state === 'ACCEPTED' ? 'PUT /bulkQuotes/{ID}' : 'PUT /bulkQuotes/{ID}/error',
    refused: null,
    error: error ?? null,
    says: state === 'ACCEPTED' ? `${payeeFsp} answers` : `${payeeFsp} refuses all of them`,
  }
  return [answer, decided]
}

/** The items of an accepted bulk quote, by what became of them. */
function itemCounts({ items }: BulkQuoteRecord) {
  const of = (wanted: string) => items.filter(({ reason }) => reason === wanted).length
  return {
    withTerms: items.filter(({ state }) => state === 'ACCEPTED').length,
    refusedByHub: of('ITEMS'),
    refusedByPayeeFsp: of('REFUSED'),
    unanswered: of('UNANSWERED'),
  }
}

function endSentence(bulk: BulkQuote, record: BulkQuoteRecord): string {
  const { payeeFsp, items, state, reason, error, expiresAt, validUntil } = bulk
  const reported = errorIn(error)
  const because =
    reported === undefined ? '' : `: ${reported.errorCode} ${reported.errorDescription}`
  switch (state) {
    case 'PENDING':
      return `${payeeFsp} has not answered yet, and has until ${expiresAt}.`
    case 'EXPIRED':
      return `${payeeFsp} did not answer before ${expiresAt}.`
    case 'ACCEPTED': {
      if (record.items.length === 0)
        return `${payeeFsp} answered; its terms held until ${validUntil}.`
      const { withTerms, refusedByHub, refusedByPayeeFsp, unanswered } = itemCounts(record)
      const others = [
        ...(refusedByHub > 0 ? [`the hub refused ${refusedByHub}`] : []),
        ...(refusedByPayeeFsp > 0 ? [`${payeeFsp} refused ${refusedByPayeeFsp}`] : []),
        ...(unanswered > 0 ? [`${payeeFsp} left out ${unanswered}`] : []),
      ]
      const terms = `${withTerms} of ${payments(items)} have terms, good until ${validUntil}`
      return `${[terms, ...others].join('; ')}.`
    }
  }
  switch (reason) {
    case 'REFUSED':
      return `${payeeFsp} refused it${because}`
    case 'UNDELIVERED':
      return `${payeeFsp} could not be asked${because}`
    case 'ITEMS':
      return `The hub refused each of ${payments(items)}; the first for${because.slice(1)}`
    default:
      return `The hub refused it${because}`
  }
}

function payments(count: number): string {
  return count === 1 ? '1 payment' : `${count} payments`
}

function archivedFinding({ archivedMonth }: BulkQuoteRecord): readonly string[] {
  return archivedMonth === undefined
    ? []
    : [
        `Its items, and what its FSPs sent, are archived with ${archivedMonth}: npm run restore puts them back.`,
      ]
}
