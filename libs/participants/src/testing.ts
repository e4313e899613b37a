/**
 * A scheme for integration tests, created through the same service interfaces that an operator
 * uses.
 */
import type { GrpcHost } from '@causeway/grpc'
import { participantsService, settlementModelsService, type Refusal } from '@causeway/protos'

const currency = 'USD'
const createdBy = 'operator'

/** The hub's accounts and a deferred net model in USD; the id of the model. */
export async function openScheme(grpc: GrpcHost): Promise<number> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  for (const ledgerAccountType of ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']) {
    done(
      await participants.CreateHubAccount({ name: 'Hub', currency, ledgerAccountType, createdBy }),
    )
  }
  const models = grpc.client(settlementModelsService, 'settlements')
  const { model, ...rest } = await models.CreateSettlementModel({
    name: 'DEFERREDNET',
    granularity: 'NET',
    interchange: 'MULTILATERAL',
    delay: 'DEFERRED',
    currency,
    requireLiquidityCheck: true,
    ledgerAccountType: 'POSITION',
    autoPositionReset: true,
  })
  done(rest)
  return model?.id ?? 0
}

/** An active FSP with an address, a net debit cap of 10,000 USD and no funds. */
export async function addFsp(grpc: GrpcHost, name: string): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const limit = { type: 'NET_DEBIT_CAP', value: '10000' }
  done(await participants.CreateParticipant({ name, currency, createdBy }))
  done(await participants.SetInitialPositionAndLimits({ name, currency, limit }))
  const address = { type: 'FSPIOP_CALLBACK_URL', value: `https://${name}.example` }
  done(await participants.UpdateEndpoint({ name, ...address, createdBy }))
  done(await participants.UpdateParticipantState({ name, isActive: true }))
}

function done({ refusal }: { readonly refusal?: Pick<Refusal, 'detail'> | null }): void {
  if (refusal) throw new Error(refusal.detail)
}
