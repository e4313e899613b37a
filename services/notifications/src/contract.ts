/** From the NotifyRequested event to a notification, and from its end to a line of a report. */
import {
  catalogue,
  newEvent,
  type DomainEvent,
  type ErrorInformation,
  type Payload,
} from '@causeway/events'
import { monthOf, type HttpAnswer, type OutgoingMessage } from '@causeway/runtime'
import { z } from 'zod'
import type { Try } from './domain/tries.ts'
import type { FspRefusal } from './domain/verdict.ts'

/** In the place of an FSP: where all e-mails go. No participant can have this name. */
export const mailServer = 'mail server'

/** Something to deliver, with everything that its attempts need. */
export interface Notification {
  readonly id: string
  /** Whose lane it takes: the FSP that is told, or the mail server. */
  readonly fspId: string
  readonly entityId: string
  /** The FSP whose message it is, or the hub; empty where FSPIOP-Source is absent. */
  readonly source: string
  /** As it was heard; `headers` hold the relayed ones too. */
  readonly request: Payload<'NotifyRequested'>
  readonly body: Buffer
  readonly deadline_ms: number
  readonly taken_ms: number
  /** The month in which it was taken: where its line is stored. */
  readonly month: string
}

/** A notification that has come to its end. */
export interface Ended {
  readonly type: 'ENDED'
  readonly notification: Notification
  readonly status: 'SUCCESS' | 'FAILED'
  readonly attempts: number
  readonly httpStatus: number | null
  readonly error: string | null
  readonly tries: readonly Try[]
  readonly ended_ms: number
  /** What a refusing FSP wrote into its answer, or why it was never sent. */
  readonly refusal: FspRefusal | undefined
  /** Whether it has a row among the undelivered. */
  readonly stored: boolean
}

/** A notification that waits for its next attempt. */
export interface Waits {
  readonly type: 'WAITS'
  readonly notification: Notification
  readonly attempts: number
  readonly next_attempt_ms: number
  /** An attempt is under way until then at the latest; 0 when none is. */
  readonly busy_until_ms: number
  readonly httpStatus: number | null
  readonly error: string | null
  readonly tries: readonly Try[]
  readonly stored: boolean
}

export type Result = Ended | Waits

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const relayedHeaders = z.record(z.string(), z.string())
const error_length_max = 200
const duration_ms_max = 2_147_483_647

/** Throws when the event cannot be read: it is then a dead letter of the bus. */
export function notificationOf(
  { payload, relay }: DomainEvent<'NotifyRequested'>,
  taken_ms: number,
): Notification {
  const relayed =
    relay?.headers === undefined ? {} : relayedHeaders.parse(JSON.parse(relay.headers.toString()))
  return openNotification(
    { ...payload, headers: { ...relayed, ...payload.headers } },
    relay?.body ?? Buffer.alloc(0),
    taken_ms,
  )
}

/** A stored one, read back. */
export function storedNotification(
  request: unknown,
  body: Buffer,
  deadline_ms: number,
  taken_ms: number,
): Notification {
  const payload = catalogue.NotifyRequested.schema.parse(request)
  return { ...openNotification(payload, body, taken_ms), deadline_ms }
}

function openNotification(
  request: Payload<'NotifyRequested'>,
  body: Buffer,
  taken_ms: number,
): Notification {
  const deadline_ms = Date.parse(request.deadline)
  if (!uuid.test(request.notificationId)) throw new Error('notificationId is no UUID')
  if (Number.isNaN(deadline_ms)) throw new Error('deadline is no time')
  return {
    id: request.notificationId,
    fspId: request.transport.type === 'EMAIL' ? mailServer : request.destinationFspId,
    entityId: request.entityId,
    source: request.headers['fspiop-source'] ?? '',
    request,
    body,
    deadline_ms,
    taken_ms,
    month: monthOf(new Date(taken_ms)),
  }
}

/** Milliseconds from the moment it was taken to its end. */
export function duration_msOf({ notification, ended_ms }: Ended): number {
  return Math.min(Math.max(ended_ms - notification.taken_ms, 0), duration_ms_max)
}

/** Cut, and without what PostgreSQL does not take. */
export function storableError(error: string | null): string | null {
  return error === null ? null : error.slice(0, error_length_max).replaceAll('\0', '')
}

/** Whether anybody waits to hear of the end. */
function needsReport({ notification, status }: Ended): boolean {
  const { reportRequired, onFailure } = notification.request
  return reportRequired || (onFailure !== undefined && status === 'FAILED')
}

function errorInformationOf({
  errorCode,
  errorDescription,
  extensionList,
}: FspRefusal): ErrorInformation {
  return {
    errorCode,
    errorDescription,
    ...(extensionList === undefined
      ? {}
      : {
          extensionList: {
            extension: extensionList.extension.map(({ key, value }) => ({ key, value })),
          },
        }),
  }
}

const refusalBody = z.object({
  errorInformation: z.object({
    errorCode: z.string().regex(/^[1-9]\d{3}$/),
    errorDescription: z.string().min(1).max(128),
    extensionList: z
      .object({
        extension: z
          .array(z.object({ key: z.string().max(32), value: z.string().max(128) }))
          .min(1)
          .max(16),
      })
      .optional(),
  }),
})

/** The error that an answer of 400 or more carries; undefined when there is none that can be told on. */
export function refusalIn({ status, body, truncated }: HttpAnswer): FspRefusal | undefined {
  if (status < 400 || truncated || body.length === 0) return undefined
  try {
    return refusalBody.safeParse(JSON.parse(body.toString('utf8'))).data?.errorInformation
  } catch {
    return undefined
  }
}

/** One message for all that ended together; none when nobody wants to know. */
export function reportOf(ended: readonly Ended[]): readonly OutgoingMessage[] {
  const reports = ended.filter(needsReport).map((end) => {
    const { request } = end.notification
    const error = storableError(end.error)
    return {
      notificationId: request.notificationId,
      cause: request.cause,
      legRole: request.legRole,
      destinationFspId: request.destinationFspId,
      status: end.status,
      ...(end.httpStatus === null ? {} : { httpStatus: end.httpStatus }),
      attempts: end.attempts,
      duration_ms: duration_msOf(end),
      ...(error === null ? {} : { lastError: error }),
      ...(end.refusal === undefined ? {} : { errorInformation: errorInformationOf(end.refusal) }),
      ...(request.onFailure === undefined ? {} : { onFailure: request.onFailure }),
      reportedAt: new Date(end.ended_ms).toISOString(),
    }
  })
  return reports.length === 0 ? [] : [newEvent('notifications', 'NotifyReport', { reports })]
}
