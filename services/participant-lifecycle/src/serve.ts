/** The services about participants. */
import type { LeaderForwarding } from '@causeway/ledger'
import {
  accountsService,
  approvalsService,
  certificationsService,
  participantsService,
  participantViewsService,
} from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import { serveCertifications } from './certifications/serve.ts'
import { serveChanges, type ChangesParts } from './changes/serve.ts'
import { serveAccounts } from './participants/accounts.ts'
import { serveParticipants } from './participants/serve.ts'
import { serveViews } from './participants/views.ts'

/**
 * Calls that change something run on the ledger's writer, whichever replica receives them; reports of
 * certifications are no business of the ledger.
 */
export function serveParticipantServices(
  { grpc, approvals }: Pick<ProcessParts, 'grpc' | 'approvals'>,
  forwarding: LeaderForwarding,
  parts: ChangesParts,
): void {
  const { database, rules } = parts
  const participants = serveParticipants(database, parts)
  const accounts = serveAccounts(database, parts)
  const changes = serveChanges(parts)
  grpc.serve(participantsService, forwarding.toLeader(participantsService, participants))
  grpc.serve(accountsService, forwarding.toLeader(accountsService, accounts))
  approvals.add('participant-lifecycle', forwarding.toLeader(approvalsService, changes))
  grpc.serve(participantViewsService, serveViews(database, rules.states))
  grpc.serve(certificationsService, serveCertifications(parts))
}
