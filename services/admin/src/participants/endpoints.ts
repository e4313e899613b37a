/** Endpoints: the addresses at which the hub reaches a participant, one per type. */
import { endpointValueFault } from '@causeway/fspiop'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { endpointType, endpointValue } from '../fields.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { findParticipant, refusedUpstream, unknownParticipant, type Deps } from '../upstream.ts'

const endpoint = z.strictObject({ type: endpointType, value: endpointValue })

const shownEndpoint = z.strictObject({ type: z.string(), value: z.string() })

export function endpointOperations(deps: Deps): readonly Operation[] {
  const path = '/participants/:name/endpoints'
  return [
    reads(
      path,
      {
        about: "A participant's endpoints; with a type that endpoint alone, or {}",
        query: z.object({ type: z.string().optional() }),
        answers: { 200: z.union([z.array(shownEndpoint), shownEndpoint, z.strictObject({})]) },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name, query }) => listEndpoints(deps, name, query.type),
    ),
    writes(
      'POST',
      path,
      endpoint,
      {
        about: 'Sets the endpoint of a type; the previous one is retained as history',
        answers: { 201: null },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name, body, actor }) => setEndpoint(deps, name, body, actor),
    ),
  ]
}

/** With a type the answer is that endpoint alone, or an empty object. */
async function listEndpoints(
  deps: Deps,
  name: string,
  type: string | undefined,
): Promise<OperationResult> {
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
  actor: string,
): Promise<OperationResult> {
  const fault = endpointValueFault(type, value)
  if (fault !== undefined) return refused('INVALID', `value ${fault}`)
  const { refusal } = await deps.participants.UpdateEndpoint({
    name,
    type,
    value,
    createdBy: actor,
  })
  return refusal ? refusedUpstream(refusal) : answered(201)
}
