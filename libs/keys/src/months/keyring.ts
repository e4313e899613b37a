/**
 * The keys of months that a service has in memory: those that it seals with, before they are needed, and
 * those that it has read with within the hour. A key that auth-service has lost is used for reading alone,
 * while this process still has it; a key that was dropped is gone from this memory within an hour.
 */
import type { GrpcHost } from '@causeway/grpc'
import type { Queries } from '@causeway/postgres'
import { Outage, periodically, retrying, type Logger, type Service } from '@causeway/process'
import { monthKeysService } from '@causeway/protos'
import {
  openSealer,
  thumbprintOf,
  type Month,
  type MonthKey,
  type SealedWith,
  type Sealer,
} from './cipher.ts'
import { heldKeys, noteHeld } from './held-store.ts'

export interface Keyring extends Service {
  /**
   * Seals what came at that time with the key of its month, or else with one that is known. Throws an
   * Outage while there is none.
   */
  sealerAt(time: Date): Sealer
  /** Returns the key that a body needs; undefined: auth-service does not have it. */
  keysFor(
    needed: readonly SealedWith[],
  ): Promise<(sealed: SealedWith) => Buffer | 'ERASED' | undefined>
}

export interface KeyringParts {
  readonly grpc: GrpcHost
  /** The service's own, with the table `message_keys`. */
  readonly db: Queries
  readonly log: Logger
  readonly now: () => Date
  /** Called after each renewal. */
  readonly onLost: (months: readonly Month[]) => void
}

const renewed_every_ms = 3_600_000
/** A key is noted as used before its month begins, also when one renewal is late. */
const ahead_ms = 2 * renewed_every_ms
const what = 'reading the keys of months'

/** With `seals` it resolves once there is a key: nothing is stored in plain. */
export async function openKeyring(seals: boolean, parts: KeyringParts): Promise<Keyring> {
  const { grpc, db, log, now, onLost } = parts
  const ask = openQuestion(grpc)
  const memory = openMemory()
  const stopping = new AbortController()
  let sealers: ReadonlyMap<Month, Sealing> = new Map()
  /** By the clock of auth-service. */
  let current: readonly Month[] = []
  let lostMonths: readonly Month[] = []

  async function renew(): Promise<void> {
    const time = now()
    const held = await heldKeys(db)
    const months = new Set([...monthsAround(time), ...current])
    let answer = await ask(months, held)
    current = answer.currentMonths
    if (current.some((month) => !months.has(month))) {
      answer = await ask(new Set([...months, ...current]), held)
    }
    if (!current.includes(monthOf(time))) {
      log.error(
        { current, own: monthOf(time) },
        'ALARM the clock is months off that of auth-service',
      )
    }
    lostMonths = answer.lostMonths
    memory.renew(answer)
    onLost(lostMonths)
    const used = keysToSealWith(answer.keys, time, current)
    await noteHeld(db, used)
    sealers = new Map(used.map((key) => [key.month, sealingWith(key, sealers.get(key.month))]))
    if (used.length === 0) throw noKey(lostMonths)
  }

  const { signal } = stopping
  const renewUntilDone = () => retrying(renew, { log, what, signal })
  if (seals) await renewUntilDone()
  const renewal = periodically(
    renewed_every_ms,
    () => (seals ? renewUntilDone() : Promise.resolve(memory.clear())),
    { log, name: what },
  )
  return {
    sealerAt(time) {
      const sealing = sealers.get(monthOf(time)) ?? [...sealers.values()].at(-1)
      if (sealing === undefined) throw noKey(lostMonths)
      return sealing.seal
    },
    async keysFor(needed) {
      const asked = memory.unknownAmong(needed)
      if (asked.length > 0) {
        memory.add(asked, await ask(new Set(asked.map(({ month }) => month)), distinct(asked)))
      }
      return memory.reader()
    },
    async stop() {
      stopping.abort()
      await renewal.stop()
    },
  }
}

