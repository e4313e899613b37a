/** The services about participants, funds and cover. */
import {
  accountsService,
  fundsService,
  lifecycleService,
  liquidityService,
  participantsService,
  participantViewsService,
} from '@causeway/protos'
import type { GrpcHost } from '@causeway/runtime'
import type { ChangesParts } from './changes/handle.ts'
import { serveLifecycle } from './changes/serve.ts'
import { serveFunds } from './funds/serve.ts'
import type { LeaderForwarding } from './ledger/leader-forwarding.ts'
import { serveLiquidity } from './liquidity/serve.ts'
import { serveAccounts } from './participants/accounts.ts'
import { serveParticipants } from './participants/serve.ts'
import { serveViews } from './participants/views.ts'

/** Calls that change something run on the ledger's writer, whichever replica receives them. */
export function serveLifecycles(
  grpc: Pick<GrpcHost, 'serve'>,
  forwarding: LeaderForwarding,
  parts: ChangesParts,
): void {
  const { database, rules } = parts
  const participants = serveParticipants(database, parts)
  const funds = serveFunds(database, parts)
  const liquidity = serveLiquidity(database, parts)
  const accounts = serveAccounts(database, parts)
  const lifecycle = serveLifecycle(parts)
  grpc.serve(participantsService, forwarding.toLeader(participantsService, participants))
  grpc.serve(fundsService, forwarding.toLeader(fundsService, funds))
  grpc.serve(liquidityService, forwarding.toLeader(liquidityService, liquidity))
  grpc.serve(accountsService, forwarding.toLeader(accountsService, accounts))
  grpc.serve(lifecycleService, forwarding.toLeader(lifecycleService, lifecycle))
  grpc.serve(participantViewsService, serveViews(database, rules.states))
}
