/**
 * The ledger's decisions over rows in memory, with the ledger's gRPC interface, for tests of its
 * callers. Each command is a batch of its own. Named participants exist automatically, with
 * practically unlimited cover and cap.
 */
import type { Calls } from '@causeway/grpc'
import { openLog } from '@causeway/process'
import type { ledgerService, LedgerEntry, ReserveRefusal } from '@causeway/protos'
import { entryMessage } from '../contract.ts'
import { transferHandlers } from '../transfers.ts'
import { moved, type Account } from '../domain/account.ts'
import { openBook, decideAll, type LockedRows, type CommandAnswer } from '../domain/book.ts'
import type { TransferParty } from '../domain/decision.ts'
import type { Command } from '../domain/command.ts'
import { noEvidence, type Entry, type Terms } from '../domain/entry.ts'
import { isExpired } from '../domain/expiry.ts'
import { nextRows } from './scene.ts'

export type { Entry } from '../domain/entry.ts'

export interface LedgerInMemory {
  readonly calls: Calls<typeof ledgerService>
  readonly entries: ReadonlyMap<string, Entry>
  /**
   * Stores an entry as if the ledger had made it without its caller; a reserved amount is held on
   * the accounts.
   */
  put(entry: Entry): void
}

export interface LedgerInMemoryOptions {
  /** ms since 1970: the clock of the database. */
  readonly now: () => number
  readonly grace_ms: number
  /** Why the reservations of these payers are refused; any other is decided. */
  readonly refusals?: ReadonlyMap<string, ReserveRefusal>
  /**
   * Participants that have positions in USD from the beginning: 11, 12 and so on. Others get theirs
   * when they are named.
   */
  readonly participants?: readonly string[]
  /** Deposits of these participants in ten-thousandths; others have plenty. */
  readonly covers?: ReadonlyMap<string, bigint>
  /** Ids that the database refuses. */
  readonly faulty?: ReadonlySet<string>
}

const plenty = 10n ** 30n
const permits: TransferParty['permits'] = new Set(['TRANSFERS', 'FUNDS_IN', 'FUNDS_OUT'])
const able = { isActive: true, takesTransfers: true, takesBulks: true, permits }
const hub: TransferParty = { id: 1, name: 'Hub', ...able }

const nothingYet: LockedRows = {
  now: new Date(0),
  batch: 1n,
  windowId: 1,
  fees: new Map(),
  models: [],
  entries: [],
  heldIn: new Map(),
  parties: [hub],
  accounts: [],
}

export function openLedgerInMemory(options: LedgerInMemoryOptions): LedgerInMemory {
  const { now, grace_ms, participants = [], covers = new Map(), refusals, faulty } = options
  const onboarded = participants.reduce(
    (all, name) => withParticipant(all, name, 'USD'),
    nothingYet,
  )
  let rows = withCovers(onboarded, covers)

  function decide(command: Command): CommandAnswer {
    if (faulty?.has(command.id) === true) return { type: 'FAULT' }
    if (command.type === 'RESERVE') rows = withParticipants(rows, command.terms)
    const from = { ...rows, now: new Date(now()) }
    const book = openBook(from)
    const reason = command.type === 'RESERVE' ? refusals?.get(command.terms.payer) : undefined
    if (
      reason !== undefined &&
      command.type === 'RESERVE' &&
      book.entry(command.id) === undefined
    ) {
      const [answer] = decideAll(openBook(from), [command], { expiryGrace_ms: grace_ms })
      if (answer?.type !== 'ENTRY')
        throw new Error(`a reservation is answered ${answer?.type ?? ''}`)
      const refused = { outcome: 'REFUSED', reason, accounts: null, completedAt: from.now } as const
      book.record({ entry: { ...answer.entry, ...refused }, movements: [] })
      rows = nextRows(from, book.changes())
    }
    const again = openBook({ ...rows, now: from.now })
    const [answer] = decideAll(again, [command], { expiryGrace_ms: grace_ms })
    rows = nextRows({ ...rows, now: from.now }, again.changes())
    return answer ?? { type: 'FAULT' }
  }

  const decideEach = (commands: readonly Command[]) => Promise.resolve(commands.map(decide))
  const unused = () => Promise.reject(new Error('the ledger in memory does not serve this call'))
  return {
    get entries() {
      return new Map(rows.entries.map((entry) => [entry.id, entry]))
    },
    put(entry) {
      if (entry.terms !== null) rows = withParticipants(rows, entry.terms)
      rows = withEntry(rows, entry)
    },
    calls: {
      ...transferHandlers({ decide: decideEach }, openLog({ name: 'ledger', level: 'silent' })),
      GetLedgerEntries: ({ ids }) =>
        Promise.resolve({ entries: rows.entries.filter(({ id }) => ids.includes(id)).map(listed) }),
      ListOverdueReservations: ({ overdueMs, limit }) => {
        const at = new Date(now() - overdueMs)
        const overdue = rows.entries
          .filter(({ kind, outcome }) => kind === 'TRANSFER' && outcome === 'RESERVED')
          .filter(({ expiresAt }) => expiresAt !== null && isExpired(expiresAt, at))
        return Promise.resolve({ entries: overdue.slice(0, limit).map(listed) })
      },
      GetCurrentWindow: unused,
      GetLedgerRecord: unused,
      GetWholeEntries: unused,
      ListSettlementEntries: unused,
      ListTransferEntries: unused,
      ListModelRules: unused,
      ListWindowFees: unused,
      PostSettlementEntries: unused,
      RotateSettlementWindow: unused,
      SetInterchangeFee: unused,
      SetModelRule: unused,
      VerifyLedger: unused,
    },
  }
}

