/**
 * The keys that verify signatures of FSPs: cached until a change, and read again once before a
 * signature is refused for a missing key.
 */
import { createPublicKey, type JsonWebKey } from 'node:crypto'
import type { VerificationKey } from '@causeway/fspiop'
import type { GrpcHost } from '@causeway/grpc'
import { gather, periodically, readThrough, type Logger } from '@causeway/process'
import { keysService, type ParticipantKey } from '@causeway/protos'

export interface FspKeys {
  /** From the cache only; undefined: not cached. */
  peek(fspId: string): readonly VerificationKey[] | undefined
  /** Read after this call, with one query for concurrent calls; empty when the FSP has no keys. */
  getFresh(fspId: string): Promise<readonly VerificationKey[]>
  /** Its keys have changed. */
  forget(fspId: string): void
  /** The keys of any FSP may have changed. */
  forgetAll(): void
  stop(): Promise<void>
}

export interface FspKeysParts {
  readonly grpc: GrpcHost
  readonly log: Logger
  /** The maximum age of cached keys, also when a change event was missed. */
  readonly age_max_ms: number
}

const fsps_max = 10_000
const names_per_question_max = 1_000

export function openFspKeys({ grpc, log, age_max_ms }: FspKeysParts): FspKeys {
  const { GetParticipantKeys } = grpc.client(keysService, 'auth-service')
  const cache = readThrough<readonly VerificationKey[]>({
    entries_max: fsps_max,
    async load(names) {
      const { participants } = await GetParticipantKeys({ names: [...names] })
      return new Map(participants.map(({ participant, keys }) => [participant, signing(keys)]))
    },
  })
  const ask = gather(
    async (names: readonly string[]) => {
      const found = await cache.fresh(names)
      return names.map((name) => found.get(name) ?? [])
    },
    { batch_max: names_per_question_max },
  )
  const renewal = periodically(
    age_max_ms,
    () => {
      cache.clear()
      return Promise.resolve()
    },
    { log, name: 'renewal of cached keys' },
  )
  return {
    peek: (fspId) => cache.peek(fspId),
    async getFresh(fspId) {
      const [keys = []] = await ask([fspId])
      return keys
    },
    forget: (fspId) => cache.forget(fspId),
    forgetAll: () => cache.clear(),
    stop: () => renewal.stop(),
  }
}

function signing(keys: readonly ParticipantKey[]): readonly VerificationKey[] {
  return keys
    .filter(({ use }) => use === 'sig')
    .map(({ kid, jwk, validFrom, validTo }) => ({
      kid,
      key: createPublicKey({ key: JSON.parse(jwk) as JsonWebKey, format: 'jwk' }),
      validFrom: new Date(validFrom),
      validTo: validTo === undefined ? undefined : new Date(validTo),
    }))
}
