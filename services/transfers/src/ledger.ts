/**
 * What transfers asks of the ledger. A call that fails by a deadline or by the transport decides
 * nothing: it is repeated with the same ids until it is answered.
 */
import type { Calls } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import { retrying, type Logger } from '@causeway/process'
import type {
  LedgerAnswer as WireAnswer,
  LedgerEntry,
  LedgerEntryKind,
  ledgerService,
  Position as WirePosition,
  PrepareItem,
  VoidReason,
} from '@causeway/protos'
import type { LedgerMovement } from './domain/decide.ts'
import type { OutcomeEvidence } from './domain/evidence.ts'
import type { LedgerAnswer, Position } from './domain/ledger-answer.ts'
import type { Claimed, Terms } from './domain/transfer.ts'
import { readEvidence, writeEvidence, type ReadEvidence } from './evidence.ts'

export type LedgerCalls = Calls<typeof ledgerService>

/** The accounts that the allocation found; undefined where it found none. */
export interface AccountHints {
  readonly payerAccountId?: number | undefined
  readonly payeeAccountId?: number | undefined
}

export interface ReserveItem extends AccountHints {
  readonly transfer: Claimed
}

export interface PostItem {
  readonly transferId: string
  readonly receivedAt: string
  readonly evidence: OutcomeEvidence
}

export interface ReleaseItem {
  readonly transfer: Pick<Terms, 'transferId' | 'expiresAt'>
  readonly reason: VoidReason
  /** undefined for a timeout: the reason is all there is. */
  readonly evidence: OutcomeEvidence | undefined
}

/** Each method answers item by item, in the same order. */
export interface Ledger {
  reserve(items: readonly ReserveItem[]): Promise<readonly LedgerAnswer[]>
  post(items: readonly PostItem[]): Promise<readonly LedgerAnswer[]>
  release(items: readonly ReleaseItem[]): Promise<readonly LedgerAnswer[]>
  /** Funds and settlement movements by id; transfers and unknown ids are left out. */
  movements(ids: readonly string[]): Promise<ReadonlyMap<string, LedgerMovement>>
  /** Reservations of transfers whose expiry lies at least so far back. */
  overdueReservations(
    overdue_ms: number,
    limit: number,
  ): Promise<readonly Pick<Terms, 'transferId' | 'expiresAt'>[]>
}

export interface LedgerOptions {
  readonly log: Logger
  /** Ends the repeating when the service stops. */
  readonly signal: AbortSignal
}

const noEvidence = Buffer.alloc(0)

export function openLedger(calls: LedgerCalls, { log, signal }: LedgerOptions): Ledger {
  const answered = <T>(what: string, call: () => Promise<T>): Promise<T> =>
    retrying(call, { log, what: `${what} in the ledger`, signal })
  return {
    async reserve(items) {
      if (items.length === 0) return []
      const request = { items: items.map(prepareItem) }
      const { answers } = await answered('reserve', () => calls.ProcessTransferPrepare(request))
      return items.map(({ transfer }, at) => answerOf(transfer.transferId, answers[at], undefined))
    },
    async post(items) {
      if (items.length === 0) return []
      const sent = items.map(({ transferId, receivedAt, evidence }) => ({
        transferId,
        receivedAt,
        evidence: writeEvidence(evidence),
      }))
      const { answers } = await answered('post', () => calls.ProcessTransferFulfil({ items: sent }))
      return items.map((item, at) => answerOf(item.transferId, answers[at], pairOf(item, sent[at])))
    },
    async release(items) {
      if (items.length === 0) return []
      const sent = items.map(({ transfer, reason, evidence }) => ({
        transferId: transfer.transferId,
        expiresAt: transfer.expiresAt,
        reason,
        evidence: evidence === undefined ? noEvidence : writeEvidence(evidence),
      }))
      const { answers } = await answered('release', () =>
        calls.ProcessTransferRelease({ items: sent }),
      )
      return items.map((item, at) =>
        answerOf(item.transfer.transferId, answers[at], pairOf(item, sent[at])),
      )
    },
    async movements(ids) {
      if (ids.length === 0) return new Map()
      const request = { ids: [...ids] }
      const { entries } = await answered('find', () => calls.GetLedgerEntries(request))
      return new Map(
        entries.flatMap((entry) => {
          const movement = movementOf(entry)
          return movement === undefined ? [] : [[entry.id, movement] as const]
        }),
      )
    },
    async overdueReservations(overdue_ms, limit) {
      const request = { overdueMs: overdue_ms, limit }
      const { entries } = await answered('list', () => calls.ListOverdueReservations(request))
      return entries.flatMap(({ id, expiresAt }) =>
        expiresAt === undefined ? [] : [{ transferId: id, expiresAt }],
      )
    },
  }
}

/** Evidence as a value and as the bytes that were sent, so that what comes back is not parsed. */
interface SentEvidence {
  readonly evidence: OutcomeEvidence
  readonly bytes: Buffer
}

