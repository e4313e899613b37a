/** The services about participants. */
import type { GrpcHost } from '@causeway/grpc'
import type { LeaderForwarding } from '@causeway/ledger'
import {
  accountsService,
  certificationsService,
  lifecycleService,
  participantsService,
  participantViewsService,
} from '@causeway/protos'
import { serveCertifications } from './certifications/serve.ts'
import type { ChangesParts } from './changes/handle.ts'
import { serveLifecycle } from './changes/serve.ts'
import { serveAccounts } from './participants/accounts.ts'
import { serveParticipants } from './participants/serve.ts'
import { serveViews } from './participants/views.ts'

/**
 * Calls that change something run on the ledger's writer, whichever replica receives them; reports of
 * certifications are no business of the ledger.
 */
export function serveParticipantServices(
  grpc: Pick<GrpcHost, 'serve'>,
  forwarding: LeaderForwarding,
  parts: ChangesParts,
): void {
  const { database, rules } = parts
  const participants = serveParticipants(database, parts)
  const accounts = serveAccounts(database, parts)
  const lifecycle = serveLifecycle(parts)
  grpc.serve(participantsService, forwarding.toLeader(participantsService, participants))
  grpc.serve(accountsService, forwarding.toLeader(accountsService, accounts))
  grpc.serve(lifecycleService, forwarding.toLeader(lifecycleService, lifecycle))
  grpc.serve(participantViewsService, serveViews(database, rules.states))
  grpc.serve(certificationsService, serveCertifications(parts))
}
