/** Oracles: who is asked whose a party is, by the type of its identifier and by currency. */
import { isPartyIdType } from '@causeway/fspiop'
import type { Oracle } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type Answer } from '../answer.ts'
import { currency, flag, oracleAddress, oracleType, type Query } from '../fields.ts'
import type { Json } from '../json.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { passedOn, type Deps } from '../upstream.ts'

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

export function oracleOperations(deps: Deps): readonly Operation[] {
  const one = '/oracles/:id'
  return [
    reads('/oracles', ({ query }) => listOracles(deps, query)),
    writes('POST', '/oracles', creation, ({ body }) => createOracle(deps, body)),
    writes('PUT', one, change, ({ id, body }) => changeOracle(deps, id, body)),
    commands('DELETE', one, ({ id }) => removeOracle(deps, id)),
  ]
}

async function listOracles(deps: Deps, { type = '', currency = '' }: Query): Promise<Answer> {
  if (type !== '' && !isPartyIdType(type)) return refused('MALFORMED', 'type is no PartyIdType')
  const { oracles } = await deps.oracles.ListOracles({ oracleIdType: type, currency })
  return answered(200, oracles.map(oracleBody))
}

async function createOracle(deps: Deps, body: z.infer<typeof creation>): Promise<Answer> {
  const { refusal } = await deps.oracles.CreateOracle({
    oracleId: 0,
    oracleIdType: body.oracleIdType,
    endpointValue: body.endpoint.value,
    endpointType: body.endpoint.endpointType,
    currency: body.currency ?? '',
    isDefault: body.isDefault ?? false,
  })
  return refusal ? passedOn(refusal) : answered(201)
}

/** What is left out stays as it is. */
async function changeOracle(
  deps: Deps,
  oracleId: number,
  { endpoint, ...body }: z.infer<typeof change>,
): Promise<Answer> {
  const { refusal } = await deps.oracles.UpdateOracle({
    oracleId,
    ...(body.oracleIdType === undefined ? {} : { oracleIdType: body.oracleIdType }),
    ...(endpoint?.value === undefined ? {} : { endpointValue: endpoint.value }),
    ...(endpoint?.endpointType === undefined ? {} : { endpointType: endpoint.endpointType }),
    ...(body.currency === undefined ? {} : { currency: body.currency }),
    ...(body.isDefault === undefined ? {} : { isDefault: body.isDefault }),
  })
  return refusal ? passedOn(refusal) : answered(204)
}

/** To Mojaloop's clients an oracle that is not there is as good as removed. */
async function removeOracle(deps: Deps, oracleId: number): Promise<Answer> {
  const { refusal } = await deps.oracles.RemoveOracle({ oracleId })
  if (!refusal) return answered(204)
  const isGone = refusal.reason === 'ORACLE_UNKNOWN'
  return isGone && deps.settings.COMPATIBILITY === 'mojaloop' ? answered(204) : passedOn(refusal)
}

/** One that serves any currency shows none. */
function oracleBody(oracle: Oracle) {
  return {
    oracleId: oracle.oracleId,
    oracleIdType: oracle.oracleIdType,
    endpoint: { value: oracle.endpointValue, endpointType: oracle.endpointType },
    ...(oracle.currency === '' ? {} : { currency: oracle.currency }),
    isDefault: oracle.isDefault,
  } satisfies Json
}
