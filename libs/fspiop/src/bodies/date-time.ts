/**
 * DateTimes in UTC. A legal DateTime with an offset can be a moment before the year 1000 or after the year
 * 9999 in UTC, where no DateTime is legal: what is written is then the first or the last legal one.
 * FSPIOP 7.2.
 */

const first_ms = Date.parse('1000-01-01T00:00:00.000Z')
const last = '9999-12-31T23:59:59.999Z'
const last_ms = Date.parse(last)

/** The moment, or the nearest one that a DateTime in UTC can state. */
export function writableTime(moment_ms: number): Date {
  return new Date(Math.min(Math.max(moment_ms, first_ms), last_ms))
}

/** A legal DateTime in UTC. Throws RangeError for an invalid time. */
export function writeDateTime(moment: Date | number): string {
  return writableTime(Number(moment)).toISOString()
}

/** A legal DateTime of any offset, in UTC. */
export function utcDateTime(dateTime: string): string {
  const isUtc = dateTime.length === last.length && dateTime.endsWith('Z')
  return isUtc ? dateTime : writeDateTime(Date.parse(dateTime))
}
