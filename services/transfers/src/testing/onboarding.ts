/** A payer and a payee FSP with money and a settlement model, in the services that own these. */
import { ledgerService, participantsService, settlementModelsService } from '@causeway/protos'
import type { GrpcHost } from '@causeway/runtime'
import { randomUUID } from 'node:crypto'
import { payee, payer } from './messages.ts'

const currency = 'USD'
const createdBy = 'operator'

/** The id of the settlement model. */
export async function onboard(grpc: GrpcHost): Promise<number> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  for (const ledgerAccountType of ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']) {
    await participants.CreateHubAccount({ name: 'Hub', currency, ledgerAccountType, createdBy })
  }
  const models = grpc.client(settlementModelsService, 'settlements')
  const { model } = await models.CreateSettlementModel({
    id: 0,
    name: 'DEFERREDNET',
    isActive: true,
    granularity: 'NET',
    interchange: 'MULTILATERAL',
    delay: 'DEFERRED',
    currency,
    requireLiquidityCheck: true,
    ledgerAccountType: 'POSITION',
    settlementAccountType: '',
    autoPositionReset: true,
  })
  const limit = { type: 'NET_DEBIT_CAP', value: '10000', alarmPercentage: '' }
  for (const name of [payer, payee]) {
    await participants.CreateParticipant({ name, currency, createdBy })
    await participants.SetInitialPositionAndLimits({
      name,
      currency,
      limit,
      initialPosition: '',
    })
    await participants.UpdateParticipantState({ name, isActive: true })
    await deposit(grpc, name, randomUUID())
  }
  return model?.id ?? 0
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
    reason: 'liquidity',
    extensionList: Buffer.alloc(0),
  })
  if (refusal) throw new Error(refusal.detail)
}

/** What the ledger made of a transfer. */
export async function outcomeOf(grpc: GrpcHost, transferId: string): Promise<string | undefined> {
  const ledger = grpc.client(ledgerService, 'participant-lifecycle')
  const { entries } = await ledger.GetLedgerEntries({ ids: [transferId] })
  return entries[0]?.outcome
}

/** The values of settings that nobody set. */
export function defaultsOf(
  definitions: Readonly<Record<string, { readonly default: unknown }>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, definition.default]),
  )
}
