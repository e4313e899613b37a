/** Compares the lines of a closed window with the ledger's entries. */
import type { Calls } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { LedgerEntry, ledgerService, TransferRow } from '@causeway/protos'
import { linesAfter, type LineKey } from '../lines/read-store.ts'

export interface LinesParts {
  readonly db: Database
  readonly ledger: Pick<Calls<typeof ledgerService>, 'GetLedgerEntries'>
}

const page_max = 1_000
const sentences_max = 100

/** Sentences, bounded in number. */
export async function compareLines(
  { db, ledger }: LinesParts,
  windowId: number,
): Promise<readonly string[]> {
  const sentences: string[] = []
  const wanted = { windowId, contents: null, participant: null, day: null }
  for (let after: LineKey | null = null; ;) {
    const lines = await linesAfter(db, wanted, after, page_max)
    const last = lines.at(-1)
    if (last === undefined || sentences.length >= sentences_max) return sentences
    const ids = lines.map(({ row }) => entryIdOf(row))
    const { entries } = await ledger.GetLedgerEntries({ ids }, { deadline_ms: 30_000 })
    const byId = new Map(entries.map((entry) => [entry.id, entry]))
    sentences.push(...lines.flatMap(({ row }) => aboutLine(row, byId.get(entryIdOf(row))) ?? []))
    after = last.key
  }
}

function entryIdOf({ kind, transferId }: TransferRow): string {
  return kind === 'FEE' ? `fee-${transferId}` : transferId
}

function aboutLine(row: TransferRow, entry: LedgerEntry | undefined): string | undefined {
  const line = `The line of ${row.kind} ${row.transferId} in window ${row.windowId}`
  if (entry === undefined) return `${line} has no entry in the ledger.`
  const pairs = [
    ['kind', row.kind, entry.kind],
    ['outcome', 'POSTED', entry.outcome],
    ['amount', row.amount, entry.amount],
    ['currency', row.currency, entry.currency],
    ['payer', row.payerFsp, entry.payerFsp],
    ['payee', row.payeeFsp, entry.payeeFsp],
    ['window', String(row.windowId), String(entry.windowId)],
    ['model', String(row.settlementModelId), String(entry.settlementModelId)],
  ] as const
  const different = pairs.filter(([, own, ledgers]) => own !== ledgers)
  if (different.length === 0) return undefined
  const words = different.map(([what, own, ledgers]) => `${what} ${own} instead of ${ledgers}`)
  return `${line} has ${words.join(', ')}.`
}
