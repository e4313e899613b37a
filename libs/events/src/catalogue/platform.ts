/** Configuration, secrets, audit and logs. */
import { serviceNames } from '@causeway/services'
import { z } from 'zod'
import { define } from './define.ts'

/** From the least to the most severe. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

const ofConfig = { topic: 'config', key: 'boundedContextId' } as const

export const platformEvents = {
  ConfigurationValuesChanged: define({
    ...ofConfig,
    publishers: ['config'],
    consumers: ['fspiop-api', 'notifications', 'participant-lifecycle', 'quoting', 'transfers'],
    about: 'Configuration values changed; a reader asks for them again.',
    schema: z.object({
      boundedContextId: z.string(),
      schemaVersion: z.string(),
      iterationNumber: z.int(),
      changedKeys: z.array(z.string()),
    }),
  }),
  SecretsValuesChanged: define({
    ...ofConfig,
    publishers: ['config'],
    consumers: ['notifications'],
    about: 'Secrets changed; their values never travel in an event.',
    schema: z.object({
      boundedContextId: z.string(),
      /** Counts the changes. */
      version: z.int(),
      changedKeys: z.array(z.string()),
    }),
  }),
  '/audit-log-write': define({
    topic: 'audit',
    publishers: [
      'account-lookup',
      'admin',
      'audit',
      'auth-service',
      'config',
      'notifications',
      'participant-lifecycle',
      'quoting',
      'scheduler',
      'settlements',
    ],
    consumers: ['audit'],
    key: 'sourceBcName',
    about: 'An action that must stay on record; no such entry may be lost.',
    schema: z.object({
      id: z.string(),
      actionTimestamp: z.string(),
      functionalTimestamp: z.string().optional(),
      sourceBcName: z.string(),
      sourceAppName: z.string(),
      sourceAppVersion: z.string(),
      /** The component key that signed it. */
      sourceKeyId: z.string().optional(),
      callerNetworkSources: z.array(z.object({ family: z.string(), address: z.string() })),
      securityContext: z.object({
        userId: z.string().optional(),
        appId: z.string().optional(),
        role: z.string().optional(),
        /** Of the operator's log-in. */
        sessionId: z.string().optional(),
      }),
      actionType: z.string(),
      actionSuccessful: z.boolean(),
      labels: z.array(
        z.object({ key: z.string(), value: z.string(), encryptionKeyId: z.string().optional() }),
      ),
      /** What was changed, as a path: 'participants/greenbank'. */
      subject: z.string(),
      /** The subject before and after the action, without secrets; null where there is none. */
      before: z.record(z.string(), z.unknown()).nullable(),
      after: z.record(z.string(), z.unknown()).nullable(),
      /** Names of labels and of members of `before` and `after` that are encrypted in the log. */
      confidential: z.array(z.string()).optional(),
      /** ES256 over the canonical JSON of all other members, base64url. */
      sourceSignature: z.string().optional(),
    }),
  }),
  '/log-write': define({
    topic: 'logs',
    publishers: serviceNames,
    consumers: ['audit'],
    key: 'sourceBcName',
    about: 'A line for the log store, of level warn or above; its loss is tolerated.',
    schema: z.object({
      level: z.enum(logLevels),
      timestamp: z.string(),
      sourceBcName: z.string(),
      appName: z.string(),
      appVersion: z.string(),
      component: z.string().optional(),
      message: z.string(),
      meta: z.record(z.string(), z.string()).optional(),
    }),
  }),
  '/random-number-gen': define({
    topic: 'random-numbers.requests',
    publishers: [],
    consumers: ['auth-service'],
    key: 'requestId',
    about:
      'A component of the operator asks for random bytes and names a public key of its own: the answer ' +
      'is encrypted for it, since a log stores its events and each consumer of a topic may read them.',
    schema: z.object({
      requestId: z.string(),
      purpose: z.enum(['ID', 'SECRET', 'FIDO_CHALLENGE']),
      byteLength: z.int().min(16).max(64),
      encoding: z.enum(['base64url', 'hex']),
      /** P-256, of a pair that is made for this request. */
      publicJwk: z.object({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        x: z.string(),
        y: z.string(),
      }),
    }),
  }),
  RandomNumberGenerated: define({
    topic: 'random-numbers',
    publishers: ['auth-service'],
    consumers: [],
    key: 'requestId',
    about:
      'The random bytes that a component asked for; only the holder of its private key can read them. ' +
      'Of several answers to one request any may be used.',
    schema: z.object({
      requestId: z.string(),
      /** A compact JWE (ECDH-ES, A256GCM) of the bytes in their encoding. */
      encryptedValue: z.string(),
    }),
  }),
}
