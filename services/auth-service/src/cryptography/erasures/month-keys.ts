/**
 * The keys of months: made once, encrypted with the seal of auth-service while they are stored, and given
 * to the services that store bodies of messages. A dropped key is never made again; and neither is one that
 * a service has encrypted messages with, unless operators have given it up: then it comes back from a
 * backup, or its messages stay unreadable.
 */
import { randomBytes } from 'node:crypto'
import type { Seal } from '@causeway/keys/provider'
import { thumbprintOf } from '@causeway/keys/months'
import { StartError, type Logger } from '@causeway/process'
import type { Database } from '@causeway/postgres'
import { isMonth, monthOf, monthsAround } from './domain/month.ts'
import { judgeMonths, type HeldKey } from './domain/lost.ts'
import { addMonthKeys, lockMonthKeys, monthKeys, saveMonthKey } from './store.ts'

const key_bytes = 32
const months_max = 1_200

export interface MonthKeys {
  get(query: MonthKeysQuery, now: Date): Promise<FoundKeys>
  /** Encrypts the stored keys with the current key of the seal. */
  reseal(): Promise<void>
}

export interface MonthKeysQuery {
  readonly months: readonly string[]
  /** The keys that the asking service has encrypted messages with. */
  readonly held: readonly HeldKey[]
}

export interface FoundKeys {
  /** Of the months asked for, those that exist. */
  readonly keys: readonly { readonly month: string; readonly key: Buffer }[]
  readonly erasedMonths: readonly string[]
  /** Of `held`: the key does not exist, or is another one. */
  readonly lostMonths: readonly string[]
  /** By this clock: the month before, this one and the next. */
  readonly currentMonths: readonly string[]
}

export interface MonthKeyParts {
  readonly db: Database
  readonly seal: Seal
  readonly log: Logger
  /** The months whose lost keys operators have given up. */
  readonly givenUp: ReadonlySet<string>
}

export function openMonthKeys({ db, seal, log, givenUp }: MonthKeyParts): MonthKeys {
  async function stored(months: readonly string[]) {
    const rows = await monthKeys(db, months)
    return rows.map(({ month, sealed }) => ({
      month,
      key: sealed === null ? null : opened(seal, month, sealed),
    }))
  }

  return {
    async get({ months, held: reported }, now) {
      const asked = new Set(months.filter(isMonth).slice(0, months_max))
      const held = reported.filter(({ month }) => isMonth(month)).slice(0, months_max)
      const all = [...new Set([...asked, ...held.map(({ month }) => month)])]
      const currentMonths = monthsAround(monthOf(now))
      let known = await stored(all)
      const judge = () =>
        judgeMonths({ asked, held, currentMonths, givenUp, known: known.map(printed) })
      let { made, lost } = judge()
      if (made.length > 0) {
        // Another replica may make it at the same time: the first one is stored.
        const sealed = made.map((month) => seal.encrypt(randomBytes(key_bytes), contextOf(month)))
        await addMonthKeys(db, made, sealed, now)
        known = await stored(all)
        ;({ lost } = judge())
      }
      if (lost.size > 0) {
        log.error({ months: [...lost] }, 'ALARM keys of months are lost; no others are made')
      }
      const given = known.filter(({ month }) => asked.has(month) && !lost.has(month))
      return {
        keys: given.flatMap(({ month, key }) => (key === null ? [] : [{ month, key }])),
        erasedMonths: given.flatMap(({ month, key }) => (key === null ? [month] : [])),
        lostMonths: [...lost],
        currentMonths,
      }
    },
    reseal: () =>
      db.transaction(async (tx) => {
        for (const { month, sealed } of await lockMonthKeys(tx)) {
          if (sealed === null || seal.isCurrent(sealed, contextOf(month))) continue
          await saveMonthKey(tx, month, seal.encrypt(opened(seal, month, sealed), contextOf(month)))
        }
      }),
  }
}

function printed({ month, key }: { readonly month: string; readonly key: Buffer | null }) {
  return { month, thumbprint: key === null ? null : thumbprintOf(key) }
}

/** The archive opens the keys in the same way. */
function contextOf(month: string): string {
  return `month-keys/${month}`
}

function opened(seal: Seal, month: string, sealed: Buffer): Buffer {
  const key = seal.decrypt(sealed, contextOf(month))
  if (key !== undefined) return key
  throw new StartError('AUTH_SERVICE_SECRETS_KEY is not the key that encrypted the keys of months.')
}