/** Lists carry no evidence. */
function listed(entry: Entry): LedgerEntry {
  return entryMessage({ ...entry, evidence: noEvidence })
}

/** Payer and payee take part in the currency. */
function withParticipants(rows: LockedRows, { payer, payee, currency }: Terms): LockedRows {
  return [payer, payee].reduce((all, name) => withParticipant(all, name, currency), rows)
}

function withParticipant(rows: LockedRows, name: string, currency: string): LockedRows {
  const known = rows.parties.find((party) => party.name === name)
  const party = known ?? { id: rows.parties.length + 1, name, ...able }
  const has = rows.accounts.some(
    (account) => account.participantId === party.id && account.currency === currency,
  )
  if (has) return rows
  const position = account(11 + rows.accounts.length / 2, party, currency)
  const settlement = { ...account(position.id + 1_000, party, currency), creditsPosted: plenty }
  return {
    ...rows,
    parties: known === undefined ? [...rows.parties, party] : rows.parties,
    accounts: [
      ...rows.accounts,
      { ...position, type: 'POSITION', cap: plenty },
      { ...settlement, type: 'SETTLEMENT' },
    ],
  }
}

function withCovers(rows: LockedRows, covers: ReadonlyMap<string, bigint>): LockedRows {
  const coverOf = (id: number) => {
    const name = rows.parties.find((party) => party.id === id)?.name ?? ''
    return covers.get(name) ?? plenty
  }
  return {
    ...rows,
    accounts: rows.accounts.map((one) =>
      one.type === 'SETTLEMENT' ? { ...one, creditsPosted: coverOf(one.participantId) } : one,
    ),
  }
}

function account(id: number, { id: participantId }: TransferParty, currency: string): Account {
  return {
    id,
    participantId,
    type: '',
    currency,
    isActive: true,
    debitsPosted: 0n,
    debitsPending: 0n,
    creditsPosted: 0n,
    creditsPending: 0n,
    cap: null,
    excluded: 0n,
    excludedPercentage: null,
    unpaid: 0n,
    unpaidBatch: null,
    changedAt: new Date(0),
  }
}

function withEntry(rows: LockedRows, entry: Entry): LockedRows {
  const others = rows.entries.filter(({ id }) => id !== entry.id)
  const { terms } = entry
  if (entry.outcome !== 'RESERVED' || terms === null) {
    return { ...rows, entries: [...others, entry] }
  }
  const partyOf = (name: string) => rows.parties.find((party) => party.name === name)?.id ?? 0
  const positionOf = (participantId: number) =>
    rows.accounts.find(
      (one) =>
        one.participantId === participantId &&
        one.type === 'POSITION' &&
        one.currency === terms.currency,
    )?.id ?? 0
  const parties = { payerId: partyOf(terms.payer), payeeId: partyOf(terms.payee) }
  const accounts = {
    debitAccountId: positionOf(parties.payerId),
    creditAccountId: positionOf(parties.payeeId),
  }
  const change = { step: 'RESERVE', amount: terms.amount, at: rows.now } as const
  return {
    ...rows,
    entries: [...others, { ...entry, parties, accounts }],
    accounts: rows.accounts.map((one) => {
      if (one.id === accounts.debitAccountId) return moved(one, 'DEBIT', change)
      return one.id === accounts.creditAccountId ? moved(one, 'CREDIT', change) : one
    }),
  }
}
