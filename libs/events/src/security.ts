/** Keys of FSPs, and the signed ping by which an FSP shows that both ways work. */
import { z } from 'zod'
import { define } from './define.ts'
import { callbackReports } from './parts.ts'

const said = { topic: 'auth-service', publishers: ['auth-service'] } as const

const pings = {
  topic: 'fspiop-api.pings',
  publishers: ['fspiop-api'],
  consumers: ['auth-service'],
} as const

export const securityEvents = {
  ParticipantKeysUpdated: define({
    ...said,
    consumers: ['fspiop-api', 'notifications'],
    key: 'participantId',
    about: 'The keys or the credentials of an FSP changed; a reader asks for them again.',
    schema: z.object({ participantId: z.string(), changedAt: z.string() }),
  }),
  PingReceived: define({
    ...pings,
    key: 'pingId',
    about: 'An FSP proved who it is, and its signature verified.',
    schema: z.object({
      pingId: z.string(),
      requesterFspId: z.string(),
      version: z.string(),
      /** How the FSP identified itself: mtls, token or header. */
      identity: z.string(),
      /** The key that verified; absent when signatures are not verified. */
      kid: z.string().optional(),
      receivedAt: z.string(),
    }),
  }),
  PingAccepted: define({
    ...said,
    consumers: ['fspiop-api'],
    key: 'pingId',
    about: 'The ping is stored; the FSP is to be pinged in turn.',
    schema: z.object({
      pingId: z.string(),
      requesterFspId: z.string(),
      version: z.string(),
      receivedAt: z.string(),
    }),
  }),
  PingCallbackReport: define({
    ...pings,
    key: null,
    about: "How the hub's own ping reached the FSP.",
    schema: callbackReports,
  }),
}
