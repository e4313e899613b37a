/** A payer and a payee FSP in the services that own participants and settlement models. */
import { participantsService, settlementModelsService } from '@causeway/protos'
import type { GrpcHost } from '@causeway/runtime'
import { payee, payer } from './messages.ts'

const currency = 'USD'
const createdBy = 'operator'

export async function onboard(grpc: GrpcHost): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  for (const ledgerAccountType of ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']) {
    await participants.CreateHubAccount({ name: 'Hub', currency, ledgerAccountType, createdBy })
  }
  const models = grpc.client(settlementModelsService, 'settlements')
  await models.CreateSettlementModel({
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
    const initial = { name, currency, limit, initialPosition: '' }
    await participants.SetInitialPositionAndLimits(initial)
    await setActive(grpc, name, true)
  }
}

export async function setActive(grpc: GrpcHost, name: string, isActive: boolean): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  await participants.UpdateParticipantState({ name, isActive })
}

/** The values of settings that nobody set. */
export function defaultsOf(
  definitions: Readonly<Record<string, { readonly default: unknown }>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, definition.default]),
  )
}
