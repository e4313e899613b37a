/** Every operation of the administration API; each group has its own table in its own file. */
import { accountOperations } from './accounts.ts'
import { credentialOperations } from './credentials/routes.ts'
import { deadLetterOperations } from './dead-letters/routes.ts'
import { endpointOperations } from './endpoints.ts'
import { fundsOperations } from './funds.ts'
import { healthOperations } from './health.ts'
import { keyOperations } from './keys/routes.ts'
import { limitOperations } from './limits.ts'
import type { Operation } from './operation.ts'
import { oracleOperations } from './oracles/routes.ts'
import { documentOperations } from './openapi/routes.ts'
import { participantOperations } from './participants.ts'
import { readinessOperations } from './readiness/routes.ts'
import { reportOperations } from './reports/routes.ts'
import { schemeRuleOperations } from './scheme-rules/routes.ts'
import { settlementOperations } from './settlement/settlements.ts'
import { windowOperations } from './settlement/windows.ts'
import { settlementModelOperations } from './settlement-models.ts'
import { storyOperations } from './story/routes.ts'
import { transactionOperations } from './transactions.ts'
import type { Deps } from './upstream.ts'
import { verificationOperations } from './verification/routes.ts'

/** Fixed paths stand before those with a variable in the same place: `/participants/limits` first. */
export function operations(deps: Deps): readonly Operation[] {
  const all: readonly Operation[] = [
    ...documentOperations(deps, () => all),
    ...limitOperations(deps),
    ...participantOperations(deps),
    ...endpointOperations(deps),
    ...accountOperations(deps),
    ...fundsOperations(deps),
    ...keyOperations(deps),
    ...credentialOperations(deps),
    ...readinessOperations(deps),
    ...settlementModelOperations(deps),
    ...storyOperations(deps),
    ...transactionOperations(deps),
    ...windowOperations(deps),
    ...settlementOperations(deps),
    ...reportOperations(deps),
    ...schemeRuleOperations(deps),
    ...oracleOperations(deps),
    ...deadLetterOperations(deps),
    ...verificationOperations(deps),
    ...healthOperations(deps),
  ]
  return all
}
