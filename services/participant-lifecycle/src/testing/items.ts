/** Items for the ledger, and its answers as text. */
import { randomUUID } from 'node:crypto'
import type { FulfilItem, LedgerAnswer, PrepareItem, ReleaseItem } from '@causeway/protos'
import type { ParticipantLifecycleWorld } from './world.ts'

/** A prepare from greenbank to bluewallet, unless changed. */
export function prepareItem(changes: Partial<PrepareItem> = {}): PrepareItem {
  return {
    transferId: randomUUID(),
    payerFsp: 'greenbank',
    payeeFsp: 'bluewallet',
    amount: '1',
    currency: 'USD',
    expiresAt: inFuture(60_000),
    settlementModelId: 1,
    settles: 'NET',
    isBulkItem: false,
    ...changes,
  }
}

export function fulfilItem(transferId: string, changes: Partial<FulfilItem> = {}): FulfilItem {
  return { transferId, receivedAt: inFuture(0), evidence: Buffer.from('fulfilled'), ...changes }
}

export function releaseItem(transferId: string, changes: Partial<ReleaseItem> = {}): ReleaseItem {
  const evidence = Buffer.from('refused')
  return { transferId, expiresAt: inFuture(60_000), reason: 'REJECTED', evidence, ...changes }
}

export function inFuture(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

/** Tests must not fail because the machine is busy. */
export const patient = { deadline_ms: 20_000 }

export async function prepare(
  { ledger }: ParticipantLifecycleWorld,
  ...items: readonly PrepareItem[]
): Promise<readonly LedgerAnswer[]> {
  return (await ledger.ProcessTransferPrepare({ items: [...items] }, patient)).answers
}

export async function fulfil(
  { ledger }: ParticipantLifecycleWorld,
  ...items: readonly FulfilItem[]
): Promise<readonly LedgerAnswer[]> {
  return (await ledger.ProcessTransferFulfil({ items: [...items] }, patient)).answers
}

export async function release(
  { ledger }: ParticipantLifecycleWorld,
  ...items: readonly ReleaseItem[]
): Promise<readonly LedgerAnswer[]> {
  return (await ledger.ProcessTransferRelease({ items: [...items] }, patient)).answers
}

/** RESERVED, POSTED … or the reason, where there is one. */
export function wordsOf(answers: readonly LedgerAnswer[]): readonly string[] {
  return answers.map(({ outcome, refusal, voidReason }) =>
    [outcome, refusal ?? voidReason].filter((word) => word !== undefined).join(' '),
  )
}
