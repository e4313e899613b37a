/** Pages of a list: how many rows, and the place where the next one goes on. */
const rows_max = 1_000
const rows_default = 100

/** 0 means the default. */
export function boundedPage(limit: number): number {
  return limit <= 0 ? rows_default : Math.min(limit, rows_max)
}

/** Opaque to who carries it. */
export function writeCursor(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** Null for the first page; what is no cursor of this list begins anew as well. */
export function readCursor<Place extends object>(
  cursor: string,
  members: readonly (keyof Place & string)[],
): Place | null {
  if (cursor === '') return null
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (typeof place !== 'object' || place === null) return null
    return members.every((name) => typeof Reflect.get(place, name) === 'string')
      ? (place as Place)
      : null
  } catch {
    return null
  }
}
