/**
 * The registered keys of all components, cached. A change is read at its event, an unknown id at most
 * once a second; while auth-service is away the last registry applies, until a change is announced.
 */
import type { KeyObject } from 'node:crypto'
import type { EventBus } from '@causeway/bus'
import { onBroadcast } from '@causeway/events'
import type { GrpcHost } from '@causeway/grpc'
import { periodically, type Logger } from '@causeway/process'
import { componentKeysService, type ComponentKeyRecord } from '@causeway/protos'
import { publicComponentKey } from './component-key.ts'

export interface KnownKey {
  readonly id: string
  /** The component that signs with it. */
  readonly boundedContextId: string
  readonly publicKey: KeyObject
  readonly registeredAt: Date
  /** Null: it is in force. Signatures from before may still be attributed to the component. */
  readonly revokedAt: Date | null
}

export interface KnownKeys {
  /** Undefined: there is no such key. Rejects when the registry has to be read and cannot be. */
  find(keyId: string): Promise<KnownKey | undefined>
  /** When the component registered its first key; undefined: it has none. Rejects as `find` does. */
  firstKeyAt(boundedContextId: string): Promise<Date | undefined>
  stop(): Promise<void>
}

export interface KnownKeysParts {
  /** The name of the service's consumer group. */
  readonly group: string
  readonly grpc: GrpcHost
  readonly bus: EventBus
  readonly log: Logger
}

const age_max_ms = 60_000
/** An unknown id makes the registry be read again, but not more often than this. */
const unknown_cooldown_ms = 1_000

export async function openKnownKeys({ group, grpc, bus, log }: KnownKeysParts): Promise<KnownKeys> {
  const { GetComponentKeys } = grpc.client(componentKeysService, 'auth-service')
  let known: ReadonlyMap<string, KnownKey> | undefined
  let read_ms = -Infinity
  let reading: Promise<ReadonlyMap<string, KnownKey>> | undefined

  /** Concurrent callers share one call. */
  function read(): Promise<ReadonlyMap<string, KnownKey>> {
    if (reading !== undefined) return reading
    read_ms = performance.now()
    const mine = GetComponentKeys({}).then(({ keys }) => keysById(keys))
    reading = mine
    mine.then(
      (keys) => {
        if (reading === mine) [known, reading] = [keys, undefined]
      },
      () => {
        if (reading === mine) reading = undefined
      },
    )
    return mine
  }

  /** What is being read may be from before the change. */
  function forget(): void {
    known = undefined
    reading = undefined
  }

  const listener = await onBroadcast(bus, group, ['ComponentKeysChanged'], {
    onEvents: forget,
    onMissed: forget,
  })
  const renewal = periodically(age_max_ms, () => read().then(() => undefined), {
    log,
    name: 'reading the component keys',
  })
  return {
    async find(keyId) {
      const key = (known ?? (await read())).get(keyId)
      if (key !== undefined || performance.now() - read_ms < unknown_cooldown_ms) return key
      return (await read()).get(keyId)
    },
    async firstKeyAt(boundedContextId) {
      const keys = [...(known ?? (await read())).values()]
      const times_ms = keys
        .filter((key) => key.boundedContextId === boundedContextId)
        .map(({ registeredAt }) => registeredAt.getTime())
      return times_ms.length === 0 ? undefined : new Date(Math.min(...times_ms))
    },
    async stop() {
      await renewal.stop()
      await listener.stop()
    },
  }
}

function keysById(keys: readonly ComponentKeyRecord[]): ReadonlyMap<string, KnownKey> {
  const byId = new Map<string, KnownKey>()
  for (const { keyId: id, boundedContextId, publicKey: pem, registeredAt, revokedAt } of keys) {
    const publicKey = publicComponentKey(pem)
    if (publicKey === undefined) continue
    byId.set(id, {
      id,
      boundedContextId,
      publicKey,
      registeredAt: new Date(registeredAt),
      revokedAt: revokedAt === undefined ? null : new Date(revokedAt),
    })
  }
  return byId
}
