/**
 * Which client certificates identify an FSP now: cached until a change, and read again before an
 * unregistered one is refused, though not for each of its requests.
 */
import { GrpcCallError, type GrpcHost } from '@causeway/grpc'
import { gather, periodically, readThrough, type Logger } from '@causeway/process'
import { credentialsService, type RegisteredCertificate } from '@causeway/protos'

/** UNTOLD: auth-service is of an older release, which registers no certificates. */
export type CertificateState = 'REGISTERED' | 'REVOKED' | 'UNREGISTERED' | 'UNTOLD'

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

interface Known {
  /** By fingerprint; undefined: auth-service cannot tell. */
  readonly states: ReadonlyMap<string, 'REGISTERED' | 'REVOKED'> | undefined
  readonly read_ms: number
}

const fsps_max = 10_000
const names_per_question_max = 1_000
/** How long after a reading another unregistered certificate causes the next one. */
const again_ms = 5_000

export function openFspCertificates(parts: FspCertificatesParts): FspCertificates {
  const { log, age_max_ms, now_ms } = parts
  const ask = openQuestions(parts)
  const cache = readThrough<Known>({
    entries_max: fsps_max,
    async load(names) {
      const answer = await ask(names)
      const read_ms = now_ms()
      return new Map(names.map((name) => [name, { states: answer(name), read_ms }]))
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

function stateIn({ states }: Known, fingerprint: string): CertificateState {
  if (states === undefined) return 'UNTOLD'
  return states.get(fingerprint) ?? 'UNREGISTERED'
}

type StatesOf = (name: string) => Known['states']

/**
 * During an upgrade auth-service may be of the previous release: then certificates are accepted as
 * before. A service that is still starting does not know its other methods either.
 */
function openQuestions({
  grpc,
  log,
}: FspCertificatesParts): (names: readonly string[]) => Promise<StatesOf> {
  const { GetCertificates, GetTokenKeys } = grpc.client(credentialsService, 'auth-service')
  let isOlder = false
  return async (names) => {
    try {
      const { participants } = await GetCertificates({ names: [...names] })
      const found = new Map(
        participants.map(({ participant, certificates }) => [participant, statesOf(certificates)]),
      )
      isOlder = false
      return (name) => found.get(name) ?? new Map()
    } catch (error) {
      if (!(error instanceof GrpcCallError && error.isUnimplemented)) throw error
      await GetTokenKeys({})
      if (!isOlder) {
        log.warn('auth-service is of an older release: certificates are accepted unregistered')
      }
      isOlder = true
      return () => undefined
    }
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
