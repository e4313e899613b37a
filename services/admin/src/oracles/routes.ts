/** Oracles: the sources that find the FSP of a party, by identifier type and currency. */
import { present, type Oracle } from '@causeway/protos'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { currency, flag, oracleAddress, oracleType } from '../fields.ts'
import type { Json } from '../json.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'

const endpointType = z.literal('URL')

const creation = z.strictObject({
  oracleIdType: oracleType,
  endpoint: z.strictObject({ value: oracleAddress, endpointType }),
  currency: currency.optional(),
  isDefault: flag.optional(),
})

const change = z.strictObject({
  oracleIdType: oracleType.optional(),
  endpoint: z
    .strictObject({ value: oracleAddress.optional(), endpointType: endpointType.optional() })
    .optional(),
  currency: currency.optional(),
  isDefault: flag.optional(),
})

const search = z.object({ type: oracleType.optional(), currency: currency.optional() })

const shownOracle = z
  .strictObject({
    oracleId: z.int(),
    oracleIdType: z.string(),
    endpoint: z.strictObject({ value: z.string(), endpointType }),
    currency: z.string().optional(),
    isDefault: z.boolean(),
  })
  .meta({ id: 'Oracle' })

export function oracleOperations(deps: Deps): readonly Operation[] {
  const one = '/oracles/:id'
  return [
    reads(
      '/oracles',
      {
        about: 'The oracles',
        query: search,
        answers: { 200: z.array(shownOracle) },
      },
      ({ query }) => listOracles(deps, query),
    ),
    writes(
      'POST',
      '/oracles',
      creation,
      { about: 'Adds an oracle', answers: { 201: null }, refuses: ['ORACLE_EXISTS'] },
      ({ body, actor }) => createOracle(deps, body, actor),
    ),
    writes(
      'PUT',
      one,
      change,
      {
        about: 'Changes an oracle; members that are left out stay',
        answers: { 204: null },
        refuses: ['ORACLE_UNKNOWN', 'ORACLE_EXISTS'],
      },
      ({ id, body, actor }) => changeOracle(deps, id, body, actor),
    ),
    commands(
      'DELETE',
      one,
      { about: 'Removes an oracle', answers: { 204: null }, refuses: ['ORACLE_UNKNOWN'] },
      ({ id, actor }) => removeOracle(deps, id, actor),
    ),
    commands(
      'DELETE',
      '/endpointcache',
      { about: 'For scripts: this hub refreshes its caches automatically', answers: { 202: null } },
      () => Promise.resolve(answered(202)),
    ),
  ]
}

async function listOracles(
  deps: Deps,
  { type: oracleIdType, currency }: z.infer<typeof search>,
): Promise<OperationResult> {
  const { oracles } = await deps.oracles.ListOracles(present({ oracleIdType, currency }))
  return answered(200, oracles.map(oracleBody))
}

async function createOracle(
  deps: Deps,
  body: z.infer<typeof creation>,
  actor: string,
): Promise<OperationResult> {
  const { refusal } = await deps.oracles.CreateOracle({
    oracleIdType: body.oracleIdType,
    endpointValue: body.endpoint.value,
    endpointType: body.endpoint.endpointType,
    isDefault: body.isDefault ?? false,
    actor,
    ...present({ currency: body.currency }),
  })
  return refusal ? refusedUpstream(refusal) : answered(201)
}

/** Members that are left out stay. */
async function changeOracle(
  deps: Deps,
  oracleId: number,
  { endpoint, ...body }: z.infer<typeof change>,
  actor: string,
): Promise<OperationResult> {
  const { refusal } = await deps.oracles.UpdateOracle({
    oracleId,
    actor,
    ...present({
      ...body,
      endpointValue: endpoint?.value,
      endpointType: endpoint?.endpointType,
    }),
  })
  return refusal ? refusedUpstream(refusal) : answered(204)
}

/** With COMPATIBILITY=mojaloop removing an unknown oracle succeeds. */
async function removeOracle(deps: Deps, oracleId: number, actor: string): Promise<OperationResult> {
  const { refusal } = await deps.oracles.RemoveOracle({ oracleId, actor })
  if (!refusal) return answered(204)
  const isGone = refusal.reason === 'ORACLE_UNKNOWN'
  return isGone && deps.settings.COMPATIBILITY === 'mojaloop'
    ? answered(204)
    : refusedUpstream(refusal)
}

/** An oracle for any currency shows none. */
function oracleBody(oracle: Oracle) {
  return {
    oracleId: oracle.oracleId,
    oracleIdType: oracle.oracleIdType,
    endpoint: { value: oracle.endpointValue, endpointType: oracle.endpointType },
    ...present({ currency: oracle.currency }),
    isDefault: oracle.isDefault,
  } satisfies Json
}
