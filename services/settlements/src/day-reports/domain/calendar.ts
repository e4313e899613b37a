/**
 * The days that reports are about. A day ends at a time of its own date, UTC, and begins where the day
 * before has ended. Currencies can have an end of their own; a scope is one of these, or all others.
 */

/** Minutes after midnight at the beginning of the date, 1 to 1,440. */
type EndOfDay = number

/** The scope of all currencies without an end of day of their own. */
export const schemeScope = ''

export interface Calendar {
  readonly scheme: EndOfDay
  readonly ofCurrency: ReadonlyMap<string, EndOfDay>
}

const day_minutes = 1_440
const minute_ms = 60_000
const day_ms = day_minutes * minute_ms

/**
 * Reads the two settings; a text is what is wrong with them.
 * @param scheme `22:00`, up to `24:00`
 * @param byCurrency `KES=21:00,USD=22:00`; empty: none
 */
export function readCalendar(scheme: string, byCurrency: string): Calendar | string {
  const ofScheme = minutesIn(scheme)
  if (ofScheme === undefined) return `${scheme} is not a time from 00:01 to 24:00`
  const ofCurrency = new Map<string, EndOfDay>()
  for (const part of byCurrency.split(',').map((text) => text.trim())) {
    if (part === '') continue
    const [, currency = '', time = ''] = /^([A-Z]{3})=(.+)$/.exec(part) ?? []
    const minutes = minutesIn(time)
    if (minutes === undefined) return `${part} is not written like USD=22:00`
    if (ofCurrency.has(currency)) return `${currency} has two ends of day`
    ofCurrency.set(currency, minutes)
  }
  return { scheme: ofScheme, ofCurrency }
}

function minutesIn(time: string): EndOfDay | undefined {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(time) ?? []
  if (hours === undefined || minutes === undefined || Number(minutes) > 59) return undefined
  const all = Number(hours) * 60 + Number(minutes)
  return all >= 1 && all <= day_minutes ? all : undefined
}

/** The scheme first, then the currencies with an end of their own. */
export function scopesOf({ ofCurrency }: Calendar): readonly string[] {
  return [schemeScope, ...[...ofCurrency.keys()].toSorted()]
}

export function isScope(calendar: Calendar, scope: string): boolean {
  return scope === schemeScope || calendar.ofCurrency.has(scope)
}

function endOfDayIn({ scheme, ofCurrency }: Calendar, scope: string): EndOfDay {
  return ofCurrency.get(scope) ?? scheme
}

/** @param day `2026-11-25` */
export function endOf(calendar: Calendar, scope: string, day: string): Date {
  return new Date(startOf(day) + endOfDayIn(calendar, scope) * minute_ms)
}

/** Where a day begins, unless the one before was ended at another time. */
export function beginOf(calendar: Calendar, scope: string, day: string): Date {
  return endOf(calendar, scope, shifted(day, -1))
}

/** The day that ended last; a day ends in the moment of its end. */
export function lastEnded(calendar: Calendar, scope: string, now: Date): string {
  const today = dayOf(now)
  return endOf(calendar, scope, today) <= now ? today : shifted(today, -1)
}

/** After a longer outage the first report of a day is that of all the days before it, too. */
const days_max = 366

/**
 * The days without a report up to one that has ended, the earliest first: those after `lastReported`, or
 * only the last one where nothing was reported yet. At most `days_max`, the newest.
 */
export function missedDays(lastReported: string | null, ended: string): readonly string[] {
  const days: string[] = []
  for (let day = ended; days.length < days_max; day = shifted(day, -1)) {
    if (lastReported !== null && day <= lastReported) break
    days.push(day)
    if (lastReported === null) break
  }
  return days.toReversed()
}

/** The schedule of a scope: minute, hour, day, month, weekday in UTC. */
export function cronOf(calendar: Calendar, scope: string): string {
  const minutes = endOfDayIn(calendar, scope) % day_minutes
  return `${minutes % 60} ${Math.floor(minutes / 60)} * * *`
}

export function nextDay(day: string): string {
  return shifted(day, 1)
}

/** A day of the calendar, `2026-11-25`. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && text >= '1970' && dayOf(new Date(startOf(text))) === text
}

function shifted(day: string, days: number): string {
  return dayOf(new Date(startOf(day) + days * day_ms))
}

function dayOf(time: Date): string {
  return Number.isNaN(time.getTime()) ? '' : time.toISOString().slice(0, 10)
}

function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`)
}
