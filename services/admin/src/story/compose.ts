/**
 * Composes the story of one payment from the data of the services, in the order of events. Pure.
 */
import { conditionOf } from '@causeway/fspiop'
import { formatAmount } from '@causeway/money'
import type {
  JournalStep as StepOfJournal,
  KeptMessageKind,
  LedgerRecord,
  QuoteRecord,
  RefusedMessageReason,
  TransferRecord,
} from '@causeway/protos'
import { maskedText } from './domain/mask.ts'
import { unitsOf } from '../upstream.ts'
import { deliveryStep } from './deliveries.ts'
import { causeOf, type CauseFacts } from './domain/cause.ts'
import {
  inOrder,
  type DecisionStep,
  type DeliveryStep,
  type ErrorTold,
  type JournalStep,
  type MessageStep,
  type StoryStep,
} from './domain/step.ts'
import { bodyOf, type PaymentFacts, type RequestFacts } from './facts.ts'
import { thirdPartyFindings, thirdPartySteps } from './third-party-steps.ts'

export interface Story {
  readonly cause: { readonly reason: string; readonly error: ErrorTold } | undefined
  /** The findings for an operator: how it ended and why, then other faults. */
  readonly findings: readonly string[]
  readonly steps: readonly StoryStep[]
}

type Summary = NonNullable<TransferRecord['summary']>

export function storyOf(facts: PaymentFacts): Story {
  const { transfer, ledger, quote, thirdParty } = facts
  const summary = summaryOf(transfer)
  const because = causeFactsOf(summary, facts)
  const deliveries = facts.deliveries.map(deliveryStep)
  const messages = transfer.messages.map((message) => messageStep(message, summary))
  const refused = transfer.refusedMessages.map(refusedStep)
  const decisions = [
    ...ledgerDecisions(ledger, summary, because),
    ...transferDecision(transfer, summary, because),
  ]
  const journal = ledger.journal.map(journalStep)
  const quoted = quote === undefined ? [] : quoteSteps(quote)
  const begun = thirdParty === undefined ? [] : thirdPartySteps(thirdParty)
  return {
    cause:
      summary.reason === undefined
        ? undefined
        : { reason: summary.reason, error: errorIn(transfer.error) ?? unknownError },
    findings: [
      ...findingsOf(summary, because, [...refused], deliveries),
      ...(thirdParty === undefined ? [] : thirdPartyFindings(thirdParty)),
      ...archivedFinding(transfer),
    ],
    steps: inOrder([
      ...begun,
      ...quoted,
      ...messages,
      ...refused,
      ...decisions,
      ...journal,
      ...deliveries,
    ]),
  }
}

/** The story of a request without a transfer. */
export function requestStoryOf({ thirdParty, quote, deliveries }: RequestFacts): Story {
  const deliverySteps = deliveries.map(deliveryStep)
  const undelivered = deliverySteps.filter(({ state }) => state !== 'DELIVERED')
  return {
    cause: undefined,
    findings: [
      ...thirdPartyFindings(thirdParty),
      'It has no transfer.',
      ...undelivered.map(({ says }) => says),
    ],
    steps: inOrder([
      ...thirdPartySteps(thirdParty),
      ...(quote === undefined ? [] : quoteSteps(quote)),
      ...deliverySteps,
    ]),
  }
}

export function summaryOf({ summary }: TransferRecord): Summary {
  if (summary === null) throw new Error('transfers answered without what the record is about')
  return summary
}

const unknownError: ErrorTold = { errorCode: '', errorDescription: '' }

function causeFactsOf(summary: Summary, { transfer, ledger }: PaymentFacts): CauseFacts {
  const late = transfer.refusedMessages.find(
    ({ kind, reason }) => kind === 'FULFIL' && reason === 'TOO_LATE',
  )
  return {
    payerFsp: summary.payerFsp,
    payeeFsp: summary.payeeFsp,
    amount: unitsOf(summary.amount),
    currency: summary.currency,
    expiresAt: transfer.expiresAt,
    receivedAt: summary.receivedAt,
    limit: limitOf(ledger),
    errorDescription: errorIn(transfer.error)?.errorDescription ?? '',
    ledgerKind: ledger.entry?.kind,
    lateAnswerAt: late?.receivedAt,
  }
}

function limitOf({ facts }: LedgerRecord): CauseFacts['limit'] {
  return facts === null
    ? null
    : {
        position: unitsOf(facts.position),
        cover: unitsOf(facts.cover),
        cap: unitsOf(facts.cap),
      }
}

function findingsOf(
  summary: Summary,
  because: CauseFacts,
  refused: readonly MessageStep[],
  deliveries: readonly DeliveryStep[],
): readonly string[] {
  const undelivered = deliveries.filter((delivery) => delivery.state !== 'DELIVERED')
  const first = stateSentence(summary, because)
  return [first, ...undelivered.map(({ says }) => says), ...refused.map(({ says }) => says)]
}

