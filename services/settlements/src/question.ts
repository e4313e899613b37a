/** What an empty member of a question means: whatever it is. */

export function givenText(text: string): string | null {
  return text === '' ? null : text
}

export function givenNumber(number: number): number | null {
  return number === 0 ? null : number
}

/** A time that cannot be read is the caller's mistake: admin checks what operators write. */
export function timeIn(text: string): Date | null {
  if (text === '') return null
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new RangeError(`${text} is no time`)
  return time
}
