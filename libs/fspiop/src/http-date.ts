/** The Date header: all three formats of RFC 7231 are accepted, IMF-fixdate is written. */

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'
const monthNumbers = new Map(months.split(' ').map((month, index) => [month, index]))
const month = `(?<month>${months.replaceAll(' ', '|')})`
const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const longDay = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)'
const time = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)'

const forms = [
  new RegExp(`^${day}, (?<date>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^${longDay}, (?<date>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`),
  new RegExp(`^${day} ${month} (?<date>\\d\\d| \\d) ${time} (?<year>\\d{4})$`),
]

/** A two-digit year (RFC 850) from here on is in the 1900s. */
const twoDigitYear_min = 70

/**
 * The time of an HTTP date; `undefined` for anything else, including a day that does not exist. The
 * weekday is not compared with the date, because it is redundant.
 */
export function readHttpDate(text: string): Date | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups
    if (parts !== undefined) return dateOf(parts)
  }
  return undefined
}

/** IMF-fixdate: "Tue, 15 Nov 1994 08:12:31 GMT". */
export function writeHttpDate(date: Date): string {
  return date.toUTCString()
}

function dateOf(parts: Readonly<Record<string, string>>): Date | undefined {
  const dayOfMonth = Number(parts['date'])
  const monthNumber = monthNumbers.get(parts['month'] ?? '')
  if (monthNumber === undefined) return undefined
  const date = new Date(0)
  date.setUTCFullYear(yearOf(parts['year'] ?? ''), monthNumber, dayOfMonth)
  if (date.getUTCDate() !== dayOfMonth) return undefined
  date.setUTCHours(Number(parts['hour']), Number(parts['minute']), Number(parts['second']))
  return date
}

function yearOf(text: string): number {
  const year = Number(text)
  if (text.length === 4) return year
  return year < twoDigitYear_min ? 2000 + year : 1900 + year
}
