/** Endpoints: where the hub reaches a participant, one address for each type. */
import { isEndpointType, isEndpointValue } from '@causeway/fspiop'
import { z } from 'zod'
import { answered, refused, type Answer } from './answer.ts'
import { endpointValue, type Query } from './fields.ts'
import { reads, writes, type Operation } from './operation.ts'
import { createdBy } from './participants.ts'
import { findParticipant, passedOn, unknownParticipant, type Deps } from './upstream.ts'

const endpoint = z.strictObject({ type: z.string(), value: endpointValue })

export function endpointOperations(deps: Deps): readonly Operation[] {
  const path = '/participants/:name/endpoints'
  return [
    reads(path, ({ name, query }) => listEndpoints(deps, name, query)),
    writes('POST', path, endpoint, ({ name, body }) => setEndpoint(deps, name, body)),
  ]
}

/** With a type the answer is that endpoint alone, or an empty object. */
async function listEndpoints(deps: Deps, name: string, { type }: Query): Promise<Answer> {
  const participant = await findParticipant(deps, name)
  if (participant === undefined) return unknownParticipant(name)
  const endpoints = participant.endpoints.map(({ type, value }) => ({ type, value }))
  if (type === undefined) return answered(200, endpoints)
  return answered(200, endpoints.find((endpoint) => endpoint.type === type) ?? {})
}

async function setEndpoint(
  deps: Deps,
  name: string,
  { type, value }: z.infer<typeof endpoint>,
): Promise<Answer> {
  if (!isEndpointType(type)) return refused('INVALID', 'type is no endpoint type')
  if (!isEndpointValue(type, value)) return refused('INVALID', `value does not suit ${type}`)
  const { refusal } = await deps.participants.UpdateEndpoint({ name, type, value, createdBy })
  return refusal ? passedOn(refusal) : answered(201)
}
