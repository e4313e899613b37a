/** A payer and a payee FSP in the services that own participants and settlement models. */
import type { GrpcHost } from '@causeway/grpc'
import { addFsp, openScheme } from '@causeway/participants/testing'
import { participantsService } from '@causeway/protos'
import { payee, payer } from './messages.ts'

export async function onboard(grpc: GrpcHost): Promise<void> {
  await openScheme(grpc)
  for (const name of [payer, payee]) await addFsp(grpc, name)
}

export async function setActive(grpc: GrpcHost, name: string, isActive: boolean): Promise<void> {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  await participants.UpdateParticipantState({ name, isActive })
}
