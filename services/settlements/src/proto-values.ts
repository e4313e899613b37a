/** Members of proto3 queries: an empty value means any. */

export function textOrNull(text: string): string | null {
  return text === '' ? null : text
}

export function numberOrNull(number: number): number | null {
  return number === 0 ? null : number
}

/** An invalid time is the caller's error: admin validates the input of operators. */
export function timeIn(text: string): Date | null {
  if (text === '') return null
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new RangeError(`${text} is not a time`)
  return time
}
