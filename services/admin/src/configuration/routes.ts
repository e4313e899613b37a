/**
 * Configuration with the names of the reference architecture: components register what can be set,
 * operators see it and request other values, and another operator approves or rejects. The service
 * config makes all decisions.
 */
import type { ConfigurationAnswer, ConfigurationSet } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { ofRequest, requestApproval } from '../approvals/calls.ts'
import { ofChange } from '../approvals/routes.ts'
import { shownRequest } from '../approvals/shown.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import {
  schemaBody,
  schemaMessage,
  schemaOrValues,
  setBody,
  shownSet,
  type SchemaBody,
} from './bodies.ts'
import { refuseOthers } from './owner.ts'

const ofRegistration = ['NOT_OWNER', 'VERSION_OUTDATED', 'MODIFIED', 'INVALID'] as const

const shownVersion = z.strictObject({ schemaVersion: z.string(), iterationNumber: z.int() })

export function configurationOperations(deps: Deps): readonly Operation[] {
  const one = '/config/schemas/:boundedContextId'
  return [
    writes(
      'POST',
      '/config/schemas',
      schemaBody,
      {
        about:
          'Registers what a component outside the hub can be set to; lower versions are refused',
        answers: { 200: shownVersion },
        refuses: ofRegistration,
      },
      ({ body, actor }) => register(deps, body, actor, versionOf),
    ),
    reads(
      '/config/schemas',
      {
        about: 'What each component can be set to, with the current values, at most 1,000',
        answers: { 200: z.array(shownSet) },
      },
      async () => {
        const { configurations } = await deps.configurations.ListConfigurations({})
        return answered(200, configurations.map(setBody))
      },
    ),
    reads(
      one,
      {
        about: 'What a component can be set to, with the current values',
        answers: { 200: shownSet },
        refuses: ['CONTEXT_UNKNOWN'],
      },
      async ({ boundedContextId }) =>
        shown(await deps.configurations.GetConfiguration({ boundedContextId }), setBody),
    ),
    writes(
      'POST',
      one,
      schemaOrValues,
      {
        about:
          'With newValues: requests other values for a component, which another person decides. ' +
          'Without: registers its schema',
        answers: { 200: shownSet, 202: shownRequest },
        refuses: [...new Set([...ofRegistration, ...ofRequest, ...ofChange.ConfigurationValues])],
      },
      ({ boundedContextId, body, actor }) => {
        const { boundedContextId: named = boundedContextId, newValues, ...rest } = body
        if (named !== boundedContextId) {
          return Promise.resolve(refused('INVALID', 'boundedContextId is not that of the path'))
        }
        const { requestId, iterationNumber, ...schema } = rest
        if (newValues === undefined) {
          return register(deps, { ...schema, boundedContextId }, actor, setBody)
        }
        if (iterationNumber === undefined) {
          return Promise.resolve(refused('MISSING', 'iterationNumber'))
        }
        const { schemaVersion } = schema
        const content = { boundedContextId, schemaVersion, iterationNumber, newValues }
        return requestApproval(deps, 'ConfigurationValues', content, { requestId, actor })
      },
    ),
  ]
}

async function register(
  deps: Deps,
  body: SchemaBody,
  actor: string,
  bodyOf: typeof setBody,
): Promise<OperationResult> {
  const refusal = refuseOthers(actor, body.boundedContextId)
  if (refusal !== undefined) return refusal
  const message = schemaMessage(body, actor)
  return shown(await deps.configurations.RegisterConfigurationSchema(message), bodyOf)
}

function versionOf({ schemaVersion, iterationNumber }: ConfigurationSet) {
  return { schemaVersion, iterationNumber }
}

function shown(
  { configuration, refusal }: ConfigurationAnswer,
  bodyOf: typeof setBody,
): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  if (!configuration) throw new Error('a configuration was answered with neither set nor refusal')
  return answered(200, bodyOf(configuration))
}
