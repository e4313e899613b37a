/** Converts a NotifyRequested event to a notification, and its result to a line of a report. */
import type { OutgoingMessage } from '@causeway/bus'
import { catalogue, newEvent, type DomainEvent, type Payload } from '@causeway/events'
import type { ErrorInformation } from '@causeway/fspiop'
import type { HttpAnswer } from '@causeway/http'
import { monthOf } from '@causeway/postgres'
import { z } from 'zod'
import type { Try } from './domain/tries.ts'
import type { FspRefusal } from './domain/verdict.ts'

/** The lane of all e-mails, in place of an FSP id. No participant can have this name. */
export const mailServer = 'mail server'

/** A message to deliver, with everything that its attempts need. */
export interface Notification {
  readonly id: string
  /** The lane that it uses: the receiving FSP, or the mail server. */
  readonly fspId: string
  readonly entityId: string
  /** The sender: an FSP or the hub; empty when FSPIOP-Source is absent. */
  readonly source: string
  /** As received; `headers` include the relayed ones. */
  readonly request: Payload<'NotifyRequested'>
  readonly body: Buffer
  readonly deadline_ms: number
  readonly taken_ms: number
  /** The month in which it was received: the partition of its row in `deliveries`. */
  readonly month: string
}

/** A notification that was delivered or has failed for good. */
export interface EndedNotification {
  readonly type: 'ENDED'
  readonly notification: Notification
  readonly status: 'SUCCESS' | 'FAILED'
  readonly attempts: number
  readonly httpStatus: number | null
  readonly error: string | null
  readonly tries: readonly Try[]
  readonly ended_ms: number
  /** The error in the answer of the refusing FSP, or the reason why it was never sent. */
  readonly refusal: FspRefusal | undefined
  /** Whether it has a row in `undelivered`. */
  readonly stored: boolean
}

/** A notification that waits for its next attempt. */
export interface Waits {
  readonly type: 'WAITS'
  readonly notification: Notification
  readonly attempts: number
  readonly next_attempt_ms: number
  /** The latest end of the attempt in progress; 0 when there is none. */
  readonly busy_until_ms: number
  readonly httpStatus: number | null
  readonly error: string | null
  readonly tries: readonly Try[]
  readonly stored: boolean
}

export type NotificationResult = EndedNotification | Waits

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const relayedHeaders = z.record(z.string(), z.string())
const error_length_max = 200
const duration_ms_max = 2_147_483_647

/** Throws when the event is invalid; the bus then makes it a dead letter. */
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

/** A notification read from the database. */
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
  if (!uuid.test(request.notificationId)) throw new Error('notificationId is not a UUID')
  if (Number.isNaN(deadline_ms)) throw new Error('deadline is not a time')
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

/** Milliseconds from receipt to the end. */
export function duration_msOf({ notification, ended_ms }: EndedNotification): number {
  return Math.min(Math.max(ended_ms - notification.taken_ms, 0), duration_ms_max)
}

/** Cut to the maximum length, and without NUL, which PostgreSQL cannot store. */
export function storableError(error: string | null): string | null {
  return error === null ? null : error.slice(0, error_length_max).replaceAll('\0', '')
}

/** Whether the result must be reported. */
function needsReport({ notification, status }: EndedNotification): boolean {
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

/** The error in an answer of 400 or more; undefined when it has none that can be relayed. */
export function refusalIn({ status, body, truncated }: HttpAnswer): FspRefusal | undefined {
  if (status < 400 || truncated || body.length === 0) return undefined
  try {
    return refusalBody.safeParse(JSON.parse(body.toString('utf8'))).data?.errorInformation
  } catch {
    return undefined
  }
}

/** One message for all results stored together; none when no report is required. */
export function reportOf(ended: readonly EndedNotification[]): readonly OutgoingMessage[] {
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
