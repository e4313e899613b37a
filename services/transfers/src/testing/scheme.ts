/** A payer and a payee FSP with money and a settlement model, in the services that own these. */
import { randomUUID } from 'node:crypto'
import type { GrpcHost } from '@causeway/grpc'
import { addFsp, openScheme } from '@causeway/participants/testing'
import { ledgerService, participantsService } from '@causeway/protos'
import { payee, payer } from './messages.ts'

const currency = 'USD'

/** The id of the settlement model. */
export async function onboard(grpc: GrpcHost): Promise<number> {
  const modelId = await openScheme(grpc)
  for (const name of [payer, payee]) {
    await addFsp(grpc, name)
    await deposit(grpc, name, randomUUID())
  }
  return modelId
}

export async function deposit(grpc: GrpcHost, name: string, transferId: string): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const { balances } = await participants.RequestAccountsPositions({ name, currency })
  const account = balances?.accounts.find((one) => one.ledgerAccountType === 'SETTLEMENT')
  const { refusal } = await participants.ManageFundsCreditDebitPairInstruction({
    transferId,
    name,
    accountId: account?.id ?? 0,
    kind: 'DEPOSIT',
    amount: '10000',
    currency,
    externalReference: 'bank 1',
    explanation: 'liquidity',
  })
  if (refusal) throw new Error(refusal.detail)
}

/** What the ledger made of a transfer. */
export async function outcomeOf(grpc: GrpcHost, transferId: string): Promise<string | undefined> {
  const ledger = grpc.client(ledgerService, 'participant-lifecycle')
  const { entries } = await ledger.GetLedgerEntries({ ids: [transferId] })
  return entries[0]?.outcome
}
