/** GET /services: the participants that provide a service. The hub answers it. Third-Party API 1.0. */
import { randomUUID } from 'node:crypto'
import { errorInformation, serviceType, type ServiceType } from '@causeway/fspiop'
import { isOutage } from '@causeway/process'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { errorContent, versionOf, type CallbackContent } from '../callbacks/callback.ts'
import { traceOf } from '../bodies/reading.ts'
import { refuse, type Reason } from '../refusals.ts'
import type { RelayRules } from '../relayed/relay.ts'
import type { Providers } from './providers.ts'
import { asking } from './relayed.ts'

/** From the data model; a truncated list would hide participants. */
const providers_max = 256

export function serviceRoutes(rules: RelayRules, providers: Providers): ServedRoutes {
  return {
    'GET /services/{ServiceType}': {
      ...asking,
      read: (message) => ({ type: 'LATER', reading: () => list(message, rules, providers) }),
    },
  }
}

async function list(
  message: Incoming,
  { retry_ms }: RelayRules,
  providers: Providers,
): Promise<ReadResult> {
  const type = serviceType.parse(message.parameters.ServiceType)
  const { source, version, receivedAt } = message
  const { isError, content } = await contentOf(type, version, providers)
  const error = isError ? '/error' : ''
  return {
    type: 'RELAY',
    triggered: {
      causeId: randomUUID(),
      causeName: 'GET /services/{ServiceType}',
      traceparent: traceOf(message).traceparent,
      callback: {
        name: 'REQUESTER PUT',
        role: 'REQUESTER',
        fspId: source,
        entityId: randomUUID(),
        resource: 'services',
        method: 'PUT',
        operation: isError ? 'PUT /services/{ServiceType}/error' : 'PUT /services/{ServiceType}',
        path: `/services/${type}${error}`,
        variables: { ServiceType: type },
        content,
        deadline: new Date(Date.parse(receivedAt) + retry_ms()).toISOString(),
      },
      isReported: false,
      onFailure: undefined,
    },
  }
}

async function contentOf(
  type: ServiceType,
  version: string,
  providers: Providers,
): Promise<{ readonly isError: boolean; readonly content: CallbackContent }> {
  try {
    const body = { providers: await providers.of(type) }
    if (body.providers.length > providers_max) return errorOf('TOO_MANY_PROVIDERS', version)
    const content = { type: 'CREATED', version: versionOf('services', version), body } as const
    return { isError: false, content }
  } catch (error) {
    if (!isOutage(error)) throw error
    return errorOf('PARTICIPANTS_UNAVAILABLE', version)
  }
}

function errorOf(reason: Reason, version: string) {
  const { code, detail } = refuse(reason)
  const content = errorContent('services', errorInformation(code, detail), version)
  return { isError: true, content }
}
