/**
 * The ledger and the transfers tell the same story: reserved money belongs to an open transfer,
 * posted money to a committed one, voided and refused money to an aborted one.
 */

/** An entry of the ledger, kind TRANSFER. */
export interface Entry {
  readonly id: string
  readonly outcome: string
  /** '' of a tombstone: it voids an id that was never reserved, and has no terms. */
  readonly amount: string
}

export interface Transfer {
  readonly id: string
  readonly state: string
  readonly reason: string
}

const statesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['RESERVED', ['RECEIVED', 'RESERVED']],
  ['POSTED', ['COMMITTED']],
  ['VOIDED', ['ABORTED']],
  ['REFUSED', ['ABORTED']],
])

/**
 * What is wrong with one id, a sentence, or undefined. A tombstone without a transfer is none, and
 * neither is a transfer aborted for MISMATCH: the ledger's entry of that id belongs to another.
 */
export function differenceOf(
  entry: Entry | undefined,
  transfer: Transfer | undefined,
): string | undefined {
  if (transfer?.state === 'ABORTED' && transfer.reason === 'MISMATCH') return undefined
  if (entry === undefined) {
    if (transfer === undefined) return undefined
    return `transfer ${transfer.id} is ${transfer.state}, but the ledger has no entry of it`
  }
  if (transfer === undefined) {
    if (entry.outcome === 'VOIDED' && entry.amount === '') return undefined
    return `the ledger holds ${entry.id} as ${entry.outcome}, but there is no such transfer`
  }
  if (statesOf.get(entry.outcome)?.includes(transfer.state) === true) return undefined
  return `transfer ${entry.id} is ${transfer.state}, but the ledger holds it as ${entry.outcome}`
}

export interface Difference {
  readonly id: string
  readonly sentence: string
}

export interface Comparison {
  readonly differences: readonly Difference[]
  readonly entries: number
  readonly transfers: number
  /** Where the next pages begin, after this id; undefined when both sides are at their end. */
  readonly next: string | undefined
}

/**
 * Compares two pages that begin after the same id, both in id order, as far as both reach. Only an
 * empty page is an end, so it does not matter how long pages are.
 */
export function comparePages(
  entries: readonly Entry[],
  transfers: readonly Transfer[],
): Comparison {
  const ends = [entries.at(-1)?.id, transfers.at(-1)?.id].filter((id) => id !== undefined)
  const next = ends.length === 2 ? smaller(ends) : ends[0]
  if (next === undefined) return { differences: [], entries: 0, transfers: 0, next }
  const reached = <Row extends { id: string }>(rows: readonly Row[]) =>
    rows.filter(({ id }) => id <= next)
  const compared = { entries: reached(entries), transfers: reached(transfers) }
  return {
    differences: differencesAmong(compared.entries, compared.transfers),
    entries: compared.entries.length,
    transfers: compared.transfers.length,
    next,
  }
}

/** Every difference among the ids of either list, in id order. */
export function differencesAmong(
  entries: readonly Entry[],
  transfers: readonly Transfer[],
): readonly Difference[] {
  const entryOf = new Map(entries.map((entry) => [entry.id, entry]))
  const transferOf = new Map(transfers.map((transfer) => [transfer.id, transfer]))
  const ids = [...new Set([...entryOf.keys(), ...transferOf.keys()])].sort()
  return ids.flatMap((id) => {
    const sentence = differenceOf(entryOf.get(id), transferOf.get(id))
    return sentence === undefined ? [] : [{ id, sentence }]
  })
}

function smaller(ids: readonly string[]): string | undefined {
  return [...ids].sort()[0]
}
