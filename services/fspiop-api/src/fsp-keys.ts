/**
 * The keys that verify what FSPs sign: from memory while nothing has changed, and asked once afresh
 * before a signature is refused for want of a key.
 */
import type { VerificationKey } from '@causeway/fspiop'
import { keysService, type ParticipantKey } from '@causeway/protos'
import { gather, periodically, readThrough, type GrpcHost, type Logger } from '@causeway/runtime'
import { createPublicKey, type JsonWebKey } from 'node:crypto'

export interface FspKeys {
  /** From memory alone; undefined says nothing. */
  peek(fspId: string): readonly VerificationKey[] | undefined
  /** Asked after this call, one question for all who ask at the same time; none when it has none. */
  getFresh(fspId: string): Promise<readonly VerificationKey[]>
  /** Its keys have changed. */
  forget(fspId: string): void
  /** Anybody's keys may have changed. */
  forgetAll(): void
  stop(): Promise<void>
}

export interface FspKeysParts {
  readonly grpc: GrpcHost
  readonly log: Logger
  /** What is known is never older, whether or not a change was heard. */
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
    { log, name: 'renewal of what is known of keys' },
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
      validTo: validTo === '' ? undefined : new Date(validTo),
    }))
}
