/** Pages of a list: their size, and the cursor of the next one. */
const rows_max = 1_000
const rows_default = 100

/** Undefined means the default. */
export function boundedPage(limit = rows_default): number {
  return Math.min(Math.max(limit, 1), rows_max)
}

/** Opaque to callers. */
export function writeCursor(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** The validation of each member of a cursor. */
export type Members<Place> = Readonly<Record<keyof Place & string, (text: string) => boolean>>

/** Null for the first page, also when the cursor is not one of this list. */
export function readCursor<Place extends object>(
  cursor: string | undefined,
  members: Members<Place>,
): Place | null {
  if (cursor === undefined) return null
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (typeof place !== 'object' || place === null) return null
    const all = Object.entries<(text: string) => boolean>(members)
    const isRight = all.every(([name, isRightText]) => {
      const value: unknown = Reflect.get(place, name)
      return typeof value === 'string' && isRightText(value)
    })
    return isRight ? (place as Place) : null
  } catch {
    return null
  }
}

/** The time format of the hub. The database takes neither the 30th of February nor the year 0. */
export function isTime(text: string): boolean {
  const time = Date.parse(text)
  return !text.startsWith('0000') && !Number.isNaN(time) && new Date(time).toISOString() === text
}

export function isId(text: string): boolean {
  return text.length > 0 && text.length <= 64 && !text.includes('\0')
}
