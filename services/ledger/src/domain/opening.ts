/** An initial position: one posted movement between a position and the hub's opening balance. */
import { hubId, mismatch, type Book, type Decision } from './decision.ts'
import type { Opening } from './command.ts'
import { noEvidence } from './entry.ts'

/** A position above zero is a debit of the participant's account. Both accounts must exist. */
export function openPosition(
  book: Book,
  { id, participant, position, currency }: Opening,
): Decision {
  const stored = book.entry(id)
  if (stored !== undefined) {
    return stored.kind === 'OPENING' ? { type: 'EXISTS', entry: stored } : mismatch
  }
  const party = book.party(participant)
  const account = party && book.accountOf(party.id, 'POSITION', currency)
  const contra = book.accountOf(hubId, 'HUB_OPENING_BALANCE', currency)
  if (party === undefined || account === undefined || contra === undefined) {
    throw new Error(`${participant} has no account in ${currency} to open a position on`)
  }
  const amount = position < 0n ? -position : position
  const accounts =
    position < 0n
      ? { debitAccountId: contra.id, creditAccountId: account.id }
      : { debitAccountId: account.id, creditAccountId: contra.id }
  return {
    type: 'STORE',
    entry: {
      id,
      kind: 'OPENING',
      outcome: 'POSTED',
      reason: null,
      terms: { payer: participant, payee: participant, amount, currency },
      parties: { payerId: party.id, payeeId: party.id },
      accounts,
      expiresAt: null,
      settlement: null,
      fee: null,
      windowId: null,
      facts: null,
      evidence: noEvidence,
      createdAt: book.now,
      completedAt: book.now,
    },
    movements: [{ step: 'MOVE', ...accounts, amount }],
  }
}
