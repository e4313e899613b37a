/** What the operations on payments answer, as a client reads it. */
import { transferStateValues } from '@causeway/protos'
import { z } from 'zod'
import { shownAmount, shownMoney, shownTime } from '../shapes.ts'

const shownTransfer = z
  .strictObject({
    transferId: z.string(),
    payerFsp: z.string(),
    payeeFsp: z.string(),
    amount: shownMoney,
    state: z.enum(transferStateValues),
    reason: z.string().nullable(),
    receivedAt: shownTime,
    completedAt: shownTime.nullable(),
  })
  .meta({ id: 'Transfer' })

export const shownTransfers = z
  .strictObject({
    transfers: z.array(shownTransfer),
    next: z.string().nullable(),
  })
  .meta({ id: 'Transfers' })

export const shownActivity = z
  .strictObject({
    seconds: z.number(),
    received: z.int(),
    committed: z.int(),
    aborted: z.int(),
    open: z.int(),
    perSecond: z.number(),
    latency_ms: z.strictObject({ p50: z.number(), p95: z.number(), p99: z.number() }).nullable(),
  })
  .meta({ id: 'Activity' })

export const shownParty = z.strictObject({
  partyIdType: z.string(),
  /** Masked in a story. */
  partyIdentifier: z.string(),
  fspId: z.string().nullable(),
})

export const shownErrorTold = z.strictObject({
  errorCode: z.string(),
  errorDescription: z.string(),
})

const shownAccount = z.strictObject({
  id: z.int(),
  participant: z.string(),
  type: z.string(),
})

export const shownStep = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('MESSAGE'),
      at: shownTime,
      from: z.string(),
      message: z.string(),
      refused: z.string().nullable(),
      error: shownErrorTold.nullable(),
      says: z.string(),
    }),
    z.strictObject({
      type: z.literal('DECISION'),
      at: shownTime,
      by: z.enum(['quoting', 'ledger', 'transfers']),
      outcome: z.string(),
      reason: z.string().nullable(),
      facts: z.record(z.string(), z.union([shownAmount, z.string(), z.null()])),
      says: z.string(),
    }),
    z.strictObject({
      type: z.literal('JOURNAL'),
      at: shownTime,
      step: z.string(),
      amount: shownMoney,
      debit: shownAccount,
      credit: shownAccount,
      says: z.string(),
    }),
    z.strictObject({
      type: z.literal('DELIVERY'),
      at: shownTime,
      notificationId: z.string(),
      to: z.string(),
      role: z.string(),
      cause: z.string(),
      message: z.string(),
      state: z.enum(['DELIVERED', 'PARKED', 'FAILED']),
      attemptsCount: z.int(),
      attempts: z.array(
        z.strictObject({
          beganAt: shownTime,
          duration_ms: z.int(),
          httpStatus: z.int().nullable(),
          error: z.string().nullable(),
        }),
      ),
      nextAttemptAt: shownTime.nullable(),
      lastError: z.string().nullable(),
      says: z.string(),
    }),
  ])
  .meta({ id: 'StoryStep' })

/** What a PISP began; its DFSP tells the rest. */
const shownThirdParty = z
  .strictObject({
    transactionRequestId: z.string(),
    /** null: the DFSP has named none. */
    transactionId: z.string().nullable(),
    /** null: no message has named it, as where the DFSP verifies signatures by itself. */
    consentId: z.string().nullable(),
    pispId: z.string(),
    dfspId: z.string(),
    /** REQUESTED, then transactionRequestState as the DFSP reports it, or FAILED. */
    state: z.string(),
    transactionState: z.string().nullable(),
    error: shownErrorTold.nullable(),
    requestedAt: shownTime,
    endedAt: shownTime.nullable(),
  })
  .meta({ id: 'ThirdPartyTransaction' })

export const shownThirdParties = z.strictObject({
  transactions: z.array(shownThirdParty),
  next: z.string().nullable(),
})

export const shownStory = shownTransfer
  .extend({
    expiration: shownTime,
    /** The bulk that it is an item of. */
    bulkTransferId: z.string().nullable(),
    cause: z
      .strictObject({ reason: z.string(), errorCode: z.string(), errorDescription: z.string() })
      .nullable(),
    findings: z.array(z.string()),
    /** null: no PISP began it. */
    thirdParty: shownThirdParty.nullable(),
    transaction: z
      .strictObject({
        transactionId: z.string(),
        quoteId: z.string(),
        quoteIsKnown: z.boolean(),
        /** The bulk quote that the quote is an item of. */
        bulkQuoteId: z.string().nullable(),
        payer: shownParty,
        payee: shownParty,
      })
      .nullable(),
    steps: z.array(shownStep),
  })
  .meta({ id: 'Story' })

export const shownRequestStory = z
  .strictObject({
    thirdParty: shownThirdParty,
    /** null: none has come of it. */
    transfer: shownTransfer.nullable(),
    findings: z.array(z.string()),
    steps: z.array(shownStep),
  })
  .meta({ id: 'ThirdPartyStory' })
