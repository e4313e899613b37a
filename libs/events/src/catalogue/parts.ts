/** Payload parts that several events share. Times are ISO 8601 UTC, amounts decimal strings. */
import { legRoleValues, reportedDeliveryStatusValues } from '@causeway/protos'
import { z } from 'zod'

export const money = z.object({ currency: z.string(), amount: z.string() })

export const extensionList = z.object({
  extension: z.array(z.object({ key: z.string(), value: z.string() })),
})

export const errorInformation = z.object({
  errorCode: z.string(),
  errorDescription: z.string(),
  extensionList: extensionList.optional(),
})

/** A POSITION account right after the step that the event reports. */
export const position = z.object({
  participantId: z.string(),
  accountId: z.int(),
  currency: z.string(),
  value: z.string(),
  reservedValue: z.string(),
  limit: z.string().optional(),
  liquidity: z.string().optional(),
  changedAt: z.string(),
})

/**
 * PAYER and PAYEE of the transfer; REQUESTER is the FSP that sent the request and gets the answer.
 */
export const legRole = z.enum(legRoleValues)

/** The result of delivering one notification. */
export const deliveryReport = z.object({
  notificationId: z.string(),
  legRole,
  destinationFspId: z.string(),
  status: z.enum(reportedDeliveryStatusValues),
  httpStatus: z.int().optional(),
  attempts: z.int(),
  duration_ms: z.int(),
  lastError: z.string().optional(),
  /** What a refusing FSP wrote into its answer. */
  errorInformation: errorInformation.optional(),
  reportedAt: z.string(),
})

/** One message per worked batch: the delivery results of one kind of callback. */
export const callbackReports = z.object({
  reports: z.array(deliveryReport.extend({ entityId: z.string() })),
})

/** Also the members of the members, and the elements of lists. */
export type ReadonlyDeep<T> = T extends object
  ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
  : T

export type ErrorInformation = ReadonlyDeep<z.infer<typeof errorInformation>>
export type LegRole = z.infer<typeof legRole>
