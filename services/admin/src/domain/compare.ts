/**
 * Compares the ledger with the transfers: reserved money belongs to an open transfer, posted money
 * to a committed one, voided and refused money to an aborted one, with the same terms.
 */

import type {
  KnownTransfer,
  LedgerEntry,
  LedgerEntryOutcome,
  TransferRow,
  TransferState,
} from '@causeway/protos'

/** A line that does not exist by then is missing. */
const late_ms = 60_000

const termNames = {
  amount: 'amount',
  currency: 'currency',
  payerFsp: 'payer',
  payeeFsp: 'payee',
  windowId: 'window',
} as const

type Term = keyof typeof termNames
type Terms = Pick<LedgerEntry, Term>

/** Of kind TRANSFER. A tombstone has no terms: it voids an id that was never reserved. */
export type ComparedEntry = Pick<LedgerEntry, 'id' | 'outcome' | Term>

export type Transfer = Pick<
  KnownTransfer,
  'id' | 'state' | 'reason' | 'fulfilment' | 'completedAt' | Term
>

/** The data of one id. */
export interface Sides {
  readonly entry: ComparedEntry | undefined
  readonly transfer: Transfer | undefined
  /** The fulfilment in the evidence of a posted entry. */
  readonly fulfilment?: string | undefined
  /** The lines of a final transfer that is in no window; undefined where none were queried. */
  readonly lines?: readonly SettlementLine[] | undefined
}

/** The line that settlements stores for a transfer that is in no window. */
export type SettlementLine = Pick<TransferRow, 'transferId' | 'state' | Exclude<Term, 'windowId'>>

const statesOf: Readonly<Record<LedgerEntryOutcome, readonly TransferState[]>> = {
  RESERVED: ['RECEIVED', 'RESERVED'],
  POSTED: ['COMMITTED'],
  VOIDED: ['ABORTED'],
  REFUSED: ['ABORTED'],
}

/**
 * The difference of one id as a sentence, or undefined. A tombstone without a transfer is not a
 * difference. Neither is a transfer aborted for MISMATCH whose id the ledger has for another kind
 * of entry, or for a voided or refused transfer of another payer.
 */
export function differenceOf(sides: Sides): string | undefined {
  const { entry, transfer } = sides
  if (entry === undefined) {
    if (transfer === undefined || isMismatched(transfer)) return undefined
    return `transfer ${transfer.id} is ${transfer.state}, but the ledger has no entry of it`
  }
  const isTombstone = entry.amount === undefined
  if (transfer === undefined) {
    if (entry.outcome === 'VOIDED' && isTombstone) return undefined
    return `the ledger holds ${entry.id} as ${entry.outcome}, but there is no such transfer`
  }
  const { id, state } = transfer
  if (isMismatched(transfer)) {
    const cameToNothing = entry.outcome === 'VOIDED' || entry.outcome === 'REFUSED'
    if (cameToNothing && entry.payerFsp !== transfer.payerFsp) return undefined
    return `transfer ${id} is aborted for MISMATCH, but the ledger holds it as ${entry.outcome}`
  }
  if (!statesOf[entry.outcome].includes(state)) {
    return `transfer ${id} is ${state}, but the ledger holds it as ${entry.outcome}`
  }
  const terms = isTombstone ? [] : differentTerms(transfer, entry)
  if (terms.length > 0) return `transfer ${id} differs from the ledger: ${terms.join(', ')}`
  const { fulfilment } = sides
  if (fulfilment !== undefined && fulfilment !== (transfer.fulfilment ?? '')) {
    return `transfer ${id} has another fulfilment than the evidence in the ledger`
  }
  return sides.lines === undefined ? undefined : lineDifference(transfer, sides.lines)
}

function isMismatched({ state, reason }: Transfer): boolean {
  return state === 'ABORTED' && reason === 'MISMATCH'
}

const terms = Object.keys(termNames) as readonly Term[]

