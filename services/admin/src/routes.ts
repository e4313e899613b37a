/** Every operation of the administration API; each group has its own table in its own file. */
import {
  auditLogOperations,
  auditOperations,
  auditVerification,
  confidentialAuditOperations,
} from './access/audit.ts'
import { approvalOperations } from './approvals/routes.ts'
import { operationDecisions, withFourEyes } from './access/four-eyes.ts'
import { fidoOperations } from './access/fido.ts'
import { operatorKeyOperations, ownKeyOperations, withSignedApprovals } from './access/keys.ts'
import { authorizationOperations, keyLogInOperations, oidcOperations } from './access/log-ins.ts'
import { withOwnParticipants } from './access/onboarding.ts'
import {
  applicationOperations,
  operatorOperations,
  passwordOperations,
  roleOperations,
} from './access/operators.ts'
import {
  fourEyes,
  guarded,
  guardedConfiguration,
  named,
  needs,
  open,
  signedIn,
  type GuardedOperation,
} from './access/privileges.ts'
import { quarantineOperations } from './access/quarantine.ts'
import { ownSessionOperations, sessionOperations } from './access/session-lists.ts'
import { logInOperations, logOutOperations } from './access/sessions.ts'
import { accountTypeOperations } from './participants/account-types.ts'
import { accountOperations } from './participants/accounts.ts'
import { alarmOperations } from './alarms/routes.ts'
import { certificationOperations } from './certifications/routes.ts'
import { componentKeyOperations, componentKeyRegistration } from './component-keys/routes.ts'
import { configurationOperations } from './configuration/routes.ts'
import { secretOperations, secretValues } from './configuration/secrets.ts'
import { consentOperations } from './consents/routes.ts'
import { credentialOperations } from './credentials/routes.ts'
import { keyManagementOperations } from './cryptography/keys.ts'
import { cryptographyOperations } from './cryptography/operations.ts'
import { dayReportOperations } from './day-reports/routes.ts'
import { deadLetterOperations } from './dead-letters/routes.ts'
import { eventDeadLetterOperations } from './event-dead-letters/routes.ts'
import { endpointOperations } from './participants/endpoints.ts'
import { erasureRequests, erasureOperations } from './erasures/routes.ts'
import { fundsOperations } from './participants/funds.ts'
import { healthOperations } from './health.ts'
import { keyOperations } from './keys/routes.ts'
import { lifecycleOperations } from './lifecycle/routes.ts'
import { limitOperations } from './participants/limits.ts'
import { logReading, logState, logWriting } from './log/routes.ts'
import type { Operation } from './operation.ts'
import { oracleOperations } from './oracles/routes.ts'
import { documentOperations } from './openapi/routes.ts'
import { participantOperations } from './participants/participants.ts'
import { personalDataOperations } from './personal-data/routes.ts'
import { readinessOperations } from './readiness/routes.ts'
import { reminderOperations } from './reminders/routes.ts'
import { reportOperations } from './reports/routes.ts'
import { schemeRuleOperations } from './scheme-rules/routes.ts'
import { settlementOperations } from './settlement/settlements.ts'
import { windowOperations } from './settlement/windows.ts'
import { settlementModelOperations } from './settlement-models.ts'
import { bulkQuoteOperations } from './story/bulk-quotes.ts'
import { bulkTransferOperations } from './story/bulk-transfers.ts'
import { storyOperations } from './story/routes.ts'
import { thirdPartyOperations } from './story/third-party.ts'
import { transactionOperations } from './transactions.ts'
import type { Deps } from './upstream.ts'
import { verificationOperations } from './verification/routes.ts'

/**
 * Fixed paths come before those with a variable in the same position: `/participants/limits` first.
 */
