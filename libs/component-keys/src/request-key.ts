/**
 * The key that the edge and transfers share, from auth-service. A process reads it when it first needs it,
 * keeps it while auth-service is away, and reads it again in the background after a minute; a key once known
 * is never given up for none. While an auth-service of an earlier release runs there is none.
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { GrpcCallError, type GrpcHost } from '@causeway/grpc'
import { componentKeysService, requestKeysService } from '@causeway/protos'

export interface RequestKey {
  readonly key: KeyObject
  /** The key before, accepted beside it; undefined: there was none. */
  readonly previous: KeyObject | undefined
  /** From then on requests without an authentication code are refused. */
  readonly requiredFrom: Date
}

export interface RequestKeys {
  /**
   * At once when it is known. 'NONE': auth-service has none, because it is of an earlier release.
   * Rejects while auth-service does not answer and the key was never read.
   */
  current(): RequestKey | 'NONE' | Promise<RequestKey | 'NONE'>
  /** As auth-service has it now; rejects while it does not answer. */
  reread(): Promise<RequestKey | 'NONE'>
}

/** How often an auth-service of an earlier release is asked again. */
const again_ms = 5_000
const age_max_ms = 60_000

export function openRequestKeys(grpc: GrpcHost): RequestKeys {
  const { GetRequestKey } = grpc.client(requestKeysService, 'auth-service')
  const { GetComponentKeys } = grpc.client(componentKeysService, 'auth-service')
  let known: RequestKey | 'NONE' | undefined
  let asking: Promise<RequestKey | 'NONE'> | undefined
  let asked_ms = -Infinity

  async function ask(): Promise<RequestKey | 'NONE'> {
    try {
      const { key, previousKey, requiredFrom } = await GetRequestKey({})
      const previous = previousKey ? createSecretKey(previousKey) : undefined
      return { key: createSecretKey(key), previous, requiredFrom: new Date(requiredFrom) }
    } catch (error) {
      if (!(error instanceof GrpcCallError) || !error.isUnimplemented) throw error
      // A process that is starting serves neither; one of an earlier release serves these.
      await GetComponentKeys({})
      return known ?? 'NONE'
    }
  }

  /** Callers at the same time share one question. */
  function load(): Promise<RequestKey | 'NONE'> {
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
      const wait_ms = known === 'NONE' ? again_ms : age_max_ms
      if (performance.now() - asked_ms > wait_ms) {
        asked_ms = performance.now()
        load().catch(() => undefined)
      }
      return known
    },
    // A question that is on its way may have been answered before the key was replaced.
    reread: () => (asking ?? Promise.resolve()).then(load, load),
  }
}
