/**
 * Secrets of components: a component registers the names, operators set values that no operator reads,
 * and another operator approves or rejects. Only the component itself reads the values, with a signed
 * request. The service config makes all decisions.
 */
import type { SecretSet, SecretSetAnswer } from '@causeway/protos'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { correlationId, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { ofRequest, requestApproval } from '../approvals/calls.ts'
import { ofChange } from '../approvals/routes.ts'
import { shownRequest } from '../approvals/shown.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import { refuseOthers } from './owner.ts'

const names_max = 100

/** What a component registers: names, never values. */
const names = z.strictObject({
  boundedContextId: word,
  /** Semantic version of the names. */
  version: word,
  keys: z
    .array(
      z.strictObject({
        name: word,
        description: z.string().max(1_000),
        /** The component does not work without it. */
        required: z.boolean().optional(),
      }),
    )
    .max(names_max),
})

const newValues = z.strictObject({
  /** Chosen by the client, so that the same request can be sent again; generated when left out. */
  requestId: correlationId.optional(),
  newValues: z
    .array(
      z.strictObject({
        name: word,
        /** null: it is removed. */
        value: z.string().min(1).max(16_384).nullable(),
      }),
    )
    .min(1)
    .max(names_max),
})

const shownSecrets = z
  .strictObject({
    boundedContextId: z.string(),
    version: z.string(),
    /** Counts the changes of values. */
    iterationNumber: z.int(),
    keys: z.array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        required: z.boolean(),
        isSet: z.boolean(),
        lastChanged: shownTime.nullable(),
        lastChangedBy: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'SecretSet' })

const shownValues = z.strictObject({
  version: z.string(),
  iterationNumber: z.int(),
  secrets: z.array(z.strictObject({ name: z.string(), value: z.string() })),
})

const one = '/config/secrets/:boundedContextId'

/** Without a log-in: a component proves who it is with its key. */
export function secretValues(deps: Deps): readonly Operation[] {
  return [
    reads(
      `${one}/values`,
      {
        about: 'The values of the secrets of a component, for that component alone',
        headers: {
          'X-BC-Id': 'The component that signs.',
          'X-Timestamp': 'ISO 8601, UTC; not more than 60 s from now.',
          'X-Nonce': '16 to 64 letters, digits, _ and -; a request is answered once.',
          'X-Signature':
            'JWS (compact, ES256, kid: the id of a registered key) over method, path, time and ' +
            'nonce, one in each line.',
        },
        answers: { 200: shownValues },
        refuses: ['SIGNATURE_INVALID', 'NOT_OWNER', 'CONTEXT_UNKNOWN'],
      },
      async ({ boundedContextId, header }) => {
        const { values, refusal } = await deps.secrets.ReadSecretValues({
          boundedContextId,
          signer: header('X-BC-Id'),
          timestamp: header('X-Timestamp'),
          nonce: header('X-Nonce'),
          signature: header('X-Signature'),
        })
        if (refusal) return refusedUpstream(refusal)
        if (!values) throw new Error('secrets were answered with neither values nor refusal')
        return answered(200, { ...values, secrets: values.secrets.map((each) => ({ ...each })) })
      },
    ),
  ]
}

export function secretOperations(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/config/secrets',
      names,
      {
        about: 'Registers the names of the secrets of a component outside the hub, never values',
        answers: { 200: shownSecrets },
        refuses: ['NOT_OWNER', 'VERSION_OUTDATED', 'MODIFIED'],
      },
      ({ body, actor }) => register(deps, body, actor),
    ),
    reads(
      '/config/secrets',
      {
        about: 'The secrets of all components by name, at most 1,000 components; never values',
        answers: { 200: z.array(shownSecrets) },
      },
      async () => {
        const { secrets } = await deps.secrets.ListSecrets({})
        return answered(200, secrets.map(secretsBody))
      },
    ),
    reads(
      one,
      {
        about: 'The secrets of a component by name; never values',
        answers: { 200: shownSecrets },
        refuses: ['CONTEXT_UNKNOWN'],
      },
      async ({ boundedContextId }) => shown(await deps.secrets.GetSecrets({ boundedContextId })),
    ),
    writes(
      'POST',
      one,
      newValues,
      {
        about: 'Requests other values for secrets of a component, which another person decides',
        answers: { 202: shownRequest },
        refuses: [...ofRequest, ...ofChange.SecretValues],
      },
      ({ boundedContextId, body: { requestId, newValues: values }, actor }) =>
        requestApproval(
          deps,
          'SecretValues',
          { boundedContextId, newValues: values },
          { requestId, actor },
        ),
    ),
  ]
}

async function register(
  deps: Deps,
  { boundedContextId, version, keys }: z.infer<typeof names>,
  actor: string,
): Promise<OperationResult> {
  const refusal = refuseOthers(actor, boundedContextId)
  if (refusal !== undefined) return refusal
  return shown(
    await deps.secrets.RegisterSecrets({
      boundedContextId,
      version,
      iterationNumber: 0,
      keys: keys.map(({ required = false, ...key }) => ({
        ...key,
        required,
        isSet: false,
      })),
      actor,
    }),
  )
}

function shown({ secrets, refusal }: SecretSetAnswer): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  if (!secrets) throw new Error('secrets were answered with neither names nor refusal')
  return answered(200, secretsBody(secrets))
}

function secretsBody({ boundedContextId, version, iterationNumber, keys }: SecretSet) {
  return {
    boundedContextId,
    version,
    iterationNumber,
    keys: keys.map(({ name, description, required, isSet, changedAt, changedBy }) => ({
      name,
      description,
      required,
      isSet,
      lastChanged: changedAt ?? null,
      lastChangedBy: changedBy ?? null,
    })),
  } satisfies Json
}
