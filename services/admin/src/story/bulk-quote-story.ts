/** The story of one bulk quote, from what quoting and notifications know of it: pure. */
import type { BulkQuote, BulkQuoteRecord, Delivery, QuoteReason } from '@causeway/protos'
import { errorIn, type Story } from './compose.ts'
import { deliveryStep } from './deliveries.ts'
import { inOrder, type DecisionStep, type MessageStep, type StoryStep } from './domain/step.ts'

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

function beginning(bulk: BulkQuote): readonly StoryStep[] {
  const { payerFsp, payeeFsp, items, itemsRefused, createdAt, expiresAt } = bulk
  const asked: MessageStep = {
    type: 'MESSAGE',
    at: createdAt,
    from: payerFsp,
    message: 'POST /bulkQuotes',
    refused: null,
    error: null,
    says: `${payerFsp} asks ${payeeFsp === undefined ? 'for' : `${payeeFsp} for`} the terms of ${payments(items)}`,
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

function end(bulk: BulkQuote, record: BulkQuoteRecord): readonly StoryStep[] {
  const { payeeFsp = '', state, reason, completedAt, validUntil } = bulk
  if (completedAt === undefined) return []
  const error = errorIn(bulk.error)
  const decided: DecisionStep = {
    type: 'DECISION',
    at: completedAt,
    by: 'quoting',
    outcome: state,
    reason: reason ?? null,
    facts: {
      ...(state === 'ACCEPTED' ? itemCounts(record) : {}),
      validUntil: validUntil ?? null,
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
  const of = (wanted: QuoteReason) => items.filter(({ reason }) => reason === wanted).length
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
    case 'REJECTED':
      return (reason === undefined ? byHub : rejections[reason])(bulk, because)
  }
}

type Rejection = (bulk: BulkQuote, because: string) => string

const byHub: Rejection = (_, because) => `The hub refused it${because}`

/** A reason without a sentence does not compile. */
const rejections: Readonly<Record<QuoteReason, Rejection>> = {
  REFUSED: ({ payeeFsp }, because) => `${payeeFsp} refused it${because}`,
  UNDELIVERED: ({ payeeFsp }, because) => `${payeeFsp} could not be asked${because}`,
  ITEMS: ({ items }, because) =>
    `The hub refused each of ${payments(items)}; the first for${because.slice(1)}`,
  PAYER_NAMED_OTHERWISE: byHub,
  PAYER_UNKNOWN: byHub,
  PAYER_INACTIVE: byHub,
  PAYER_NO_ACCOUNT: byHub,
  PAYEE_UNKNOWN: byHub,
  PAYEE_INACTIVE: byHub,
  PAYEE_NO_ACCOUNT: byHub,
  PARTY_UNKNOWN: byHub,
  LOOKUP_AWAY: byHub,
  EXPIRED: byHub,
  RULE: byHub,
  // Of items alone.
  UNANSWERED: byHub,
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
