/**
 * Which client certificates identify an FSP now: cached until a change, and read again before an
 * unregistered one is refused, though not for each of its requests.
 */
import type { GrpcHost } from '@causeway/grpc'
import { gather, periodically, readThrough, type Logger } from '@causeway/process'
import { credentialsService, type RegisteredCertificate } from '@causeway/protos'

export type CertificateState = 'REGISTERED' | 'REVOKED' | 'UNREGISTERED'

export interface FspCertificates {
  /** Synchronous when cached. Rejects while auth-service does not answer. */
  stateOf(fspId: string, fingerprint: string): CertificateState | Promise<CertificateState>
  /** Its certificates have changed. */
  forget(fspId: string): void
  /** The certificates of any FSP may have changed. */
  forgetAll(): void
  stop(): Promise<void>
}

export interface FspCertificatesParts {
  readonly grpc: GrpcHost
  readonly log: Logger
  /** The maximum age of cached certificates, also when a change event was missed. */
  readonly age_max_ms: number
  readonly now_ms: () => number
}

interface CertificateStates {
  /** By fingerprint. */
  readonly states: ReadonlyMap<string, 'REGISTERED' | 'REVOKED'>
  readonly read_ms: number
}

const fsps_max = 10_000
const names_per_question_max = 1_000
/** How long after a reading another unregistered certificate causes the next one. */
const again_ms = 5_000

export function openFspCertificates(parts: FspCertificatesParts): FspCertificates {
  const { grpc, log, age_max_ms, now_ms } = parts
  const ask = openQuestions(grpc)
  const cache = readThrough<CertificateStates>({
    entries_max: fsps_max,
    async load(names) {
      const answer = await ask(names)
      const read_ms = now_ms()
      return new Map(
        names.map((name) => [name, { states: answer.get(name) ?? new Map(), read_ms }]),
      )
    },
  })
  const readAgain = gather(
    async (names: readonly string[]) => {
      const found = await cache.fresh(names)
      return names.map((name) => found.get(name))
    },
    { batch_max: names_per_question_max },
  )
  const renewal = periodically(
    age_max_ms,
    () => {
      cache.clear()
      return Promise.resolve()
    },
    { log, name: 'renewal of cached certificates' },
  )
  return {
    stateOf(fspId, fingerprint) {
      const known = cache.peek(fspId)
      if (known !== undefined) {
        const state = stateIn(known, fingerprint)
        if (state !== 'UNREGISTERED' || now_ms() - known.read_ms < again_ms) return state
      }
      return readAgain([fspId]).then(([fresh]) =>
        fresh === undefined ? 'UNREGISTERED' : stateIn(fresh, fingerprint),
      )
    },
    forget: (fspId) => cache.forget(fspId),
    forgetAll: () => cache.clear(),
    stop: () => renewal.stop(),
  }
}

function stateIn({ states }: CertificateStates, fingerprint: string): CertificateState {
  return states.get(fingerprint) ?? 'UNREGISTERED'
}

function openQuestions(
  grpc: GrpcHost,
): (names: readonly string[]) => Promise<ReadonlyMap<string, CertificateStates['states']>> {
  const { GetCertificates } = grpc.client(credentialsService, 'auth-service')
  return async (names) => {
    const { participants } = await GetCertificates({ names: [...names] })
    return new Map(
      participants.map(({ participant, certificates }) => [participant, statesOf(certificates)]),
    )
  }
}

function statesOf(
  certificates: readonly RegisteredCertificate[],
): ReadonlyMap<string, 'REGISTERED' | 'REVOKED'> {
  return new Map(
    certificates.map(({ fingerprint, revokedAt }) => [
      fingerprint,
      revokedAt === undefined ? 'REGISTERED' : 'REVOKED',
    ]),
  )
}
