/**
 * What this process has committed and not sent yet, by the numbers of its rows: it is sent from memory, and
 * only what others have left is read from the table. Whatever is not here is read there, so that it may
 * forget at any time. A file of its own: its bounds are tested without a database.
 */
import type { OutgoingRecord } from '../record.ts'

export interface Unsent {
  /** @param numbers of the rows, in the order of the records */
  add(numbers: readonly string[], records: readonly OutgoingRecord[]): void
  recordOf(number: string): OutgoingRecord | undefined
  forget(numbers: readonly string[]): void
  /** How many were ever added. */
  readonly added: number
  /** Those that were added before so many had been: another process has sent them. */
  forgetEarlier(added: number): void
}

interface UnsentRecord {
  readonly record: OutgoingRecord
  /** How many were added before. */
  readonly place: number
}

/** While Kafka is away the rows are enough. */
const bytes_max_default = 64 * 2 ** 20

export function openUnsent(bytes_max = bytes_max_default): Unsent {
  const all = new Map<string, UnsentRecord>()
  let kept_bytes = 0
  let added = 0

  function drop(number: string): void {
    kept_bytes -= all.get(number)?.record.bytes ?? 0
    all.delete(number)
  }

  return {
    add(numbers, records) {
      for (const [at, record] of records.entries()) {
        const number = numbers[at]
        if (number === undefined || kept_bytes + record.bytes > bytes_max) return
        kept_bytes += record.bytes
        all.set(number, { record, place: added++ })
      }
    },
    recordOf: (number) => all.get(number)?.record,
    forget: (numbers) => numbers.forEach(drop),
    get added() {
      return added
    },
    forgetEarlier(than) {
      for (const [number, { place }] of all) {
        if (place >= than) return
        drop(number)
      }
    },
  }
}
