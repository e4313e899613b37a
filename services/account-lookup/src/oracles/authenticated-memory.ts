/**
 * Shared memory whose values only processes with the key can make: each has its end and a code over key,
 * end and value. What was written without the key, copied from another entry or kept for later is a miss.
 */
import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'
import type { SharedMemory } from '@causeway/runtime'

const prefix = 'authenticated:'
const form = /^(\d{1,16})\.([\w-]{43})\./

export function authenticatedMemory(
  shared: SharedMemory,
  secret: Buffer,
  now_ms: () => number = Date.now,
): SharedMemory {
  const key = createSecretKey(secret)
  return {
    ...shared,
    async recall(names) {
      const found = await shared.recall(names.map((name) => prefix + name))
      return new Map(
        names.flatMap((name) => {
          const value = valueIn(key, name, found.get(prefix + name), now_ms())
          return value === undefined ? [] : [[name, value]]
        }),
      )
    },
    remember(entries, age_max_ms) {
      const until = String(now_ms() + Math.floor(age_max_ms))
      const sealed = [...entries].map(([name, value]) => {
        const code = codeOf(key, name, until, value).toString('base64url')
        return [prefix + name, `${until}.${code}.${value}`] as const
      })
      shared.remember(new Map(sealed), age_max_ms)
    },
    forget: (names) => shared.forget(names.map((name) => prefix + name)),
  }
}

function valueIn(
  key: KeyObject,
  name: string,
  stored: string | undefined,
  now_ms: number,
): string | undefined {
  const [head, until = '', code = ''] = form.exec(stored ?? '') ?? []
  if (head === undefined || stored === undefined || Number(until) <= now_ms) return undefined
  const value = stored.slice(head.length)
  const expected = codeOf(key, name, until, value)
  const given = Buffer.from(code, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected) ? value : undefined
}

function codeOf(key: KeyObject, name: string, until: string, value: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([name, until, value]))
    .digest()
}
