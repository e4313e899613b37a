/** Commands to deliver messages and mails, and their outcomes. */
import { z } from 'zod'
import { define } from './define.ts'
import { deliveryReport, errorInformation, legRole } from './parts.ts'

const cause = z.object({ msgName: z.string(), entityId: z.string() })

const http = z.object({
  type: z.literal('HTTP'),
  method: z.enum(['POST', 'PUT', 'PATCH', 'GET', 'DELETE']),
  url: z.string(),
  /**
   * Of the message, from the name of the resource on, with its query: the address is derived from
   * it again when the FSP has moved. Absent where the address does not come from endpoints.
   */
  path: z.string().optional(),
})

/**
 * Of a request that one FSP has sent to another and that no service stores: which FSP is notified
 * when it cannot be delivered, and with which operation, such as "PUT /parties/{Type}/{ID}/error".
 */
const onFailure = z.object({
  requesterFspId: z.string(),
  operation: z.string(),
  /** Of the error callback, from the name of the resource on. */
  path: z.string(),
  /** Fills the variables of the registered address. */
  variables: z.record(z.string(), z.string()),
  version: z.string(),
  /** When the message itself expires, and what its sender is sent if no answer came by then. */
  expiry: z.object({ at: z.string(), errorInformation }).optional(),
  /**
   * The same question went to several FSPs: it has failed only once it has failed at each of them.
   */
  several: z.object({ questionId: z.string(), fsps: z.number().int().min(2) }).optional(),
})

/**
 * The first message with a key decides the content of the key. One with other content is not sent:
 * it fails with `refusal`. One with the same content is sent like any other.
 */
const idempotency = z.object({ key: z.string(), content: z.string(), refusal: errorInformation })

const email = z.object({
  type: z.literal('EMAIL'),
  address: z.string(),
  subject: z.string(),
  /** Text files next to the body. */
  attachments: z
    .array(z.object({ name: z.string(), type: z.string(), content: z.string() }))
    .optional(),
})

export const notificationEvents = {
  NotifyRequested: define({
    topic: 'notifications.requests',
    publishers: ['fspiop-api', 'account-lookup', 'participant-lifecycle', 'auth-service', 'audit'],
    consumers: ['notifications'],
    key: 'entityId',
    about: 'One message is to be delivered; its bytes are the relayed body.',
    schema: z.object({
      notificationId: z.string(),
      /**
       * The transfer, quote … that it is about: messages of one entity to one FSP are sent in
       * order. Its own id where it needs none.
       */
      entityId: z.string(),
      cause,
      legRole,
      destinationFspId: z.string(),
      transport: z.discriminatedUnion('type', [http, email]),
      headers: z.record(z.string(), z.string()),
      /**
       * No attempt begins at or after this moment: the expiration of a request, 24 h for outcomes.
       */
      deadline: z.string(),
      reportRequired: z.boolean(),
      /** With it a failure is reported regardless of `reportRequired`. */
      onFailure: onFailure.optional(),
      idempotency: idempotency.optional(),
    }),
  }),
  NotifyReport: define({
    topic: 'notifications.reports',
    publishers: ['notifications'],
    consumers: ['fspiop-api'],
    key: null,
    about: 'What became of a batch of notifications.',
    schema: z.object({
      reports: z.array(deliveryReport.extend({ cause, onFailure: onFailure.optional() })),
    }),
  }),
}
