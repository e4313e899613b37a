/**
 * Stored bodies of messages: encrypted with the key of the month in which they came. Sealing asks no other
 * service. A body whose key is lost, or that was modified, is null like an erased one, with an alarm; the
 * others are read.
 */
import type { GrpcHost } from '@causeway/grpc'
import type { Queries } from '@causeway/postgres'
import { choice, type Logger, type Metrics, type Service } from '@causeway/process'
import { erasedBody, sealedWith, unseal, type Month } from './cipher.ts'
import { openKeyring } from './keyring.ts'
import { openMeasures } from './measures.ts'

export interface Bodies {
  /** As it is to be stored. An empty body stays empty. Throws an Outage while there is no key. */
  seal<Body extends Buffer | null>(body: Body, now: Date): Body | Buffer
  /**
   * The bodies in plain, in their order; null for one that is erased, with its month or with a person, and
   * for one that cannot be read. Rejects while a key is needed and auth-service does not answer.
   */
  open(stored: readonly (Buffer | null)[]): Promise<readonly (Buffer | null)[]>
}

export interface OpenedBodies extends Bodies, Service {}

export interface BodiesParts {
  readonly service: string
  /** The service's own, with the table `message_keys`. */
  readonly db: Queries
  readonly grpc: GrpcHost
  readonly log: Logger
  readonly metrics: Metrics
  /** The clock of this process, by default. */
  readonly now?: () => Date
}

export const messageEncryption = choice({
  about:
    'whether stored bodies of messages are encrypted with a key per month; what is stored is read ' +
    'in either case. A hub in one process and the chart turn it on',
  options: ['on', 'off'],
  default: 'off',
})

/** For what is read and written without any key. */
export const plainBodies: Bodies = {
  seal: (body) => body,
  open: (stored) => {
    if (stored.some((body) => body !== null && sealedWith(body) !== undefined)) {
      throw new Error('a body is encrypted, and there are no keys here')
    }
    return Promise.resolve(stored.map((body) => (isErased(body) ? null : body)))
  },
}

/** With `on` it resolves once there is a key: nothing is stored in plain. */
export async function openBodies(
  encryption: 'on' | 'off',
  { service, db, grpc, log, metrics, now = () => new Date() }: BodiesParts,
): Promise<OpenedBodies> {
  const measures = openMeasures(service, { log, metrics })
  const seals = encryption === 'on'
  const keyring = await openKeyring(seals, { grpc, db, log, now, onLost: measures.lost })
  return {
    seal(body, time) {
      if (!seals || body === null || body.length === 0) return body
      return keyring.sealerAt(time)(body)
    },
    async open(stored) {
      const heads = stored.map((body) => (body === null ? undefined : sealedWith(body)))
      const keyOf = await keyring.keysFor(heads.filter((head) => head !== undefined))
      const unreadable: Month[] = []
      const opened = stored.map((body, at) => {
        const head = heads[at]
        if (body === null || isErased(body)) return null
        if (head === undefined) return body
        const key = keyOf(head)
        if (key === 'ERASED') return null
        const plain = key === undefined ? undefined : unseal(key, body)
        if (plain === undefined) unreadable.push(head.month)
        return plain ?? null
      })
      if (unreadable.length > 0) measures.unreadable(unreadable)
      return opened
    },
    stop: () => keyring.stop(),
  }
}

function isErased(body: Buffer | null): boolean {
  return body !== null && body.equals(erasedBody)
}
