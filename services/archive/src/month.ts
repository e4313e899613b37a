/** Which months can be archived: those that get no rows any more by any clock. */

/** '2026-08'. */
export type Month = string

const pattern = /^(\d{4})-(0[1-9]|1[0-2])$/

/** undefined if the text is not a month. */
export function monthIn(text: string): Month | undefined {
  return pattern.test(text) ? text : undefined
}

/** The month that many months later. */
function monthAfter(month: Month, months: number): Month {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7)
}

/** 'YYYY-MM-01': the bounds of its partition, the second one excluded. */
export function boundsOf(month: Month): readonly [from: string, to: string] {
  return [`${month}-01`, `${monthAfter(month, 1)}-01`]
}

/** Name of the partition of the month. */
export function partitionName(table: string, month: Month): string {
  return `${table}_${month.replace('-', '_')}`
}

/** Whether so many whole months have passed since its end. */
export function isOlder(month: Month, months: number, now: Date): boolean {
  return monthAfter(month, months) < now.toISOString().slice(0, 7)
}

/** This month and the one before still get rows; later months have no partition to archive. */
export function isTooYoung(month: Month, now: Date): boolean {
  return month >= monthAfter(now.toISOString().slice(0, 7), -1)
}
