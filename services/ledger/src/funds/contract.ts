/** Wire ↔ domain of funds. A value out of bounds is refused as INVALID with its name. */
import { refuse } from '@causeway/services'
import { isCorrelationId } from '@causeway/fspiop'
import { formatAmount, parseAmount } from '@causeway/money'
import type { FundsInstruction, FundsMovement } from '@causeway/protos'
import type { Deposit, EndWithdrawal, Withdraw } from '../domain/command.ts'
import { evidence_bytes_max, type Entry } from '../domain/entry.ts'
import { type RefusedChange } from '../domain/refusal.ts'
import { stateOf } from './domain/state.ts'

export type FundsMessage = Omit<FundsInstruction, 'kind' | 'actor'>

/**
 * Reference, reason and extensions are stored as evidence, so a repeat must contain the same
 * values.
 */
function fundsOf(message: FundsMessage) {
  const { transferId: id, explanation: reason, externalReference } = message
  const amount = parseAmount(message.amount)
  // It becomes the id of an entry, so it must never equal an id that the ledger generates.
  if (!isCorrelationId(id)) return refuse('INVALID', 'transferId is a UUID or a ULID')
  if (amount === undefined || amount === 0n) return refuse('INVALID', 'amount is above 0')
  const extensionList = message.extensionList?.toString()
  const evidence = Buffer.from(JSON.stringify({ externalReference, reason, extensionList }))
  if (evidence.length > evidence_bytes_max) {
    return refuse('INVALID', `reason and extensions have at most ${evidence_bytes_max} bytes`)
  }
  return {
    type: 'READ' as const,
    id,
    participant: message.name,
    accountId: message.accountId,
    amount,
    currency: message.currency,
    evidence,
  }
}

export function depositOf(message: FundsMessage): Deposit | RefusedChange {
  const funds = fundsOf(message)
  return funds.type === 'REFUSE' ? funds : { ...funds, type: 'DEPOSIT' }
}

export function withdrawalOf(
  message: FundsMessage,
  rules: Pick<Withdraw, 'protects' | 'isFinal' | 'validity_ms'>,
): Withdraw | RefusedChange {
  const funds = fundsOf(message)
  return funds.type === 'REFUSE' ? funds : { ...funds, ...rules, type: 'WITHDRAW' }
}

export function endOf(
  {
    transferId: id,
    name: participant,
    accountId,
  }: { readonly transferId: string; readonly name: string; readonly accountId: number },
  how: EndWithdrawal['how'],
): EndWithdrawal {
  return { type: 'END_WITHDRAWAL', id, participant, accountId, how }
}

export function movementMessage(entry: Entry): FundsMovement {
  const { terms, accounts, kind, reason } = entry
  if (terms === null) throw new Error(`the funds ${entry.id} lack their terms`)
  const parsed = evidenceOf(entry.evidence)
  const isIn = kind === 'FUNDS_IN'
  return {
    transferId: entry.id,
    name: terms.payer,
    accountId: (isIn ? accounts?.creditAccountId : accounts?.debitAccountId) ?? 0,
    direction: isIn ? 'IN' : 'OUT',
    amount: formatAmount(terms.amount),
    currency: terms.currency,
    state: stateOf(entry),
    stateReason: reason ?? undefined,
    externalReference: parsed('externalReference'),
    explanation: parsed('reason'),
    createdAt: entry.createdAt.toISOString(),
    expiresAt: entry.expiresAt?.toISOString(),
    completedAt: entry.completedAt?.toISOString(),
  }
}

/** Its texts by their names. */
function evidenceOf(evidence: Buffer): (name: string) => string | undefined {
  const parsed: unknown = evidence.length === 0 ? {} : JSON.parse(evidence.toString())
  return (name) => {
    const value: unknown =
      typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, name) : undefined
    return typeof value === 'string' ? value : undefined
  }
}
