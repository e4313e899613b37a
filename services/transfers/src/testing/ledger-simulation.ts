/**
 * The ledger's side of the contract, in memory: the same outcomes for the same calls, so that the steps
 * of transfers can be stopped, repeated and interleaved around it. It simulates another service; limits
 * are no more here than a set of payers that are short.
 */
import type {
  FulfilItem,
  LedgerAnswer,
  LedgerEntry,
  Position,
  PrepareItem,
  ReleaseItem,
} from '@causeway/protos'
import type { LedgerCalls } from '../ledger.ts'

export interface SimulatedEntry {
  readonly id: string
  readonly kind: 'TRANSFER' | 'FUNDS_IN' | 'FUNDS_OUT' | 'SETTLEMENT' | 'OPENING'
  readonly outcome: 'RESERVED' | 'POSTED' | 'VOIDED' | 'REFUSED'
  readonly reason: string
  /** undefined for a tombstone. */
  readonly terms:
    { readonly payer: string; readonly payee: string; readonly money: string } | undefined
  readonly expiresAt: number
  readonly evidence: Buffer
  readonly modelId: number
  readonly settles: string
}

export interface LedgerSimulation {
  readonly calls: LedgerCalls
  readonly entries: ReadonlyMap<string, SimulatedEntry>
  /** Stands for a movement that the ledger made without transfers. */
  put(entry: SimulatedEntry): void
  /** Forgets, as a restored backup would. */
  drop(id: string): void
}

export interface LedgerSimulationOptions {
  readonly now: () => number
  readonly grace_ms: number
  /** Why the reservations of these payers are refused. */
  readonly refusals?: ReadonlyMap<string, string>
  /** Ids that its database will not take. */
  readonly faulty?: ReadonlySet<string>
}

const none = Buffer.alloc(0)

export function simulateLedger(options: LedgerSimulationOptions): LedgerSimulation {
  const { now, grace_ms, refusals, faulty } = options
  const entries = new Map<string, SimulatedEntry>()

  function store(entry: SimulatedEntry): LedgerAnswer {
    entries.set(entry.id, entry)
    return stored(entry)
  }

  function reserve(item: PrepareItem): LedgerAnswer {
    const terms = {
      payer: item.payerFsp,
      payee: item.payeeFsp,
      money: `${item.amount} ${item.currency}`,
    }
    const found = entries.get(item.transferId)
    if (found !== undefined) {
      const same =
        found.kind === 'TRANSFER' &&
        (found.terms === undefined || JSON.stringify(found.terms) === JSON.stringify(terms))
      return same ? stored(found) : bare(item.transferId, 'MISMATCH')
    }
    const expiresAt = Date.parse(item.expiresAt)
    const reason = refusals?.get(item.payerFsp) ?? (expiresAt <= now() ? 'EXPIRED' : '')
    return store({
      id: item.transferId,
      kind: 'TRANSFER',
      outcome: reason === '' ? 'RESERVED' : 'REFUSED',
      reason,
      terms,
      expiresAt,
      evidence: none,
      modelId: item.settlementModelId,
      settles: item.settles,
    })
  }

  function post({ transferId, receivedAt, evidence }: FulfilItem): LedgerAnswer {
    const found = entries.get(transferId)
    if (found === undefined) return bare(transferId, 'UNKNOWN')
    if (found.kind !== 'TRANSFER') return bare(transferId, 'MISMATCH')
    if (found.outcome !== 'RESERVED') return stored(found)
    return found.expiresAt <= Date.parse(receivedAt)
      ? store({ ...found, outcome: 'VOIDED', reason: 'TIMEOUT', evidence })
      : store({ ...found, outcome: 'POSTED', evidence })
  }

  function release({ transferId, expiresAt, reason, evidence }: ReleaseItem): LedgerAnswer {
    const found = entries.get(transferId)
    if (found !== undefined && found.kind !== 'TRANSFER') return bare(transferId, 'MISMATCH')
    if (found !== undefined && found.outcome !== 'RESERVED') return stored(found)
    const expiry = found?.expiresAt ?? Date.parse(expiresAt)
    const retryMs = expiry + grace_ms - now()
    if (reason === 'TIMEOUT' && retryMs > 0) return { ...bare(transferId, 'TOO_EARLY'), retryMs }
    const tombstone: SimulatedEntry = {
      id: transferId,
      kind: 'TRANSFER',
      outcome: 'VOIDED',
      reason,
      terms: undefined,
      expiresAt: expiry,
      evidence,
      modelId: 0,
      settles: '',
    }
    return store(
      found === undefined ? tombstone : { ...found, outcome: 'VOIDED', reason, evidence },
    )
  }

  function worked<Item extends { readonly transferId: string }>(
    items: readonly Item[],
    work: (item: Item) => LedgerAnswer,
  ): Promise<{ answers: LedgerAnswer[] }> {
    const answers = items.map((item) =>
      faulty?.has(item.transferId) === true ? bare(item.transferId, 'FAULT') : work(item),
    )
    return Promise.resolve({ answers })
  }

  const unused = () => Promise.reject(new Error('transfers does not call this'))
  return {
    entries,
    put: (entry) => entries.set(entry.id, entry),
    drop: (id) => entries.delete(id),
    calls: {
      ProcessTransferPrepare: ({ items }) => worked(items, reserve),
      ProcessTransferFulfil: ({ items }) => worked(items, post),
      ProcessTransferRelease: ({ items }) => worked(items, release),
      GetLedgerEntries: ({ ids }) =>
        Promise.resolve({ entries: ids.flatMap((id) => found(entries.get(id))) }),
      ListOverdueReservations: ({ overdueMs, limit }) =>
        Promise.resolve({
          entries: [...entries.values()]
            .filter(({ kind, outcome }) => kind === 'TRANSFER' && outcome === 'RESERVED')
            .filter(({ expiresAt }) => expiresAt + overdueMs <= now())
            .slice(0, limit)
            .flatMap(found),
        }),
      ListTransferEntries: unused,
      GetWholeEntries: unused,
      ListSettlementEntries: unused,
      GetCurrentWindow: unused,
      GetLedgerRecord: unused,
      RotateSettlementWindow: unused,
      ListWindowFees: unused,
      PostSettlementEntries: unused,
      SetInterchangeFee: unused,
      VerifyLedger: unused,
    },
  }
}