function stateSentence({ state, reason, payeeFsp }: Summary, because: CauseFacts): string {
  switch (state) {
    case 'RECEIVED':
      return 'It was received, and the ledger has not answered yet.'
    case 'RESERVED':
      return `The amount is reserved until ${because.expiresAt}; ${payeeFsp} has not answered yet.`
    case 'COMMITTED':
      return `It was paid: ${formatAmount(because.amount)} ${because.currency} to ${payeeFsp}.`
    case 'ABORTED':
      return causeOf(reason, because)
  }
}

function archivedFinding({ archivedMonth }: TransferRecord): readonly string[] {
  return archivedMonth === undefined
    ? []
    : [
        `What its FSPs sent, and how it was delivered, is archived with ${archivedMonth}: npm run restore puts it back.`,
      ]
}

const messageNames: Readonly<Record<KeptMessageKind, string>> = {
  PREPARE: 'POST /transfers',
  FULFIL: 'PUT /transfers/{ID}',
  REJECT: 'PUT /transfers/{ID}/error',
}

function messageStep(
  { kind, receivedAt, body }: TransferRecord['messages'][number],
  { payerFsp, payeeFsp, amount, currency, completedAt = '' }: Summary,
): MessageStep {
  const from = kind === 'PREPARE' ? payerFsp : payeeFsp
  const error = kind === 'REJECT' ? errorOf(bodyOf(body)['errorInformation']) : undefined
  const says =
    kind === 'PREPARE'
      ? `${payerFsp} asks to pay ${amount} ${currency} to ${payeeFsp}`
      : error === undefined
        ? `${payeeFsp} answers with its fulfilment`
        : `${payeeFsp} refuses: ${error.errorCode} ${error.errorDescription}`
  return {
    type: 'MESSAGE',
    // Not stored before the time of receipt was recorded.
    at: receivedAt ?? completedAt,
    from,
    message: messageNames[kind],
    refused: null,
    error: error ?? null,
    says,
  }
}

const refusals: Readonly<Record<RefusedMessageReason, string>> = {
  CONTENT_MODIFIED: 'the id belongs to a transfer with other content',
  TOO_LATE: 'it had expired',
  NOT_RESERVED: 'nothing was reserved',
  SENDER_NOT_PAYEE: 'the sender is not the payee FSP',
  DESTINATION_NOT_PAYER: 'the destination is not the payer FSP',
  RESERVED_IN_VERSION_1_0: 'RESERVED needs version 1.1',
  ID_UNKNOWN: 'the id was unknown',
  ASKER_NOT_PARTY: 'the sender is no party of it',
  PART_OF_BULK: 'it is part of a bulk transfer',
  NOT_ACCEPTED: 'the payee FSP had not been asked',
}

function refusedStep({
  kind,
  fspId,
  receivedAt,
  reason,
  state,
}: TransferRecord['refusedMessages'][number]): MessageStep {
  const message = messageNames[kind]
  const was = state === undefined ? '' : ` (it was ${state})`
  return {
    type: 'MESSAGE',
    at: receivedAt,
    from: fspId,
    message,
    refused: reason,
    error: null,
    says: `${message} from ${fspId} was refused: ${refusals[reason]}${was}.`,
  }
}

/** The answer to reserve, and the one that ended the reservation, if any. */
function ledgerDecisions(
  { entry, facts }: LedgerRecord,
  summary: Summary,
  because: CauseFacts,
): readonly DecisionStep[] {
  if (entry === null || entry.kind !== 'TRANSFER') return []
  const terms = {
    amount: unitsOf(summary.amount),
    expiration: because.expiresAt,
    settlementModelId: entry.settlementModelId ?? null,
    settles: entry.settles ?? null,
  }
  const limit = because.limit ?? { position: null, cover: null, cap: null }
  const reserved = facts !== null && entry.outcome !== 'REFUSED'
  const atFirst: DecisionStep = {
    type: 'DECISION',
    at: entry.createdAt,
    by: 'ledger',
    outcome: reserved ? 'RESERVED' : entry.outcome,
    reason: reserved ? null : (entry.reason ?? null),
    facts: { ...terms, ...limit },
    says: reserved ? reservedSentence(because) : causeOf(entry.reason, because),
  }
  if (!reserved || entry.completedAt === undefined) return [atFirst]
  const isPosted = entry.outcome === 'POSTED'
  return [
    atFirst,
    {
      type: 'DECISION',
      at: entry.completedAt,
      by: 'ledger',
      outcome: entry.outcome,
      reason: entry.reason ?? null,
      facts: {
        amount: terms.amount,
        expiration: because.expiresAt,
        settlementModelId: terms.settlementModelId,
        settles: terms.settles,
        windowId: entry.windowId ?? null,
      },
      says: isPosted
        ? entry.windowId === undefined
          ? 'Posted and settled at once'
          : `Posted, in settlement window ${entry.windowId}`
        : `The reservation is voided. ${causeOf(entry.reason, because)}`,
    },
  ]
}

