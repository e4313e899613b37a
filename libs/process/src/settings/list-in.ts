/** The values of a setting that lists some, separated by commas: trimmed, without empty ones. */
export function listIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '')
}
