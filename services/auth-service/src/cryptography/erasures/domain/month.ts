/** Months as texts `2026-08`, and which of them may be erased. */

const pattern = /^\d{4}-(0[1-9]|1[0-2])$/

export function isMonth(text: string): boolean {
  return pattern.test(text)
}

export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7)
}

function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7)
}

/** The one before, the month itself and the next. */
export function monthsAround(month: string): readonly string[] {
  return [-1, 0, 1].map((months) => monthAfter(month, months))
}

/** Whether so many whole months have passed since the month ended. */
export function isErasable(month: string, now: Date, kept_months: number): boolean {
  return monthAfter(month, kept_months) < monthOf(now)
}
