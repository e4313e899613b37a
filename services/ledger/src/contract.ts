/** Domain → wire of what several methods of the ledger answer. */
import { formatAmount } from '@causeway/money'
import type {
  LedgerEntry,
  Position as PositionMessage,
  WindowNet as WindowNetMessage,
  WindowRotated,
} from '@causeway/protos'
import type { Position } from './domain/book.ts'
import type { Entry } from './domain/entry.ts'
import type { Rotated } from './settlement/rotate.ts'
import type { WindowNet } from './settlement/window-store.ts'

/** The value includes what is reserved. */
export function positionMessage(position: Position): PositionMessage {
  return {
    participantId: position.participant,
    accountId: position.accountId,
    currency: position.currency,
    value: formatAmount(position.value),
    reservedValue: formatAmount(position.reserved),
    limit: position.cap === null ? undefined : formatAmount(position.cap),
    liquidity: position.liquidity === null ? undefined : formatAmount(position.liquidity),
    changedAt: position.changedAt.toISOString(),
  }
}

export function entryMessage(entry: Entry): LedgerEntry {
  const { terms, settlement } = entry
  return {
    id: entry.id,
    kind: entry.kind,
    outcome: entry.outcome,
    reason: entry.reason ?? undefined,
    amount: terms === null ? undefined : formatAmount(terms.amount),
    currency: terms?.currency,
    payerFsp: terms?.payer,
    payeeFsp: terms?.payee,
    expiresAt: entry.expiresAt?.toISOString(),
    createdAt: entry.createdAt.toISOString(),
    completedAt: entry.completedAt?.toISOString(),
    evidence: entry.evidence,
    settlementModelId: settlement?.modelId,
    settles: settlement?.settles,
    windowId: entry.windowId ?? undefined,
  }
}

export function rotatedMessage(answer: Rotated): WindowRotated {
  const { outcome } = answer
  const rotated = rotatedIn(answer)
  return {
    outcome,
    nets: rotated?.nets.map(netMessage) ?? [],
    nextWindowId: rotated?.nextWindowId,
  }
}

function rotatedIn(answer: Rotated) {
  if (answer.outcome === 'EMPTY') return null
  return answer.outcome === 'ROTATED' ? answer : answer.rotated
}

function netMessage(net: WindowNet): WindowNetMessage {
  return {
    settlementModelId: net.modelId,
    accountId: net.accountId,
    participantId: net.participant,
    currency: net.currency,
    net: formatAmount(net.net),
    transfersCount: String(net.transfersCount),
    participantNumber: net.participantId,
  }
}
