/**
 * The callbacks of the hosted auth service, in its own name and signed with its own key. Their delivery
 * is not reported. Third-Party API 1.0.
 */
import type { DomainEvent, EventName } from '@causeway/events'
import type { Operation, Resource } from '@causeway/fspiop'
import {
  errorContent,
  versionOf,
  type Callback,
  type CallbackContent,
  type CallbackError,
} from '../callbacks/callback.ts'

export const consentReports = {
  ConsentRegistered: null,
  ConsentRefused: null,
  ConsentRevoked: null,
  VerificationAnswered: null,
} as const satisfies Partial<Record<EventName, null>>

export function consentCallbacks(
  event: DomainEvent<keyof typeof consentReports>,
): readonly Callback[] {
  switch (event.name) {
    case 'ConsentRegistered': {
      const { consentId, requesterFspId, version, body } = event.payload
      const content = created('consents', version, body)
      return [callback(requesterFspId, 'PUT', { collection: '/consents', id: consentId, content })]
    }
    case 'ConsentRefused': {
      const { consentId, requesterFspId, version, errorInformation } = event.payload
      return [refusal(requesterFspId, version, '/consents', consentId, errorInformation)]
    }
    case 'ConsentRevoked': {
      const { consentId, revokedAt, recipients } = event.payload
      const body = { status: 'REVOKED', revokedAt }
      return recipients.map(({ fspId, version }) => {
        const content = created('consents', version, body)
        return callback(fspId, 'PATCH', { collection: '/consents', id: consentId, content })
      })
    }
    case 'VerificationAnswered':
      return [verification(event.payload)]
  }
}

const verifications = '/thirdpartyRequests/verifications'

function verification({
  verificationRequestId: id,
  requesterFspId,
  version,
  result,
}: DomainEvent<'VerificationAnswered'>['payload']): Callback {
  if ('errorInformation' in result) {
    return refusal(requesterFspId, version, verifications, id, result.errorInformation)
  }
  const content = created('thirdpartyRequests', version, result)
  return callback(requesterFspId, 'PUT', { collection: verifications, id, content })
}

function created(resource: Resource, version: string, body: object): CallbackContent {
  return { type: 'CREATED', from: 'AUTH_SERVICE', version: versionOf(resource, version), body }
}

interface About {
  readonly collection: '/consents' | typeof verifications
  readonly id: string
  readonly isError?: boolean
  readonly content: CallbackContent
}

function callback(
  fspId: string,
  method: 'PUT' | 'PATCH',
  { collection, id, isError = false, content }: About,
): Callback {
  const error = isError ? '/error' : ''
  return {
    // A revocation is sent to two FSPs, which have the same role.
    name: `${fspId} ${method}${isError ? ' error' : ''}`,
    role: 'REQUESTER',
    fspId,
    entityId: id,
    resource: collection.split('/')[1] as Resource,
    method,
    operation: `${method} ${collection}/{ID}${error}` as Operation,
    path: `${collection}/${id}${error}`,
    variables: { id, ID: id },
    content,
    deadline: undefined,
  }
}

function refusal(
  fspId: string,
  version: string,
  collection: About['collection'],
  id: string,
  error: CallbackError,
): Callback {
  const resource = collection.split('/')[1] as Resource
  const content = {
    ...errorContent(resource, error, version),
    from: 'AUTH_SERVICE',
  } as CallbackContent
  return callback(fspId, 'PUT', { collection, id, isError: true, content })
}
