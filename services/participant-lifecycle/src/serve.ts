/** What operators and other services are served about participants, funds and cover. */
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
import type { PassingOn } from './ledger/pass-on.ts'
import { serveLiquidity } from './liquidity/serve.ts'
import { serveAccounts } from './participants/accounts.ts'
import { serveParticipants } from './participants/serve.ts'
import { serveViews } from './participants/views.ts'

/** What changes something is the ledger's writer's to do, wherever it is asked. */
export function serveLifecycles(
  grpc: Pick<GrpcHost, 'serve'>,
  passing: PassingOn,
  parts: ChangesParts,
): void {
  const { database, rules } = parts
  const participants = serveParticipants(database, parts)
  const funds = serveFunds(database, parts)
  const liquidity = serveLiquidity(database, parts)
  const accounts = serveAccounts(database, parts)
  const lifecycle = serveLifecycle(parts)
  grpc.serve(participantsService, passing.byWriter(participantsService, participants))
  grpc.serve(fundsService, passing.byWriter(fundsService, funds))
  grpc.serve(liquidityService, passing.byWriter(liquidityService, liquidity))
  grpc.serve(accountsService, passing.byWriter(accountsService, accounts))
  grpc.serve(lifecycleService, passing.byWriter(lifecycleService, lifecycle))
  grpc.serve(participantViewsService, serveViews(database, rules.states))
}
