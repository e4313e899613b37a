/** Registers the privileges of this component at auth-service, repeatedly until it succeeds. */
import type { GrpcHost } from '@causeway/grpc'
import { retrying, type Logger } from '@causeway/process'
import { operatorsService } from '@causeway/protos'
import { privilegeSet, privilegesOf, privilegesToAsk, type GuardedOperation } from './privileges.ts'

export interface PrivilegeRegistration {
  stop(): Promise<void>
}

/** In the background: no operation waits for it, and it does not change existing roles. */
export function registerPrivileges(
  grpc: GrpcHost,
  log: Logger,
  operations: readonly GuardedOperation[],
): PrivilegeRegistration {
  const { RegisterPrivileges } = grpc.client(operatorsService, 'auth-service')
  const stopping = new AbortController()
  const privileges = privilegesOf(operations).map((id) => ({
    id,
    labelName: labelOf(id),
    description: descriptionOf(id, operations),
    boundedContextName: privilegeSet.boundedContextName,
  }))
  const registering = retrying(() => RegisterPrivileges({ ...privilegeSet, privileges }), {
    log,
    what: 'registration of privileges',
    signal: stopping.signal,
    everyFailure: true,
  }).then(
    ({ refusal }) => {
      // A newer replica has registered its own privileges, and is about to replace this one.
      if (refusal?.reason === 'SET_OUTDATED')
        log.info({ refusal }, 'newer privileges are registered')
      else if (refusal) log.error({ refusal }, 'the privileges could not be registered')
    },
    () => undefined, // stopped before they were registered
  )
  return {
    async stop() {
      stopping.abort()
      await registering
    },
  }
}

/** 'VIEW_FUNDS' becomes 'View funds'. */
function labelOf(id: string): string {
  const words = id.toLowerCase().replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

const description_length_max = 500

function descriptionOf(id: string, operations: readonly GuardedOperation[]): string {
  return operations
    .filter((operation) => privilegesToAsk(operation).includes(id))
    .map(({ method, path }) => `${method} ${path}`)
    .join(', ')
    .slice(0, description_length_max)
}
