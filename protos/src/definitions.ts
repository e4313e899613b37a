/** The gRPC services of the hub, read from the .proto files. */
import { loadPackageDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { fileURLToPath } from 'node:url'
import type { ProtoGrpcType as AccountLookupTypes } from './generated/account-lookup.ts'
import type { ProtoGrpcType as AuditTypes } from './generated/audit.ts'
import type { ProtoGrpcType as AuthServiceTypes } from './generated/auth-service.ts'
import type { ProtoGrpcType as ConfigTypes } from './generated/config.ts'
import type { ProtoGrpcType as NotificationsTypes } from './generated/notifications.ts'
import type { ProtoGrpcType as ParticipantLifecycleTypes } from './generated/participant-lifecycle.ts'
import type { ProtoGrpcType as ParticipantStatesTypes } from './generated/participant-states.ts'
import type { ProtoGrpcType as QuotingTypes } from './generated/quoting.ts'
import type { ProtoGrpcType as SchedulerTypes } from './generated/scheduler.ts'
import type { ProtoGrpcType as SettlementsTypes } from './generated/settlements.ts'
import type { ProtoGrpcType as TransfersTypes } from './generated/transfers.ts'

function load(file: string): unknown {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url))
  return loadPackageDefinition(
    loadSync(path, { longs: String, enums: String, defaults: true, oneofs: true }),
  )
}

const accountLookup = (load('account-lookup.proto') as AccountLookupTypes).causeway.account_lookup
  .v1
const audit = (load('audit.proto') as AuditTypes).causeway.audit.v1
const authService = (load('auth-service.proto') as AuthServiceTypes).causeway.auth_service.v1
const config = (load('config.proto') as ConfigTypes).causeway.config.v1
const lifecycle = (load('participant-lifecycle.proto') as ParticipantLifecycleTypes).causeway
  .participant_lifecycle.v1
const notifications = (load('notifications.proto') as NotificationsTypes).causeway.notifications.v1
const states = (load('participant-states.proto') as ParticipantStatesTypes).causeway
  .participant_states.v1
const quoting = (load('quoting.proto') as QuotingTypes).causeway.quoting.v1
const scheduler = (load('scheduler.proto') as SchedulerTypes).causeway.scheduler.v1
const settlements = (load('settlements.proto') as SettlementsTypes).causeway.settlements.v1
const transfers = (load('transfers.proto') as TransfersTypes).causeway.transfers.v1

export const accountLookupService = accountLookup.AccountLookup.service
export const oraclesService = accountLookup.Oracles.service
export const auditService = audit.Audit.service
export const configurationsService = config.Configurations.service
export const configurationChangesService = config.ConfigurationChanges.service
export const operatorsService = authService.Operators.service
export const keysService = authService.Keys.service
export const credentialsService = authService.Credentials.service
export const consentsService = authService.Consents.service
export const thirdPartyTransactionsService = authService.ThirdPartyTransactions.service
export const pingsService = authService.Pings.service
export const ledgerService = lifecycle.Ledger.service
export const alarmsService = lifecycle.Alarms.service
export const participantsService = lifecycle.Participants.service
export const fundsService = lifecycle.Funds.service
export const liquidityService = lifecycle.Liquidity.service
export const accountsService = lifecycle.Accounts.service
export const participantViewsService = lifecycle.ParticipantViews.service
export const lifecycleService = lifecycle.Lifecycle.service
export const transfersParticipantStatesService = states.TransfersParticipantStates.service
export const settlementsParticipantStatesService = states.SettlementsParticipantStates.service
export const notificationsParticipantStatesService = states.NotificationsParticipantStates.service
export const authServiceParticipantStatesService = states.AuthServiceParticipantStates.service
export const notificationsService = notifications.Notifications.service
export const settlementModelsService = settlements.SettlementModels.service
export const settlementWindowsService = settlements.SettlementWindows.service
export const settlementsService = settlements.Settlements.service
export const settlementReportsService = settlements.SettlementReports.service
export const transfersService = transfers.Transfers.service
export const quotesService = quoting.Quotes.service
export const schedulerService = scheduler.Scheduler.service
export const schemeRulesService = quoting.SchemeRules.service
