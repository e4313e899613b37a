/** The scheme of the simulation, made over the interfaces of the services. */
import type { GrpcHost } from '@causeway/grpc'
import { addFsp, openScheme } from '@causeway/participants/testing'
import { participantsService } from '@causeway/protos'
import { settlementAccountOf, cover, instructionOf } from './funds.ts'
import { pisp } from './link-plan.ts'
import { callbackUrlOf, registrationOf } from './messages.ts'
import { fsps } from './plan.ts'
import { isAccepted, newSent } from './record.ts'
import type { Sender } from './sender.ts'

export async function onboard(grpc: GrpcHost): Promise<void> {
  await openScheme(grpc)
  for (const name of fsps) {
    await addFsp(grpc, name)
    await addEndpoint(grpc, name, callbackUrlOf(name))
    if (name !== 'poor') await deposit(grpc, name)
  }
  await addPisp(grpc)
}

/** It has no currency, no limit and no funds. */
async function addPisp(grpc: GrpcHost): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const pispToBe = { name: pisp, currency: '', type: 'PISP', createdBy: 'operator' }
  const created = await participants.CreateParticipant(pispToBe)
  if (created.refusal) throw new Error(created.refusal.detail)
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
  const { refusal } = await participants.UpdateEndpoint(endpoint)
  if (refusal) throw new Error(refusal.detail)
}

async function deposit(grpc: GrpcHost, name: string): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const account = await settlementAccountOf({ grpc }, name)
  const instruction = instructionOf(name, account?.id ?? 0, cover)
  const { refusal } = await participants.ManageFundsCreditDebitPairInstruction({
    ...instruction,
    kind: 'DEPOSIT',
  })
  if (refusal) throw new Error(refusal.detail)
}
