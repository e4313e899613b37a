/**
 * The key of a service of the hub: read at the start, then registered at auth-service in the
 * background, until auth-service answers. No start waits for it.
 */
import type { GrpcHost } from '@causeway/grpc'
import { retrying, type Logger, type Service } from '@causeway/process'
import { componentKeysService } from '@causeway/protos'
import { settingPrefix, type ServiceName } from '@causeway/services'
import { readComponentKey, type ComponentKey } from './component-key.ts'

export interface OwnKey extends Service {
  /** Undefined: the setting is empty, or an operator has revoked the key. */
  readonly key: ComponentKey | undefined
}

/** Throws StartError when the file of `<SERVICE>_COMPONENT_KEY_FILE` is not such a key. */
export async function readOwnKey(
  service: ServiceName,
  file: string | undefined,
): Promise<ComponentKey | undefined> {
  const setting = `${settingPrefix(service)}_COMPONENT_KEY_FILE`
  return file === undefined ? undefined : readComponentKey(setting, file)
}

export async function openOwnKey(
  service: ServiceName,
  file: string | undefined,
  { grpc, log }: { readonly grpc: GrpcHost; readonly log: Logger },
): Promise<OwnKey> {
  let key = await readOwnKey(service, file)
  if (key === undefined) return { key, stop: () => Promise.resolve() }
  const { publicKey } = key
  const { RegisterComponentKey } = grpc.client(componentKeysService, 'auth-service')
  const stopping = new AbortController()
  const { signal } = stopping

  async function register(): Promise<void> {
    const words = { boundedContextId: service, publicKey }
    const { refusal } = await retrying(() => RegisterComponentKey(words), {
      log,
      what: 'registering the component key',
      signal,
      everyFailure: true,
    })
    if (!refusal) return
    key = undefined
    log.error({ reason: refusal.reason }, `ALARM the component key is refused: ${refusal.detail}`)
  }

  const registering = register().catch(() => undefined) // stopped before it was registered
  return {
    get key() {
      return key
    },
    async stop() {
      stopping.abort()
      await registering
    },
  }
}