function pairOf(
  { evidence }: { readonly evidence: OutcomeEvidence | undefined },
  sent: { readonly evidence: Buffer } | undefined,
): SentEvidence | undefined {
  return evidence === undefined || sent === undefined
    ? undefined
    : { evidence, bytes: sent.evidence }
}

function prepareItem({ transfer, payerAccountId, payeeAccountId }: ReserveItem): PrepareItem {
  const { transferId, payerFsp, payeeFsp, currency, expiresAt, allocation } = transfer
  return {
    transferId,
    payerFsp,
    payeeFsp,
    amount: formatAmount(transfer.amount),
    currency,
    expiresAt,
    settlementModelId: allocation?.settlementModelId,
    settles: allocation?.settles,
    payerAccountId,
    payeeAccountId,
    isBulkItem: transfer.bulkTransferId !== undefined,
  }
}

/**
 * An answer that makes no sense is a FAULT of this item, and one that a newer release may have given is
 * NOT_UNDERSTOOD, where a value that this release does not know is a number; its neighbours go on.
 */
export function answerOf(
  transferId: string,
  wire: WireAnswer | undefined,
  sent: SentEvidence | undefined,
): LedgerAnswer {
  if (wire?.transferId !== transferId) throw new Error(`the ledger did not answer ${transferId}`)
  switch (wire.outcome) {
    case 'RESERVED': {
      const { settlementModelId } = wire
      const payerPosition = positionOf(wire.payerPosition)
      if (payerPosition === undefined) return fault('reserved without a position')
      if (settlementModelId === undefined) return fault('reserved without a settlement model')
      return { outcome: 'RESERVED', settlementModelId, payerPosition }
    }
    case 'POSTED':
      return posted(wire, sent)
    case 'VOIDED': {
      const { voidReason: reason } = wire
      if (typeof reason !== 'string') return notUnderstood(`voided for ${String(reason)}`)
      const evidence = evidenceOf(wire.evidence, sent)
      if (evidence === 'unreadable') return notUnderstood('voided with unknown evidence')
      return { outcome: 'VOIDED', reason, evidence, payerPosition: positionOf(wire.payerPosition) }
    }
    case 'REFUSED': {
      const { refusal: reason } = wire
      if (typeof reason !== 'string') return notUnderstood(`refused for ${String(reason)}`)
      return { outcome: 'REFUSED', reason, payerPosition: positionOf(wire.payerPosition) }
    }
    case 'MISMATCH':
    case 'UNKNOWN':
      return { outcome: wire.outcome }
    case 'TOO_EARLY':
      return { outcome: 'TOO_EARLY', retry_ms: wire.retryMs ?? 0 }
    case 'FAULT':
      return fault('refused by its database')
    default:
      return notUnderstood(String(wire.outcome))
  }
}

function posted(wire: WireAnswer, sent: SentEvidence | undefined): LedgerAnswer {
  const evidence = evidenceOf(wire.evidence, sent)
  const { settles, settlementModelId } = wire
  if (evidence === 'unreadable') return notUnderstood('posted with unknown evidence')
  if (typeof settles !== 'string') return notUnderstood(`posted to settle ${String(settles)}`)
  if (evidence?.kind !== 'FULFIL') return fault('posted without a fulfilment')
  if (settlementModelId === undefined) return fault('posted without a settlement model')
  const positions = [wire.payerPosition, wire.payeePosition].map(positionOf)
  return {
    outcome: 'POSTED',
    evidence,
    settlementModelId,
    settles,
    windowId: wire.windowId,
    positions: positions.filter((position) => position !== undefined),
  }
}

function fault(detail: string): LedgerAnswer {
  return { outcome: 'FAULT', detail }
}

function notUnderstood(detail: string): LedgerAnswer {
  return { outcome: 'NOT_UNDERSTOOD', detail }
}

function evidenceOf(bytes: Buffer, sent: SentEvidence | undefined): ReadEvidence {
  return sent?.bytes.equals(bytes) === true ? sent.evidence : readEvidence(bytes)
}

function positionOf(wire: WirePosition | null): Position | undefined {
  if (wire === null) return undefined
  const { participantId, accountId, currency, value, reservedValue, changedAt } = wire
  const { limit, liquidity } = wire
  return { participantId, accountId, currency, value, reservedValue, limit, liquidity, changedAt }
}

const movementKinds: ReadonlySet<LedgerEntryKind> = new Set(['FUNDS_IN', 'FUNDS_OUT', 'SETTLEMENT'])

function movementOf(entry: LedgerEntry): LedgerMovement | undefined {
  const { kind, outcome, payerFsp, payeeFsp, completedAt } = entry
  if (!movementKinds.has(kind)) return undefined
  const participants = [payerFsp, payeeFsp].filter((name) => name !== undefined)
  return { outcome, participants, completedAt }
}
