/** The cursor of a page of records, newest first: the time and the id of its last record. */
import { timeOf } from './contract.ts'

export interface PagePlace {
  readonly at: Date
  readonly id: string
}

export function writeCursor({ at, id }: PagePlace): string {
  return `${at.toISOString()} ${id}`
}

/** Null for the first page, also when the text is no cursor. */
export function readCursor(text: string | undefined): PagePlace | null {
  const [time, id = ''] = text?.split(' ') ?? []
  const at = timeOf('after', time, null)
  return at instanceof Date && !id.includes('\0') ? { at, id } : null
}
