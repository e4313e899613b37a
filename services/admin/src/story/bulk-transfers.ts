/** Bulk transfers for the operator: a search, and one with its items and how far it has come. */
import {
  bulkTransferStateValues,
  transferStateValues,
  type BulkTransferRecord,
  type BulkTransferSummary,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { correlationId, searchFields, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, type Operation } from '../operation.ts'
import { shownArchivedMonths, shownMoney, shownTime } from '../shapes.ts'
import { unitsOf, type Deps } from '../upstream.ts'

export const shownBulk = z
  .strictObject({
    bulkTransferId: z.string(),
    bulkQuoteId: z.string(),
    payerFsp: z.string(),
    payeeFsp: z.string(),
    state: z.enum(bulkTransferStateValues),
    reason: z.string().nullable(),
    items: z.int(),
    undecided: z
      .int()
      .meta({ description: 'The ledger has not decided yet whether it reserves them.' }),
    open: z.int().meta({ description: 'Not final; the undecided ones are among them.' }),
    committed: z.int(),
    expiration: shownTime,
    receivedAt: shownTime,
    completedAt: shownTime.nullable(),
  })
  .meta({ id: 'BulkTransfer' })

const shownBulks = z
  .strictObject({ bulkTransfers: z.array(shownBulk), next: z.string().nullable() })
  .meta({ id: 'BulkTransfers' })

const shownRecord = shownBulk
  .extend({
    individualTransfers: z.array(
      z.strictObject({
        transferId: z.string(),
        state: z
          .enum(transferStateValues)
          .nullable()
          .meta({ description: 'null: another transfer has the id, or an item before it.' }),
        reason: z.string().nullable(),
        amount: shownMoney.nullable(),
        isAsked: z.boolean().meta({ description: 'The payee FSP was asked for it.' }),
      }),
    ),
    messages: z.array(z.strictObject({ kind: z.string(), receivedAt: shownTime })),
    refusedMessages: z.array(
      z.strictObject({
        kind: z.string(),
        fspId: z.string(),
        receivedAt: shownTime,
        reason: z.string(),
      }),
    ),
    deliveries: z.array(
      z.strictObject({
        notificationId: z.string(),
        to: z.string(),
        role: z.string(),
        status: z.string(),
        attemptsCount: z.int(),
        reportedAt: shownTime,
        report: z.string(),
      }),
    ),
    archivedMonths: shownArchivedMonths,
  })
  .meta({ id: 'BulkTransferRecord' })

const search = z.object({
  bulkTransferId: correlationId.optional(),
  bulkQuoteId: correlationId.optional(),
  fspId: word.optional().meta({ description: 'As payer or as payee.' }),
  state: z.enum(bulkTransferStateValues).optional(),
  ...searchFields('in which the request came'),
})

export function bulkTransferOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/bulkTransfers',
      {
        about: 'Bulk transfers, the newest first, with how many of their items are paid',
        query: search,
        answers: { 200: shownBulks },
      },
      ({ query }) => findBulks(deps, query),
    ),
    reads(
      '/bulkTransfers/:bulkTransferId',
      {
        about: 'A bulk transfer with each of its items, its messages and its deliveries',
        answers: { 200: shownRecord },
        refuses: ['BULK_TRANSFER_UNKNOWN'],
      },
      ({ bulkTransferId }) => getBulk(deps, bulkTransferId),
    ),
  ]
}

async function findBulks(
  deps: Deps,
  { bulkTransferId: id, state, ...page }: z.infer<typeof search>,
): Promise<OperationResult> {
  const found = await deps.transfers.SearchBulkTransfers({
    id,
    states: state === undefined ? [] : [state],
    ...page,
  })
  return answered(200, {
    bulkTransfers: found.bulkTransfers.map(summaryBody),
    next: found.next ?? null,
  })
}

async function getBulk(deps: Deps, id: string): Promise<OperationResult> {
  const { record } = await deps.transfers.GetBulkTransferRecord({ id })
  return record === null ? refused('BULK_TRANSFER_UNKNOWN', id) : answered(200, recordBody(record))
}

export function summaryBody(row: BulkTransferSummary): Readonly<Record<string, Json>> {
  const { id, bulkQuoteId, payerFsp, payeeFsp, state, reason, completedAt } = row
  const { items, undecided, open, committed, expiresAt: expiration, receivedAt } = row
  return {
    bulkTransferId: id,
    bulkQuoteId,
    payerFsp,
    payeeFsp,
    state,
    reason: reason ?? null,
    items,
    undecided,
    open,
    committed,
    expiration,
    receivedAt,
    completedAt: completedAt ?? null,
  }
}

function recordBody(record: BulkTransferRecord): Json {
  const { summary, items, messages, refusedMessages, deliveries, archivedMonth } = record
  if (summary === null) throw new Error('transfers answered without what the record is about')
  return {
    ...summaryBody(summary),
    individualTransfers: items.map(({ transferId, state, reason, amount, currency, isAsked }) => ({
      transferId,
      state: state ?? null,
      reason: reason ?? null,
      amount:
        amount === undefined || currency === undefined
          ? null
          : { amount: unitsOf(amount), currency },
      isAsked,
    })),
    messages: messages.map(({ kind, receivedAt = '' }) => ({ kind, receivedAt })),
    refusedMessages: refusedMessages.map(({ kind, fspId, receivedAt, reason }) => ({
      kind,
      fspId,
      receivedAt,
      reason,
    })),
    deliveries: deliveries.map(({ report = '', ...delivery }) => ({
      notificationId: delivery.notificationId,
      to: delivery.fspId,
      role: delivery.legRole,
      status: delivery.status,
      attemptsCount: delivery.attempts,
      reportedAt: delivery.reportedAt,
      report,
    })),
    archivedMonths: archivedMonth === undefined ? [] : [archivedMonth],
  }
}