function differentTerms(own: Terms, ledgers: Terms): readonly string[] {
  return terms
    .filter((term) => own[term] !== ledgers[term])
    .map(
      (term) => `${termNames[term]} ${own[term] ?? 'none'} instead of ${ledgers[term] ?? 'none'}`,
    )
}

/**
 * Whether settlements must have a line of a transfer in no window: lines follow by events, and may
 * be late.
 */
export function hasLineOutside(
  { state, reason, windowId, completedAt }: Transfer,
  now_ms: number,
): boolean {
  if (completedAt === undefined || now_ms - Date.parse(completedAt) < late_ms) return false
  if (state === 'ABORTED') return reason !== 'MISMATCH'
  return state === 'COMMITTED' && windowId === undefined
}

function lineDifference(transfer: Transfer, lines: readonly SettlementLine[]): string | undefined {
  const { id, state } = transfer
  const [line, ...more] = lines
  if (line === undefined) return `transfer ${id} is ${state}, but settlements has no line of it`
  if (more.length > 0) return `settlements has ${lines.length} lines of transfer ${id}`
  const different = differentTerms({ ...line, windowId: transfer.windowId }, transfer)
  if (line.state !== state) return `transfer ${id} is ${state}, its line ${line.state}`
  return different.length === 0
    ? undefined
    : `the line of transfer ${id} differs from it: ${different.join(', ')}`
}

export interface Difference {
  readonly id: string
  readonly sentence: string
}

export interface Reach {
  readonly entries: readonly ComparedEntry[]
  readonly transfers: readonly Transfer[]
  /** The id after which the next pages begin; undefined when both sides are at their end. */
  readonly next: string | undefined
}

/**
 * Cuts two pages that begin after the same id, both in id order, as far as both reach. Only an
 * empty page is an end, so the length of pages does not matter.
 */
export function reachOf(entries: readonly ComparedEntry[], transfers: readonly Transfer[]): Reach {
  const ends = [entries.at(-1)?.id, transfers.at(-1)?.id].filter((id) => id !== undefined)
  const next = ends.length === 2 ? smaller(ends) : ends[0]
  if (next === undefined) return { entries: [], transfers: [], next }
  const reached = <Row extends { id: string }>(rows: readonly Row[]) =>
    rows.filter(({ id }) => id <= next)
  return { entries: reached(entries), transfers: reached(transfers), next }
}

/** The data of ids from other services. */
export interface Others {
  readonly fulfilments: ReadonlyMap<string, string>
  readonly lines: readonly SettlementLine[]
  readonly now_ms: number
}

/** Every difference among the ids of either list, in id order. */
export function differencesAmong(
  entries: readonly ComparedEntry[],
  transfers: readonly Transfer[],
  { fulfilments, lines, now_ms }: Others,
): readonly Difference[] {
  const entryOf = new Map(entries.map((entry) => [entry.id, entry]))
  const transferOf = new Map(transfers.map((transfer) => [transfer.id, transfer]))
  const linesOf = groupByTransfer(lines)
  const ids = [...new Set([...entryOf.keys(), ...transferOf.keys()])].sort()
  return ids.flatMap((id) => {
    const transfer = transferOf.get(id)
    const sentence = differenceOf({
      entry: entryOf.get(id),
      transfer,
      fulfilment: fulfilments.get(id),
      lines:
        transfer !== undefined && hasLineOutside(transfer, now_ms)
          ? (linesOf.get(id) ?? [])
          : undefined,
    })
    return sentence === undefined ? [] : [{ id, sentence }]
  })
}

function groupByTransfer(
  lines: readonly SettlementLine[],
): ReadonlyMap<string, readonly SettlementLine[]> {
  const groups = new Map<string, SettlementLine[]>()
  for (const line of lines) {
    const group = groups.get(line.transferId)
    if (group === undefined) groups.set(line.transferId, [line])
    else group.push(line)
  }
  return groups
}

function smaller(ids: readonly string[]): string | undefined {
  return [...ids].sort()[0]
}