/** Asks auth-service for the keys of these months, and of what is held. */
function openQuestion(grpc: GrpcHost) {
  const client = grpc.client(monthKeysService, 'auth-service')
  return async (months: ReadonlySet<Month>, held: readonly SealedWith[]): Promise<FetchedKeys> => {
    const answer = await client.GetMonthKeys({
      months: [...months],
      held: held.map(({ month, thumbprint }) => ({
        month,
        thumbprint: Buffer.from(thumbprint, 'hex'),
      })),
    })
    const keys = answer.keys.map(({ month, key }) => ({
      month,
      key,
      thumbprint: thumbprintOf(key),
    }))
    return { ...answer, keys: keys.toSorted((one, other) => (one.month < other.month ? -1 : 1)) }
  }
}

/** What auth-service has answered since the last renewal. */
function openMemory() {
  /** By thumbprint. */
  let known: ReadonlyMap<string, MonthKey> = new Map()
  let erased: ReadonlySet<Month> = new Set()
  /** What auth-service did not have, by thumbprint. */
  let missing: ReadonlySet<string> = new Set()
  return {
    /** A key that auth-service has lost stays. */
    renew({ keys, lostMonths, erasedMonths }: FetchedKeys): void {
      const onlyHere = [...known.values()].filter(({ month }) => lostMonths.includes(month))
      known = byThumbprint([...onlyHere, ...keys])
      erased = new Set(erasedMonths)
      missing = new Set()
    },
    add(asked: readonly SealedWith[], { keys, erasedMonths }: FetchedKeys): void {
      known = byThumbprint([...known.values(), ...keys])
      erased = new Set([...erased, ...erasedMonths])
      const absent = asked.map(({ thumbprint }) => thumbprint).filter((one) => !known.has(one))
      missing = new Set([...missing, ...absent])
    },
    clear(): void {
      ;[known, erased, missing] = [new Map(), new Set(), new Set()]
    },
    unknownAmong(needed: readonly SealedWith[]): readonly SealedWith[] {
      return needed.filter(
        ({ month, thumbprint }) =>
          !known.has(thumbprint) && !missing.has(thumbprint) && !erased.has(month),
      )
    },
    /** Of what is known at this moment. */
    reader() {
      const [keys, dropped] = [known, erased]
      return ({ month, thumbprint }: SealedWith) =>
        dropped.has(month) ? ('ERASED' as const) : keys.get(thumbprint)?.key
    },
  }
}

interface FetchedKeys {
  /** In the order of their months. */
  readonly keys: readonly MonthKey[]
  readonly erasedMonths: readonly Month[]
  readonly lostMonths: readonly Month[]
  readonly currentMonths: readonly Month[]
}

interface Sealing extends SealedWith {
  readonly seal: Sealer
}

/** An operator has to end it, by the key or by the clock. */
function noKey(lost: readonly Month[]): Outage {
  const why = lost.length === 0 ? '' : `; lost: ${lost.join(', ')}`
  return new Outage(`auth-service gives no key of any month${why}`, { kind: 'REFUSED' })
}

/**
 * Those of this month, of the one before for what came late, and of the next one shortly before it
 * begins. If auth-service has none of them, that of the month by its clock, or any other.
 */
function keysToSealWith(
  keys: readonly MonthKey[],
  now: Date,
  current: readonly Month[],
): readonly MonthKey[] {
  const [before, own] = monthsAround(now)
  const wanted = new Set([before, own, monthOf(new Date(now.getTime() + ahead_ms))])
  const found = keys.filter(({ month }) => wanted.has(month))
  if (found.length > 0) return found
  const other = keys.find(({ month }) => month === current[1]) ?? keys.at(-1)
  return other === undefined ? [] : [other]
}

function sealingWith(key: MonthKey, before: Sealing | undefined): Sealing {
  const { month, thumbprint } = key
  return before?.thumbprint === thumbprint ? before : { month, thumbprint, seal: openSealer(key) }
}

function byThumbprint(keys: readonly MonthKey[]): ReadonlyMap<string, MonthKey> {
  return new Map(keys.map((key) => [key.thumbprint, key]))
}

function distinct(keys: readonly SealedWith[]): readonly SealedWith[] {
  return [...new Map(keys.map((key) => [key.thumbprint, key])).values()]
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
