/** Times of queries. */

/** An invalid time is the caller's error: admin validates the input of operators. */
export function timeIn(text: string | undefined): Date | null {
  if (text === undefined) return null
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new RangeError(`${text} is not a time`)
  return time
}