function stored(entry: SimulatedEntry): LedgerAnswer {
  const { id, outcome, reason, evidence, modelId, settles, terms } = entry
  return {
    transferId: id,
    outcome,
    reason,
    retryMs: 0,
    evidence,
    settlementModelId: modelId,
    settles,
    windowId: outcome === 'POSTED' && settles !== 'GROSS_IMMEDIATE' ? 1 : 0,
    payerPosition: terms === undefined ? null : position(terms.payer, 1),
    payeePosition: terms === undefined ? null : position(terms.payee, 2),
  }
}

function bare(transferId: string, outcome: string): LedgerAnswer {
  return {
    transferId,
    outcome,
    reason: '',
    retryMs: 0,
    evidence: none,
    settlementModelId: 0,
    settles: '',
    windowId: 0,
    payerPosition: null,
    payeePosition: null,
  }
}

function position(participantId: string, accountId: number): Position {
  return {
    participantId,
    accountId,
    currency: 'USD',
    value: '0',
    reservedValue: '0',
    limit: '',
    liquidity: '',
    changedAt: '2026-01-01T00:00:00.000Z',
  }
}

function found(entry: SimulatedEntry | undefined): LedgerEntry[] {
  if (entry === undefined) return []
  const [amount = '', currency = ''] = entry.terms?.money.split(' ') ?? []
  return [
    {
      id: entry.id,
      kind: entry.kind,
      outcome: entry.outcome,
      reason: entry.reason,
      amount,
      currency,
      payerFsp: entry.terms?.payer ?? '',
      payeeFsp: entry.terms?.payee ?? '',
      expiresAt: new Date(entry.expiresAt).toISOString(),
      createdAt: '2026-01-01T00:00:00.000Z',
      completedAt: entry.outcome === 'RESERVED' ? '' : '2026-01-01T00:00:01.000Z',
      evidence: entry.evidence,
      settlementModelId: entry.modelId,
      settles: entry.settles,
      windowId: 0,
    },
  ]
}
