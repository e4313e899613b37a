/** Every operation of the administration API; each group has its own table in its own file. */
import { accountOperations } from './accounts.ts'
import { endpointOperations } from './endpoints.ts'
import { fundsOperations } from './funds.ts'
import { healthOperations } from './health.ts'
import { laterOperations } from './later.ts'
import { limitOperations } from './limits.ts'
import type { Operation } from './operation.ts'
import { participantOperations } from './participants.ts'
import { settlementModelOperations } from './settlement-models.ts'
import type { Deps } from './upstream.ts'
import { verificationOperations } from './verification/routes.ts'

/** Fixed paths stand before those with a variable in the same place: `/participants/limits` first. */
export function operations(deps: Deps): readonly Operation[] {
  return [
    ...limitOperations(deps),
    ...participantOperations(deps),
    ...endpointOperations(deps),
    ...accountOperations(deps),
    ...fundsOperations(deps),
    ...settlementModelOperations(deps),
    ...verificationOperations(deps),
    ...laterOperations(),
    ...healthOperations(deps),
  ]
}
