/**
 * The keys of months: made once, encrypted with the seal of auth-service while they are stored, and given
 * to the services that store bodies of messages. A dropped key is never made again.
 */
import { randomBytes } from 'node:crypto'
import type { Seal } from '@causeway/crypto-provider'
import { StartError } from '@causeway/process'
import type { Database } from '@causeway/postgres'
import { isMonth, monthOf, monthsAround } from './domain/month.ts'
import { addMonthKeys, lockMonthKeys, monthKeys, saveMonthKey } from './store.ts'

const key_bytes = 32
const months_max = 1_200

export interface MonthKeys {
  /** Those that exist. */
  get(
    months: readonly string[],
    now: Date,
  ): Promise<readonly { readonly month: string; readonly key: Buffer }[]>
  /** Encrypts the stored keys with the current key of the seal. */
  reseal(): Promise<void>
}

export function openMonthKeys({
  db,
  seal,
}: {
  readonly db: Database
  readonly seal: Seal
}): MonthKeys {
  return {
    async get(asked, now) {
      const months = [...new Set(asked)].filter(isMonth).slice(0, months_max)
      const known = await monthKeys(db, months)
      const made = monthsAround(monthOf(now)).filter(
        (month) => months.includes(month) && !known.some((key) => key.month === month),
      )
      if (made.length > 0) {
        // Another replica may make it at the same time: the first one is stored.
        const sealed = made.map((month) => seal.encrypt(randomBytes(key_bytes), contextOf(month)))
        await addMonthKeys(db, made, sealed, now)
      }
      const all = made.length > 0 ? await monthKeys(db, months) : known
      return all.flatMap(({ month, sealed }) =>
        sealed === null ? [] : [{ month, key: opened(seal, month, sealed) }],
      )
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

/** The archive opens the keys in the same way. */
function contextOf(month: string): string {
  return `month-keys/${month}`
}

function opened(seal: Seal, month: string, sealed: Buffer): Buffer {
  const key = seal.decrypt(sealed, contextOf(month))
  if (key !== undefined) return key
  throw new StartError('AUTH_SERVICE_SECRETS_KEY is not the key that encrypted the keys of months.')
}