function reservedSentence({ payerFsp, amount, currency, limit }: CauseFacts): string {
  if (limit === null) return 'The amount is reserved'
  const after = formatAmount(limit.position + amount)
  const bound = formatAmount(limit.cap < limit.cover ? limit.cap : limit.cover)
  return `Reserved: ${payerFsp} owes ${after} of at most ${bound} ${currency}`
}

/** The transfer's final state; where transfers judged the fulfilment itself, its reason. */
function transferDecision(
  { condition, messages, error }: TransferRecord,
  { state, reason, completedAt }: Summary,
  because: CauseFacts,
): readonly DecisionStep[] {
  if (completedAt === undefined) return []
  const sent = bodyOf(messages.find(({ kind }) => kind === 'FULFIL')?.body)['fulfilment']
  const fulfilment = typeof sent === 'string' ? sent : null
  const deliverySteps = errorIn(error)
  return [
    {
      type: 'DECISION',
      at: completedAt,
      by: 'transfers',
      outcome: state,
      reason: reason ?? null,
      facts: {
        condition,
        fulfilment,
        hashOfFulfilment: fulfilment === null ? null : conditionOf(fulfilment),
        errorCode: deliverySteps?.errorCode ?? null,
        errorDescription: deliverySteps?.errorDescription ?? null,
      },
      says: reason === undefined ? 'Committed' : `Aborted. ${causeOf(reason, because)}`,
    },
  ]
}

const journalSentences: Readonly<Record<StepOfJournal, string>> = {
  RESERVE: 'held',
  POST: 'made final',
  VOID: 'released',
  MOVE: 'moved',
  GROSS_PAYER: 'moved',
  GROSS_PAYEE: 'moved',
  GROSS_TO_HUB: 'moved',
  GROSS_FROM_HUB: 'moved',
  GROSS_POSITIONS: 'moved',
  FEE_RESERVE: 'moved',
  FEE_VOID: 'moved',
}

function journalStep(line: LedgerRecord['journal'][number]): JournalStep {
  const { step, at, amount, currency } = line
  const debit = line.debit ?? noAccount
  const credit = line.credit ?? noAccount
  const done = journalSentences[step]
  return {
    type: 'JOURNAL',
    at,
    step,
    money: { amount: unitsOf(amount), currency },
    debit,
    credit,
    says: `${amount} ${currency} ${done}: debit ${debit.participant} ${debit.type}, credit ${credit.participant} ${credit.type}`,
  }
}

const noAccount = { id: 0, participant: '', type: '' }

function quoteSteps(quote: QuoteRecord): readonly StoryStep[] {
  const { payerFsp, payeeFsp = '', amountType, amount, currency, state, reason } = quote
  const asked: MessageStep = {
    type: 'MESSAGE',
    at: quote.createdAt,
    from: payerFsp,
    message: quote.bulkQuoteId === undefined ? 'POST /quotes' : 'POST /bulkQuotes',
    refused: null,
    error: null,
    says: `${payerFsp} asks ${payeeFsp} for terms: ${amountType} ${amount} ${currency}`,
  }
  if (quote.completedAt === undefined) return [asked]
  const deliverySteps = errorIn(quote.error)
  const decided: DecisionStep = {
    type: 'DECISION',
    at: quote.completedAt,
    by: 'quoting',
    outcome: state,
    reason: reason ?? null,
    facts: {
      amount: unitsOf(amount),
      transferAmount: quote.transferAmount === undefined ? null : unitsOf(quote.transferAmount),
      validUntil: quote.validUntil ?? null,
      ruleId: quote.ruleId ?? null,
      errorCode: deliverySteps?.errorCode ?? null,
    },
    says:
      state === 'ACCEPTED'
        ? `${payeeFsp} answers with terms: ${quote.transferAmount} ${currency}, good until ${quote.validUntil}`
        : `The quote is ${state}${deliverySteps === undefined ? '' : `: ${deliverySteps.errorDescription}`}`,
  }
  return [asked, decided]
}

/** errorInformation as JSON; undefined for anything else. */
export function errorIn(json: string | undefined): ErrorTold | undefined {
  return json === undefined ? undefined : errorOf(JSON.parse(json))
}

function errorOf(value: unknown): ErrorTold | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { errorCode, errorDescription } = value as Readonly<Record<string, unknown>>
  return typeof errorCode === 'string' && typeof errorDescription === 'string'
    ? { errorCode, errorDescription: maskedText(errorDescription) }
    : undefined
}
