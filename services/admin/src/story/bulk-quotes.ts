/** Bulk quotes for the operator: a search, and one with its items and its story. */
import {
  amountTypeValues,
  quoteStateValues,
  type BulkQuote,
  type BulkQuoteItem,
  type BulkQuoteRecord,
  type BulkTransferSummary,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { correlationId, searchFields, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, type Operation } from '../operation.ts'
import { shownMoney, shownTime } from '../shapes.ts'
import { unitsOf, type Deps } from '../upstream.ts'
import { stepBody } from './bodies.ts'
import { bulkQuoteStory, bulkQuoteSummary } from './bulk-quote-story.ts'
import {
  shownBulk as shownBulkTransfer,
  summaryBody as bulkTransferBody,
} from './bulk-transfers.ts'
import { errorIn, type Story } from './compose.ts'
import { deliveriesOf } from './facts.ts'
import { shownErrorTold, shownStep } from './shapes.ts'

const transfers_max = 20

const shownBulkQuote = z
  .strictObject({
    bulkQuoteId: z.string(),
    payerFsp: z.string(),
    payeeFsp: z.string().nullable().meta({ description: 'null: the hub found none to ask.' }),
    state: z.enum(quoteStateValues),
    reason: z.string().nullable(),
    error: shownErrorTold.nullable(),
    items: z.int(),
    itemsRefused: z.int().meta({ description: 'The payee FSP was not asked for them.' }),
    expiration: shownTime,
    receivedAt: shownTime,
    completedAt: shownTime.nullable(),
    validUntil: shownTime.nullable(),
  })
  .meta({ id: 'BulkQuote' })

const shownBulkQuotes = z
  .strictObject({ bulkQuotes: z.array(shownBulkQuote), next: z.string().nullable() })
  .meta({ id: 'BulkQuotes' })

const shownRecord = shownBulkQuote
  .extend({
    individualQuotes: z
      .array(
        z.strictObject({
          quoteId: z.string(),
          transactionId: z.string(),
          amountType: z.enum(amountTypeValues),
          amount: shownMoney,
          transferAmount: shownMoney.nullable(),
          state: z.enum(quoteStateValues),
          reason: z.string().nullable().meta({
            description:
              'ITEMS: the hub refused it; REFUSED: the payee FSP did; UNANSWERED: its answer leaves it out.',
          }),
          error: shownErrorTold.nullable(),
        }),
      )
      .meta({ description: 'In the order of the request; empty when they are archived.' }),
    bulkTransfers: z.array(shownBulkTransfer).meta({
      description: `Those that name it, the newest first, at most ${transfers_max}.`,
    }),
    findings: z.array(z.string()),
    steps: z.array(shownStep),
  })
  .meta({ id: 'BulkQuoteStory' })

const search = z.object({
  bulkQuoteId: correlationId.optional(),
  fspId: word.optional().meta({ description: 'As payer or as payee.' }),
  state: z.enum(quoteStateValues).optional(),
  ...searchFields('in which the request came'),
})

export function bulkQuoteOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/bulkQuotes',
      {
        about: 'Bulk quotes, the newest first; a page looks at a bounded number of them',
        query: search,
        answers: { 200: shownBulkQuotes },
      },
      ({ query }) => findBulks(deps, query),
    ),
    reads(
      '/bulkQuotes/:bulkQuoteId',
      {
        about: 'A bulk quote with each of its items, and what happened to it and why',
        answers: { 200: shownRecord },
        refuses: ['BULK_QUOTE_UNKNOWN'],
      },
      ({ bulkQuoteId }) => getBulk(deps, bulkQuoteId),
    ),
  ]
}

async function findBulks(
  deps: Deps,
  { bulkQuoteId: id, state, ...page }: z.infer<typeof search>,
): Promise<OperationResult> {
  const { bulkQuotes, next } = await deps.quotes.SearchBulkQuotes({
    id,
    states: state === undefined ? [] : [state],
    ...page,
  })
  return answered(200, {
    bulkQuotes: bulkQuotes.map(summaryBody),
    next: next ?? null,
  })
}

async function getBulk(deps: Deps, id: string): Promise<OperationResult> {
  const [{ record }, { bulkTransfers }] = await Promise.all([
    deps.quotes.GetBulkQuoteRecord({ id }),
    deps.transfers.SearchBulkTransfers({ bulkQuoteId: id, states: [], limit: transfers_max }),
  ])
  if (record === null) return refused('BULK_QUOTE_UNKNOWN', id)
  const { payerFsp, payeeFsp } = bulkQuoteSummary(record)
  const deliveries = await deliveriesOf(deps, {
    notificationIds: record.deliveries.map(({ notificationId }) => notificationId),
    entityIds: [id],
    fspIds: payeeFsp === undefined ? [payerFsp] : [payerFsp, payeeFsp],
  })
  return answered(200, recordBody(record, bulkTransfers, bulkQuoteStory(record, deliveries)))
}

function summaryBody(bulk: BulkQuote): Readonly<Record<string, Json>> {
  const { id, payerFsp, payeeFsp, state, items, itemsRefused, expiresAt, createdAt } = bulk
  return {
    bulkQuoteId: id,
    payerFsp,
    payeeFsp: payeeFsp ?? null,
    state,
    reason: bulk.reason ?? null,
    error: errorBody(bulk.error),
    items,
    itemsRefused,
    expiration: expiresAt,
    receivedAt: createdAt,
    completedAt: bulk.completedAt ?? null,
    validUntil: bulk.validUntil ?? null,
  }
}

function recordBody(
  record: BulkQuoteRecord,
  bulkTransfers: readonly BulkTransferSummary[],
  { findings, steps }: Pick<Story, 'findings' | 'steps'>,
): Json {
  return {
    ...summaryBody(bulkQuoteSummary(record)),
    individualQuotes: record.items.map(itemBody),
    bulkTransfers: bulkTransfers.map(bulkTransferBody),
    findings,
    steps: steps.map(stepBody),
  }
}

function itemBody(item: BulkQuoteItem): Json {
  const { quoteId, transactionId, amountType, amount, currency, transferAmount, state } = item
  return {
    quoteId,
    transactionId,
    amountType,
    amount: { amount: unitsOf(amount), currency },
    transferAmount:
      transferAmount === undefined ? null : { amount: unitsOf(transferAmount), currency },
    state,
    reason: item.reason ?? null,
    error: errorBody(item.error),
  }
}

/** errorInformation as JSON, without extensions. */
function errorBody(json: string | undefined): Json {
  const error = errorIn(json)
  return error === undefined ? null : { ...error }
}
