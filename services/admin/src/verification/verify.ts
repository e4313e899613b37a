/**
 * Verifies the hub while it works: the ledger against its journal and against the transfers and
 * their lines, closed windows against their lines, settlements against the ledger, and consents and
 * PISPs' payments against signatures and messages. Transfers in progress differ for a moment, so
 * only a difference that persists is reported.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import {
  differencesAmong,
  hasLineOutside,
  reachOf,
  type Difference,
  type Others,
  type Reach,
} from '../domain/compare.ts'
import type { Upstream } from '../upstream.ts'

export interface HubVerification {
  readonly clean: boolean
  readonly compared: {
    readonly accounts: number
    readonly entries: number
    readonly transfers: number
    readonly windows: number
    readonly bulkTransfers: number
    /** Consents whose credentials were verified again. */
    readonly consents: number
    readonly verifications: number
    readonly thirdPartyTransactions: number
  }
  /** One sentence each. */
  readonly differences: readonly string[]
}

const page_max = 1_000
/** With more suspects the hub has a systematic fault, and reading on gives no new information. */
const suspects_max = 10_000
const rereads = 3
const ledgerDeadline_ms = 600_000
const options = { deadline_ms: 30_000 }
/** Evidence is up to 16 KiB. */
const evidence_max = 500

type Sources = Pick<Upstream, 'ledger' | 'transfers' | 'reports' | 'consents' | 'thirdParties'>

/** `reread_ms` is the pause before each of the three repeated reads of a difference. */
export async function verify(sources: Sources, reread_ms = 1_000): Promise<HubVerification> {
  const books = await sources.ledger.VerifyLedger({}, { deadline_ms: ledgerDeadline_ms })
  const walk = await compareAll(sources)
  const persistent = await readAgain(sources, walk.suspects, reread_ms)
  const settled = await sources.reports.VerifySettlements({}, { deadline_ms: ledgerDeadline_ms })
  const bulks = await sources.transfers.VerifyBulkTransfers({}, { deadline_ms: ledgerDeadline_ms })
  const consents = await sources.consents.VerifyConsents({}, { deadline_ms: ledgerDeadline_ms })
  const begun = await sources.thirdParties.VerifyThirdPartyTransactions(
    {},
    { deadline_ms: ledgerDeadline_ms },
  )
  const differences = [
    ...books.differences,
    ...persistent.map(({ sentence }) => sentence),
    ...settled.differences,
    ...bulks.differences,
    ...consents.differences,
    ...begun.differences,
  ]
  if (!walk.whole) {
    differences.push(`more than ${suspects_max} transfers differ: the comparison stopped there`)
  }
  return {
    clean: differences.length === 0,
    compared: {
      accounts: Number(books.accountsCompared),
      entries: walk.entries,
      transfers: walk.transfers,
      windows: settled.windowsCompared,
      bulkTransfers: bulks.compared,
      consents: consents.consents,
      verifications: consents.verifications,
      thirdPartyTransactions: begun.compared,
    },
    differences,
  }
}

async function compareAll(sources: Sources) {
  const suspects: string[] = []
  let entries = 0
  let transfers = 0
  let after: string | undefined = ''
  while (after !== undefined && suspects.length <= suspects_max) {
    const page = { afterId: after, limit: page_max }
    const [ledger, states] = await Promise.all([
      sources.ledger.ListTransferEntries(page, options),
      sources.transfers.ListTransferStates(page, options),
    ])
    const reached = reachOf(ledger.entries, states.transfers)
    const others = await entriesOf(sources, reached)
    const found = differencesAmong(reached.entries, reached.transfers, others)
    suspects.push(...found.map(({ id }) => id))
    entries += reached.entries.length
    transfers += reached.transfers.length
    after = reached.next
  }
  return { suspects, entries, transfers, whole: after === undefined }
}

/** The evidence of posted entries, and the lines of transfers in no window. */
async function entriesOf(
  { ledger, reports }: Sources,
  { entries, transfers }: Pick<Reach, 'entries' | 'transfers'>,
): Promise<Others> {
  const posted = entries.filter(({ outcome }) => outcome === 'POSTED').map(({ id }) => id)
  const fulfilments = new Map<string, string>()
  for (let from = 0; from < posted.length; from += evidence_max) {
    const ids = posted.slice(from, from + evidence_max)
    const whole = await ledger.GetWholeEntries({ ids }, options)
    for (const { id, evidence } of whole.entries) fulfilments.set(id, fulfilmentIn(evidence))
  }
  const now_ms = Date.now()
  const outside = transfers.filter((transfer) => hasLineOutside(transfer, now_ms))
  const transferIds = outside.map(({ id }) => id)
  const { rows } =
    transferIds.length === 0
      ? { rows: [] }
      : await reports.GetLinesOutsideWindows({ transferIds }, options)
  return { fulfilments, lines: rows, now_ms }
}

/** Evidence is the JSON that transfers has written; '' where it has no fulfilment. */
function fulfilmentIn(evidence: Buffer): string {
  try {
    return withFulfilment.parse(JSON.parse(evidence.toString())).fulfilment
  } catch {
    return ''
  }
}

const withFulfilment = z.object({ fulfilment: z.string() })

/** The differences that exist at every read, as the last one shows them. */
async function readAgain(
  sources: Sources,
  suspects: readonly string[],
  reread_ms: number,
): Promise<readonly Difference[]> {
  let persistent: readonly Difference[] = []
  let ids = suspects
  for (let look = 1; look <= rereads && ids.length > 0; look++) {
    await pause(reread_ms)
    persistent = await compareIds(sources, ids)
    ids = persistent.map(({ id }) => id)
  }
  return persistent
}

/** The transfers are read first: a step in between then shows in the ledger, not the reverse. */
async function compareIds(sources: Sources, ids: readonly string[]): Promise<Difference[]> {
  const found: Difference[] = []
  for (let from = 0; from < ids.length; from += page_max) {
    const asked = { ids: ids.slice(from, from + page_max) }
    const states = await sources.transfers.GetTransferStates(asked, options)
    const transfers = states.transfers
    const { entries } = await sources.ledger.GetLedgerEntries(asked, options)
    const ofTransfers = entries.filter(({ kind }) => kind === 'TRANSFER')
    const others = await entriesOf(sources, { entries: ofTransfers, transfers })
    found.push(...differencesAmong(ofTransfers, transfers, others))
  }
  return found
}