export function operations(deps: Deps): readonly GuardedOperation[] {
  const direct: readonly GuardedOperation[] = withOwnParticipants(deps, [
    ...needs(
      open,
      documentOperations(deps, () => all),
    ),
    ...needs(open, logInOperations(deps)),
    ...needs(open, keyLogInOperations(deps)),
    ...needs(open, oidcOperations(deps)),
    ...needs(signedIn, logOutOperations(deps)),
    ...needs(signedIn, passwordOperations(deps)),
    ...needs(signedIn, ownSessionOperations(deps)),
    ...needs(signedIn, ownKeyOperations(deps)),
    ...needs(signedIn, authorizationOperations(deps)),
    ...needs('RUN_FIDO', fidoOperations(deps)),
    ...operators(deps),
    ...auditAndLog(deps),
    ...guarded('PARTICIPANTS', limitOperations(deps)),
    ...guarded('PARTICIPANTS', participantOperations(deps)),
    ...guarded('PARTICIPANTS', endpointOperations(deps)),
    ...guarded('PARTICIPANTS', accountOperations(deps)),
    ...guarded('PARTICIPANTS', accountTypeOperations()),
    ...guarded('PARTICIPANTS', alarmOperations(deps)),
    ...guarded('FUNDS', fundsOperations(deps)),
    ...fourEyes(lifecycleOperations(deps)),
    ...fourEyes(approvalOperations(deps)),
    // Public keys are public: anyone who verifies signatures reads them here.
    ...guarded('CREDENTIALS', keyOperations(deps), open),
    ...guarded('CREDENTIALS', credentialOperations(deps)),
    ...named(cryptographyOperations(deps)),
    ...named(keyManagementOperations(deps)),
    ...needs('REGISTER_COMPONENT_KEY', componentKeyRegistration(deps)),
    ...guarded('COMPONENT_KEYS', componentKeyOperations(deps)),
    ...guarded('PARTICIPANTS', readinessOperations(deps)),
    ...guarded('PARTICIPANTS', certificationOperations(deps)),
    ...guarded('SETTLEMENT_MODELS', settlementModelOperations(deps)),
    ...guarded('CONSENTS', consentOperations(deps)),
    ...guarded('TRANSFERS', storyOperations(deps)),
    ...guarded('TRANSFERS', thirdPartyOperations(deps)),
    ...guarded('TRANSFERS', transactionOperations(deps)),
    ...guarded('TRANSFERS', bulkTransferOperations(deps)),
    ...guarded('TRANSFERS', bulkQuoteOperations(deps)),
    ...needs('RUN_UNMASK_PERSONAL_DATA', personalDataOperations(deps)),
    ...guarded('ERASURES', erasureOperations(deps)),
    ...fourEyes(erasureRequests(deps)),
    ...guarded('SETTLEMENTS', withUnprefixedPaths(windowOperations(deps))),
    ...guarded('SETTLEMENTS', withUnprefixedPaths(settlementOperations(deps))),
    ...guarded('SETTLEMENTS', reportOperations(deps)),
    ...guarded('REPORTS', dayReportOperations(deps)),
    ...guarded('SCHEME_RULES', schemeRuleOperations(deps)),
    ...guardedConfiguration('ConfigurationValues', configurationOperations(deps)),
    // A signature of the owning component admits to its values.
    ...needs(open, secretValues(deps)),
    ...guardedConfiguration('SecretValues', secretOperations(deps)),
    ...guarded('ORACLES', oracleOperations(deps)),
    ...guarded('DELIVERIES', deadLetterOperations(deps)),
    ...guarded('DELIVERIES', eventDeadLetterOperations(deps)),
    ...guarded('REMINDERS', reminderOperations(deps), 'VIEW_DELIVERIES'),
    ...needs('RUN_VERIFY', verificationOperations(deps)),
    ...needs(open, healthOperations(deps)),
  ])
  const all: readonly GuardedOperation[] = withSignedApprovals(deps, [
    ...withFourEyes(deps, direct),
    ...decidesAccess(fourEyes(operationDecisions(deps, () => direct))),
  ])
  return all
}

function operators(deps: Deps): readonly GuardedOperation[] {
  return [
    ...guarded('OPERATORS', operatorOperations(deps)),
    ...guarded('OPERATORS', operatorKeyOperations(deps)),
    ...guarded('OPERATORS', sessionOperations(deps)),
    ...guarded('OPERATORS', applicationOperations(deps)),
    ...guarded('OPERATORS', roleOperations(deps)),
  ]
}

function auditAndLog(deps: Deps): readonly GuardedOperation[] {
  return [
    ...needs('VIEW_AUDIT', auditOperations(deps)),
    ...needs('VIEW_AUDIT', auditVerification(deps)),
    ...needs('VIEW_AUDIT_LOG_STATE', auditLogOperations(deps)),
    ...needs('RUN_AUDIT_CONFIDENTIAL', confidentialAuditOperations(deps)),
    ...guarded('AUDIT_QUARANTINE', quarantineOperations(deps)),
    ...needs('RUN_LOG_WRITE', logWriting(deps)),
    ...needs('VIEW_LOG_STATE', logState(deps)),
    ...needs('VIEW_LOG', logReading(deps)),
  ]
}

/** What is approved may be about operators and roles. */
function decidesAccess(operations: readonly GuardedOperation[]): readonly GuardedOperation[] {
  return operations.map((operation) => ({
    ...operation,
    changesAccess: operation.method !== 'GET',
  }))
}

const settlementPrefix = '/v2'

/** The settlement API has a prefix, and the same paths without it for existing scripts. */
function withUnprefixedPaths(operations: readonly Operation[]): readonly Operation[] {
  return [
    ...operations,
    ...operations.map((operation) => ({
      ...operation,
      path: operation.path.slice(settlementPrefix.length),
      about: { ...operation.about, about: `As ${operation.path}: ${operation.about.about}` },
    })),
  ]
}
