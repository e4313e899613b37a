/**
 * The key that the edge and transfers share, from auth-service. A process reads it when it first needs it,
 * keeps it while auth-service is away, and reads it again in the background after a minute.
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import type { GrpcHost } from '@causeway/grpc'
import { requestKeysService } from '@causeway/protos'

export interface RequestKey {
  readonly key: KeyObject
  /** The key before, accepted beside it; undefined: there was none. */
  readonly previous: KeyObject | undefined
}

export interface RequestKeys {
  /** At once when it is known. Rejects while auth-service does not answer and the key was never read. */
  current(): RequestKey | Promise<RequestKey>
  /** As auth-service has it now; rejects while it does not answer. */
  reread(): Promise<RequestKey>
}

const age_max_ms = 60_000

export function openRequestKeys(grpc: GrpcHost): RequestKeys {
  const { GetRequestKey } = grpc.client(requestKeysService, 'auth-service')
  let known: RequestKey | undefined
  let asking: Promise<RequestKey> | undefined
  let asked_ms = -Infinity

  async function ask(): Promise<RequestKey> {
    const { key, previousKey } = await GetRequestKey({})
    const previous = previousKey ? createSecretKey(previousKey) : undefined
    return { key: createSecretKey(key), previous }
  }

  /** Callers at the same time share one question. */
  function load(): Promise<RequestKey> {
    asking ??= ask()
      .then((found) => {
        known = found
        asked_ms = performance.now()
        return found
      })
      .finally(() => {
        asking = undefined
      })
    return asking
  }

  return {
    current() {
      if (known === undefined) return load()
      if (performance.now() - asked_ms > age_max_ms) {
        asked_ms = performance.now()
        load().catch(() => undefined)
      }
      return known
    },
    // A question that is on its way may have been answered before the key was replaced.
    reread: () => (asking ?? Promise.resolve()).then(load, load),
  }
}
