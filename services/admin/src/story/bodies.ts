/** The bodies of stories. */
import type { ThirdPartySummary } from '@causeway/protos'
import type { Json } from '../json.ts'
import { maskedIdentifier, maskedText } from './domain/mask.ts'
import { unitsOf } from '../upstream.ts'
import { summaryOf, type Story } from './compose.ts'
import type { StoryStep } from './domain/step.ts'
import type { PaymentFacts } from './facts.ts'

export function summaryBody(row: ReturnType<typeof summaryOf>): Readonly<Record<string, Json>> {
  return {
    transferId: row.id,
    payerFsp: row.payerFsp,
    payeeFsp: row.payeeFsp,
    amount: { amount: unitsOf(row.amount), currency: row.currency },
    state: row.state,
    reason: row.reason ?? null,
    receivedAt: row.receivedAt,
    completedAt: row.completedAt ?? null,
  }
}

export function storyBody(
  { transfer, transaction, quote, thirdParty }: PaymentFacts,
  story: Story,
): Json {
  return {
    ...summaryBody(summaryOf(transfer)),
    expiration: transfer.expiresAt,
    bulkTransferId: transfer.bulkTransferId ?? null,
    cause: story.cause === undefined ? null : { reason: story.cause.reason, ...story.cause.error },
    findings: story.findings,
    thirdParty: thirdParty?.summary ? thirdPartyBody(thirdParty.summary) : null,
    transaction:
      transaction === undefined
        ? null
        : {
            transactionId: transaction.transactionId,
            quoteId: transaction.quoteId,
            quoteIsKnown: quote !== undefined,
            bulkQuoteId: quote?.bulkQuoteId ?? null,
            payer: partyBody(transaction.payer, maskedIdentifier),
            payee: partyBody(transaction.payee, maskedIdentifier),
          },
    steps: story.steps.map(stepBody),
  }
}

interface PartyBody {
  readonly partyIdInfo: {
    readonly partyIdType: string
    readonly partyIdentifier: string
    readonly fspId?: string | undefined
  }
}

/** @param shown what is shown of the identifier */
export function partyBody(
  { partyIdInfo: { partyIdType, partyIdentifier, fspId } }: PartyBody,
  shown: (identifier: string) => string,
): Json {
  return { partyIdType, partyIdentifier: shown(partyIdentifier), fspId: fspId ?? null }
}

export function stepBody(step: StoryStep): Json {
  switch (step.type) {
    case 'MESSAGE':
      return { ...step, error: step.error === null ? null : { ...step.error } }
    case 'DECISION':
      return { ...step, facts: { ...step.facts } }
    case 'JOURNAL': {
      const { money, ...rest } = step
      return { ...rest, amount: { ...money }, debit: { ...step.debit }, credit: { ...step.credit } }
    }
    case 'DELIVERY':
      return { ...step, attempts: step.attempts.map((attempt) => ({ ...attempt })) }
  }
}

export function thirdPartyBody(summary: ThirdPartySummary): Json {
  const { errorCode, errorDescription } = summary
  return {
    transactionRequestId: summary.transactionRequestId,
    transactionId: summary.transactionId ?? null,
    consentId: summary.consentId ?? null,
    pispId: summary.pispId,
    dfspId: summary.dfspId,
    state: summary.state,
    transactionState: summary.transactionState ?? null,
    error:
      errorCode === undefined
        ? null
        : { errorCode, errorDescription: maskedText(errorDescription ?? '') },
    requestedAt: summary.requestedAt,
    endedAt: summary.endedAt ?? null,
  }
}
