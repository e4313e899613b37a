/**
 * Keys of FSPs, roles and tokens of operators, and the signed ping by which an FSP shows that both
 * ways work.
 */
import { z } from 'zod'
import { define } from './define.ts'
import { callbackReports } from './parts.ts'

const common = { topic: 'auth-service', publishers: ['auth-service'] } as const

const pings = {
  topic: 'fspiop-api.pings',
  publishers: ['fspiop-api'],
  consumers: ['auth-service'],
} as const

export const securityEvents = {
  ParticipantKeysUpdated: define({
    ...common,
    consumers: ['fspiop-api'],
    key: 'participantId',
    about: 'The keys or the credentials of an FSP changed; a reader asks for them again.',
    schema: z.object({ participantId: z.string(), changedAt: z.string() }),
  }),
  PlatformRoleChanged: define({
    ...common,
    consumers: ['admin'],
    key: 'roleId',
    about:
      'The privileges or the members of a role have changed; a reader requests the roles again.',
    schema: z.object({ roleId: z.string(), changedAt: z.string() }),
  }),
  AuthTokenInvalidated: define({
    ...common,
    consumers: ['admin'],
    key: 'tokenId',
    about: 'A token is not to be accepted any more, though it has not expired.',
    schema: z.object({
      /** The `sid` of a session's tokens; of tokens of an operator: their `sub`. */
      tokenId: z.string(),
      /** Of an operator: the tokens whose `ver` is lower. */
      versionsBelow: z.int().optional(),
      /** When the last of them would have expired: from then on the entry is not needed. */
      expiry: z.string(),
    }),
  }),
  CredentialEnding: define({
    topic: 'auth-service.credentials',
    publishers: ['auth-service'],
    consumers: ['participant-lifecycle'],
    key: 'participantId',
    about: 'A key or a certificate of an FSP ends soon, and nothing that lasts longer replaces it.',
    schema: z.object({
      participantId: z.string(),
      kind: z.enum(['SIGNING_KEY', 'ENCRYPTION_KEY', 'CERTIFICATE']),
      /** The kid of a key, the serial number of a certificate. */
      credentialId: z.string(),
      endsAt: z.string(),
      /** Days until then, rounded up. */
      daysLeft: z.int(),
      warnedAt: z.string(),
    }),
  }),
  ComponentKeysChanged: define({
    topic: 'auth-service.component-keys',
    publishers: ['auth-service'],
    consumers: ['audit', 'config'],
    key: 'boundedContextId',
    about: 'A component registered a key, or one was revoked; a reader asks for the keys again.',
    schema: z.object({ boundedContextId: z.string(), keyId: z.string(), changedAt: z.string() }),
  }),
  PingReceived: define({
    ...pings,
    key: 'pingId',
    about: 'An FSP was authenticated, and its signature is valid.',
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
    ...common,
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
