/**
 * Maps refusals, times and authors between gRPC messages and the domain, for all services of this
 * process.
 */
import { z } from 'zod'
import { refuse, type RefusedCommand } from './domain/refusal.ts'

export function isRefused(value: object): value is RefusedCommand {
  return 'type' in value && value.type === 'REFUSE'
}

const time = z.iso.datetime({ offset: true })
/** Of the year, which the database and ISO 8601 write with four digits. */
const [year_min, year_max] = [1, 9_999]

/** Undefined yields `otherwise`. */
export function timeOf<Otherwise extends Date | null>(
  name: string,
  text: string | undefined,
  otherwise: Otherwise,
): Date | Otherwise | RefusedCommand {
  if (text === undefined) return otherwise
  const read = time.safeParse(text).success ? new Date(text) : undefined
  const year = read?.getUTCFullYear() ?? 0
  return read !== undefined && year >= year_min && year <= year_max
    ? read
    : refuse('INVALID', `${name} is not a valid time (ISO 8601 with offset)`)
}

export function timeMessage(time: Date): string {
  return time.toISOString()
}

const text_max = 128

export function createdByFault(createdBy: string): RefusedCommand | undefined {
  return createdBy.length > text_max || /\p{Cc}/u.test(createdBy)
    ? refuse('INVALID', `createdBy must have at most ${text_max} characters`)
    : undefined
}
