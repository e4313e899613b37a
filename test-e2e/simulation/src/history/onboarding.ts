/** The scheme of the simulation, made over the interfaces of the services. */
import type { GrpcHost } from '@causeway/grpc'
import { addFsp, openScheme } from '@causeway/participants/testing'
import { participantsService, settlementModelsService, type Refusal } from '@causeway/protos'
import { currencies, modelsToCreate, type Currency } from './plan/currencies.ts'
import { settlementAccountOf, cover, instructionOf } from './funds.ts'
import { pisp } from './plan/link-plan.ts'
import { callbackUrlOf, registrationOf } from './messages.ts'
import { fsps } from './plan/plan.ts'
import { isAccepted, newSent } from './record.ts'
import type { Sender } from './sender.ts'

export async function onboard(grpc: GrpcHost): Promise<void> {
  await openScheme(grpc)
  for (const name of fsps) {
    await addFsp(grpc, name)
    await addEndpoint(grpc, name, callbackUrlOf(name))
  }
  for (const currency of currencies) {
    if (currency !== 'USD') await openCurrency(grpc, currency)
    for (const name of fsps) {
      if (currency !== 'USD') await addCurrency(grpc, name, currency)
      if (name !== 'poor') await deposit(grpc, name, currency)
    }
  }
  await addPisp(grpc)
}

/** The hub's accounts and the models of a currency. */
async function openCurrency(grpc: GrpcHost, currency: Currency): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  for (const ledgerAccountType of ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']) {
    const account = { name: 'Hub', currency, ledgerAccountType, createdBy: 'operator' }
    done(await participants.CreateHubAccount(account))
  }
  const models = grpc.client(settlementModelsService, 'settlements')
  const common = {
    interchange: 'BILATERAL',
    autoPositionReset: true,
  } as const
  for (const model of modelsToCreate) {
    if (model.currency === currency) {
      done(await models.CreateSettlementModel({ ...common, ...model }))
    }
  }
}

/** One more currency of an FSP, as `addFsp` gives it the first one. */
async function addCurrency(grpc: GrpcHost, name: string, currency: Currency): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const limit = { type: 'NET_DEBIT_CAP', value: '10000' }
  done(await participants.CreateParticipant({ name, currency, createdBy: 'operator' }))
  done(await participants.SetInitialPositionAndLimits({ name, currency, limit }))
}

function done({ refusal }: { readonly refusal?: Pick<Refusal, 'detail'> | null }): void {
  if (refusal) throw new Error(refusal.detail)
}

/** It has no currency, no limit and no funds. */
async function addPisp(grpc: GrpcHost): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const pispToBe = { name: pisp, type: 'PISP' as const, createdBy: 'operator' }
  done(await participants.CreateParticipant(pispToBe))
  await addEndpoint(grpc, pisp, callbackUrlOf(pisp))
  await participants.UpdateParticipantState({ name: pisp, isActive: true, actor: 'operator' })
}

/** Each FSP registers its party, as it would any other. */
export async function register(sender: Sender): Promise<void> {
  for (const name of fsps) {
    const sent = newSent()
    await sender.send(sent, () => registrationOf(name))
    if (!isAccepted(sent)) throw new Error(`${name} could not register: ${sent.status}`)
  }
}

async function addEndpoint(grpc: GrpcHost, name: string, value: string): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const endpoint = { name, type: 'FSPIOP_CALLBACK_URL', value, createdBy: 'operator' }
  done(await participants.UpdateEndpoint(endpoint))
}

async function deposit(grpc: GrpcHost, name: string, currency: Currency): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const account = await settlementAccountOf({ grpc }, name, currency)
  const instruction = instructionOf(name, account?.id ?? 0, cover, currency)
  done(
    await participants.ManageFundsCreditDebitPairInstruction({ ...instruction, kind: 'DEPOSIT' }),
  )
}
