/** The callbacks of participant queries and associations. FSPIOP 6.2. */
import type { DomainEvent, EventName } from '@causeway/events'
import type { ErrorInformation } from '@causeway/fspiop'
import { errorContent, versionOf, type Callback } from '../callbacks/callback.ts'
import { callbackOf, type PartyName } from '../answers/party-path.ts'

/** The delivery of these callbacks is not reported. */
export const participantReports = {
  ParticipantQueryResponse: null,
  ParticipantAssociationCreated: null,
  ParticipantAssociationRemoved: null,
  ParticipantAssociationRequestRefused: null,
  ParticipantBatchAssociationProcessed: null,
} as const satisfies Partial<Record<EventName, EventName | null>>

export function participantCallbacks(
  event: DomainEvent<keyof typeof participantReports>,
): readonly Callback[] {
  switch (event.name) {
    case 'ParticipantQueryResponse': {
      const { result } = event.payload
      return 'errorInformation' in result
        ? [putError(event.payload, result.errorInformation)]
        : [put(event.payload, { fspId: result.ownerFspId })]
    }
    case 'ParticipantAssociationCreated':
      return [put(event.payload, { fspId: event.payload.fspId })]
    case 'ParticipantAssociationRemoved':
      return [put(event.payload, {})]
    case 'ParticipantAssociationRequestRefused':
      return [putError(event.payload, event.payload.errorInformation)]
    case 'ParticipantBatchAssociationProcessed':
      return [batch(event.payload)]
  }
}

interface AssociationRequest extends PartyName {
  readonly partyKey: string
  readonly requesterFspId: string
  readonly version: string
}

function put(asked: AssociationRequest, body: object): Callback {
  return {
    ...about(asked, 'PUT'),
    ...callbackOf('participants', false, asked),
    content: { type: 'CREATED', version: versionOf('participants', asked.version), body },
  }
}

function putError(asked: AssociationRequest, errorInformation: ErrorInformation): Callback {
  return {
    ...about(asked, 'PUT error'),
    ...callbackOf('participants', true, asked),
    content: errorContent('participants', errorInformation, asked.version),
  }
}

function about({ partyKey, requesterFspId }: AssociationRequest, what: string) {
  return {
    name: `REQUESTER ${what}`,
    role: 'REQUESTER',
    fspId: requesterFspId,
    entityId: partyKey,
    resource: 'participants',
    method: 'PUT',
    deadline: undefined,
  } as const
}

function batch({
  requestId,
  requesterFspId,
  version,
  result,
}: DomainEvent<'ParticipantBatchAssociationProcessed'>['payload']): Callback {
  const failed = 'errorInformation' in result
  return {
    name: `REQUESTER PUT${failed ? ' error' : ''}`,
    role: 'REQUESTER',
    fspId: requesterFspId,
    entityId: requestId,
    resource: 'participants',
    method: 'PUT',
    operation: failed ? 'PUT /participants/{ID}/error' : 'PUT /participants/{ID}',
    path: `/participants/${requestId}${failed ? '/error' : ''}`,
    variables: { requestId, id: requestId, ID: requestId },
    content: { type: 'CREATED', version: versionOf('participants', version), body: result },
    deadline: undefined,
  }
}
