/**
 * Stored bodies of messages: encrypted with the key of the month in which they came. The keys of this
 * month and its neighbours are in memory before they are needed, so sealing asks no other service. What is
 * older is opened with a key that is asked for at auth-service; a key that was dropped there is gone from
 * this memory within an hour.
 */
import type { GrpcHost } from '@causeway/grpc'
import { choice, periodically, retrying, type Logger, type Service } from '@causeway/process'
import { monthKeysService } from '@causeway/protos'
import { erasedBody, monthOfSealed, openSealer, unseal, type Month, type Sealer } from './cipher.ts'

export interface Bodies {
  /** As it is to be stored. An empty body stays empty. */
  seal<Body extends Buffer | null>(body: Body, now: Date): Body | Buffer
  /**
   * The bodies in plain, in their order; null for one that is erased, with its month or with a person.
   * Rejects while a key is needed and auth-service does not answer.
   */
  open(stored: readonly (Buffer | null)[]): Promise<readonly (Buffer | null)[]>
}

export interface OpenedBodies extends Bodies, Service {}

export interface BodiesParts {
  readonly grpc: GrpcHost
  readonly log: Logger
}

export const messageEncryption = choice({
  about:
    'whether stored bodies of messages are encrypted with a key per month; what is stored is read ' +
    'in either case. A hub in one process and the chart turn it on',
  options: ['on', 'off'],
  default: 'off',
})

const renewed_every_ms = 3_600_000

/** For what is read and written without any key. */
export const plainBodies: Bodies = {
  seal: (body) => body,
  open: (stored) => {
    if (stored.some((body) => body !== null && monthOfSealed(body) !== undefined)) {
      throw new Error('a body is encrypted, and there are no keys here')
    }
    return Promise.resolve(stored.map((body) => (isErased(body) ? null : body)))
  },
}

/** With `on` it resolves once there is a key: nothing is stored in plain. */
export async function openBodies(
  encryption: 'on' | 'off',
  { grpc, log }: BodiesParts,
): Promise<OpenedBodies> {
  const { GetMonthKeys } = grpc.client(monthKeysService, 'auth-service')
  let sealers: ReadonlyMap<Month, Sealer> = new Map()
  /** Undefined: the key was dropped. */
  let keys: ReadonlyMap<Month, Buffer | undefined> = new Map()

  async function read(months: readonly Month[]) {
    const answer = await GetMonthKeys({ months: [...months] })
    const found = new Map(answer.keys.map(({ month, key }) => [month, key]))
    return new Map(months.map((month) => [month, found.get(month)]))
  }

  async function renew(): Promise<void> {
    const current = await read(monthsAround(new Date()))
    const known = sealers
    sealers = new Map(
      [...current].flatMap(([month, key]) =>
        key === undefined ? [] : [[month, known.get(month) ?? openSealer(month, key)] as const],
      ),
    )
    keys = current
  }

  async function keysOf(months: ReadonlySet<Month>) {
    const missing = [...months].filter((month) => !keys.has(month))
    if (missing.length === 0) return keys
    const more = await read(missing)
    return (keys = new Map([...keys, ...more]))
  }

  const isOn = encryption === 'on'
  if (isOn) await retrying(renew, { log, what: 'reading the keys of months' })
  const renewal = periodically(
    renewed_every_ms,
    async () => {
      if (isOn) await renew()
      else keys = new Map()
    },
    { log, name: 'keys of months' },
  )
  return {
    seal(body, now) {
      if (!isOn || body === null || body.length === 0) return body
      const sealer = sealers.get(monthOf(now)) ?? [...sealers.values()].at(-1)
      if (sealer === undefined) throw new Error('there is no key of any month')
      return sealer(body)
    },
    async open(stored) {
      const months = stored.map((body) => (body === null ? undefined : monthOfSealed(body)))
      const needed = new Set(months.filter((month) => month !== undefined))
      const found = needed.size === 0 ? keys : await keysOf(needed)
      return stored.map((body, at) => {
        const month = months[at]
        if (body === null || isErased(body)) return null
        if (month === undefined) return body
        const key = found.get(month)
        return key === undefined ? null : unseal(key, body)
      })
    },
    stop: () => renewal.stop(),
  }
}

function isErased(body: Buffer | null): boolean {
  return body !== null && body.equals(erasedBody)
}

function monthOf(time: Date): Month {
  return time.toISOString().slice(0, 7)
}

/** The one before, this one and the next, in order. */
function monthsAround(now: Date): readonly Month[] {
  return [-1, 0, 1].map((months) =>
    monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months))),
  )
}
