/** The cursor of a page: the key of its last line, opaque to callers. What is read of one can be compared with keys. */
import type { LineKey } from '../lines/read-store.ts'

export function writeCursor({ windowId, day, transferId, kind }: LineKey): string {
  return Buffer.from(JSON.stringify([windowId, day, transferId, kind])).toString('base64url')
}

/** Null: from the beginning. Undefined: invalid. */
export function readCursor(cursor: string | undefined): LineKey | null | undefined {
  if (cursor === undefined) return null
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(parts)) return undefined
    const [windowId, day, transferId, kind] = parts as readonly unknown[]
    if (typeof windowId !== 'number' || !Number.isSafeInteger(windowId)) return undefined
    if (!isName(transferId) || !isName(kind)) return undefined
    return typeof day === 'string' && isDay(day) ? { windowId, day, transferId, kind } : undefined
  } catch {
    return undefined
  }
}

/** PostgreSQL takes no U+0000. */
function isName(part: unknown): part is string {
  return typeof part === 'string' && !part.includes('\0')
}

/** A day of the calendar, 'YYYY-MM-DD'. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '0001') return false
  const time = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}
