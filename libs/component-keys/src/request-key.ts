/**
 * The key that the edge and transfers share, from auth-service. A process reads it when it first needs
 * it and keeps it; while an auth-service of an earlier release runs there is none.
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { GrpcCallError, type GrpcHost } from '@causeway/grpc'
import { componentKeysService, requestKeysService } from '@causeway/protos'

export interface RequestKey {
  readonly key: KeyObject
  /** From then on requests without an authentication code are refused. */
  readonly requiredFrom: Date
}

export interface RequestKeys {
  /**
   * At once when it is known. 'NONE': auth-service has none, because it is of an earlier release.
   * Rejects while auth-service does not answer and the key was never read.
   */
  current(): RequestKey | 'NONE' | Promise<RequestKey | 'NONE'>
}

/** How often an auth-service of an earlier release is asked again. */
const again_ms = 5_000

export function openRequestKeys(grpc: GrpcHost): RequestKeys {
  const { GetRequestKey } = grpc.client(requestKeysService, 'auth-service')
  const { GetComponentKeys } = grpc.client(componentKeysService, 'auth-service')
  let known: RequestKey | 'NONE' | undefined
  let asking: Promise<RequestKey | 'NONE'> | undefined
  let asked_ms = -Infinity

  async function ask(): Promise<RequestKey | 'NONE'> {
    try {
      const { key, requiredFrom } = await GetRequestKey({})
      return { key: createSecretKey(key), requiredFrom: new Date(requiredFrom) }
    } catch (error) {
      if (!(error instanceof GrpcCallError) || !error.isUnimplemented) throw error
      // A process that is starting serves neither; one of an earlier release serves these.
      await GetComponentKeys({})
      return 'NONE'
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
      if (known === 'NONE' && performance.now() - asked_ms > again_ms) {
        asked_ms = performance.now()
        load().catch(() => undefined)
      }
      return known
    },
  }
}
