/** Members of proto3 queries: an empty value means any. */

/** An invalid time is the caller's error: admin validates the input of operators. */
export function timeIn(text: string): Date | null {
  if (text === '') return null
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new RangeError(`${text} is not a time`)
  return time
}
