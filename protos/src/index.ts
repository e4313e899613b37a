/**
 * The gRPC contracts between the services, one .proto file per serving context. The TypeScript
 * types are generated from those files by the build and cannot drift from them.
 */
export { orNull } from './absent.ts'
export { callersOf } from './callers.ts'
export {
  accountLookupService,
  alarmsService,
  auditService,
  accountsService,
  authServiceParticipantStatesService,
  configurationChangesService,
  configurationsService,
  consentsService,
  credentialsService,
  fundsService,
  keysService,
  ledgerService,
  lifecycleService,
  liquidityService,
  notificationsParticipantStatesService,
  notificationsService,
  operatorsService,
  oraclesService,
  participantsService,
  participantViewsService,
  pingsService,
  quotesService,
  schedulerService,
  schemeRulesService,
  settlementModelsService,
  settlementReportsService,
  settlementsService,
  settlementWindowsService,
  settlementsParticipantStatesService,
  thirdPartyTransactionsService,
  transfersParticipantStatesService,
  transfersService,
} from './definitions.ts'
export { schemeRuleBounds, schemeRuleOf } from './scheme-rules.ts'
export type { Oracle__Output as Oracle } from './generated/causeway/account_lookup/v1/Oracle.ts'
export type { OwnerAnswer__Output as OwnerAnswer } from './generated/causeway/account_lookup/v1/OwnerAnswer.ts'
export type { AuditEntry__Output as AuditEntry } from './generated/causeway/audit/v1/AuditEntry.ts'
export type { AuditQuery__Output as AuditQuery } from './generated/causeway/audit/v1/AuditQuery.ts'
export type { ConfigurationSet__Output as ConfigurationSet } from './generated/causeway/config/v1/ConfigurationSet.ts'
export type { ConfigurationAnswer__Output as ConfigurationAnswer } from './generated/causeway/config/v1/ConfigurationAnswer.ts'
export type { RequestAnswer__Output as RequestAnswer } from './generated/causeway/config/v1/RequestAnswer.ts'
export type { NewValue__Output as NewConfigurationValue } from './generated/causeway/config/v1/NewValue.ts'
export type { Request__Output as ConfigurationChange } from './generated/causeway/config/v1/Request.ts'
export type { ChainPage__Output as ChainPage } from './generated/causeway/audit/v1/ChainPage.ts'
export type { AccessPolicy__Output as AccessPolicy } from './generated/causeway/auth_service/v1/AccessPolicy.ts'
export type { ConsentStep__Output as ConsentStep } from './generated/causeway/auth_service/v1/ConsentStep.ts'
export type { ConsentSummary__Output as ConsentSummary } from './generated/causeway/auth_service/v1/ConsentSummary.ts'
export type { CredentialState__Output as CredentialState } from './generated/causeway/auth_service/v1/CredentialState.ts'
export type { ThirdPartyRecord__Output as ThirdPartyRecord } from './generated/causeway/auth_service/v1/ThirdPartyRecord.ts'
export type { ThirdPartyStep__Output as ThirdPartyStep } from './generated/causeway/auth_service/v1/ThirdPartyStep.ts'
export type { ThirdPartySummary__Output as ThirdPartySummary } from './generated/causeway/auth_service/v1/ThirdPartySummary.ts'
export type { Operator__Output as Operator } from './generated/causeway/auth_service/v1/Operator.ts'
export type { ParticipantKey__Output as ParticipantKey } from './generated/causeway/auth_service/v1/ParticipantKey.ts'
export type { Ping__Output as Ping } from './generated/causeway/auth_service/v1/Ping.ts'
export type { DeliveriesQuery__Output as DeliveriesQuery } from './generated/causeway/notifications/v1/DeliveriesQuery.ts'
export type { Delivery__Output as Delivery } from './generated/causeway/notifications/v1/Delivery.ts'
export type { DeliveryAttempt__Output as DeliveryAttempt } from './generated/causeway/notifications/v1/DeliveryAttempt.ts'
export type { Privilege__Output as Privilege } from './generated/causeway/auth_service/v1/Privilege.ts'
export type { Role__Output as Role } from './generated/causeway/auth_service/v1/Role.ts'
export type { Session__Output as Session } from './generated/causeway/auth_service/v1/Session.ts'
export type { DeadLetter__Output as DeadLetter } from './generated/causeway/notifications/v1/DeadLetter.ts'
export type { Account__Output as Account } from './generated/causeway/participant_lifecycle/v1/Account.ts'
export type { AccountBalance__Output as AccountBalance } from './generated/causeway/participant_lifecycle/v1/AccountBalance.ts'
export type { Endpoint__Output as Endpoint } from './generated/causeway/participant_lifecycle/v1/Endpoint.ts'
export type { FulfilItem__Output as FulfilItem } from './generated/causeway/participant_lifecycle/v1/FulfilItem.ts'
export type { LedgerAnswer__Output as LedgerAnswer } from './generated/causeway/participant_lifecycle/v1/LedgerAnswer.ts'
export type { LedgerEntry__Output as LedgerEntry } from './generated/causeway/participant_lifecycle/v1/LedgerEntry.ts'
export type { LedgerRecord__Output as LedgerRecord } from './generated/causeway/participant_lifecycle/v1/LedgerRecord.ts'
export type { Limit__Output as Limit } from './generated/causeway/participant_lifecycle/v1/Limit.ts'
export type { Change__Output as Change } from './generated/causeway/participant_lifecycle/v1/Change.ts'
export type { ChangeRecord__Output as ChangeRecord } from './generated/causeway/participant_lifecycle/v1/ChangeRecord.ts'
export type { FundsMovement__Output as FundsMovement } from './generated/causeway/participant_lifecycle/v1/FundsMovement.ts'
export type { HistoryPage__Output as HistoryPage } from './generated/causeway/participant_lifecycle/v1/HistoryPage.ts'
export type { LiquidityPosition__Output as LiquidityPosition } from './generated/causeway/participant_lifecycle/v1/LiquidityPosition.ts'
export type { NewAccount__Output as NewAccount } from './generated/causeway/participant_lifecycle/v1/NewAccount.ts'
export type { Reservation__Output as Reservation } from './generated/causeway/participant_lifecycle/v1/Reservation.ts'
export type { ParticipantStateChange__Output as ParticipantStateChange } from './generated/causeway/participant_states/v1/ParticipantStateChange.ts'
export type { Participant__Output as Participant } from './generated/causeway/participant_lifecycle/v1/Participant.ts'
export type { Position__Output as Position } from './generated/causeway/participant_lifecycle/v1/Position.ts'
export type { PrepareItem__Output as PrepareItem } from './generated/causeway/participant_lifecycle/v1/PrepareItem.ts'
export type { Refusal__Output as Refusal } from './generated/causeway/refusal/v1/Refusal.ts'
export type { ReleaseItem__Output as ReleaseItem } from './generated/causeway/participant_lifecycle/v1/ReleaseItem.ts'
export type { SettlementEntry__Output as SettlementEntry } from './generated/causeway/participant_lifecycle/v1/SettlementEntry.ts'
export type { ActiveAlarm__Output as ActiveAlarm } from './generated/causeway/participant_lifecycle/v1/ActiveAlarm.ts'
export type { WindowNet__Output as WindowNet } from './generated/causeway/participant_lifecycle/v1/WindowNet.ts'
export type { WindowRotated__Output as WindowRotated } from './generated/causeway/participant_lifecycle/v1/WindowRotated.ts'
export type { BulkQuote__Output as BulkQuote } from './generated/causeway/quoting/v1/BulkQuote.ts'
export type { BulkQuoteItem__Output as BulkQuoteItem } from './generated/causeway/quoting/v1/BulkQuoteItem.ts'
export type { BulkQuoteRecord__Output as BulkQuoteRecord } from './generated/causeway/quoting/v1/BulkQuoteRecord.ts'
export type { RequestedQuote__Output as RequestedQuote } from './generated/causeway/quoting/v1/RequestedQuote.ts'
export type { QuoteRecord__Output as QuoteRecord } from './generated/causeway/quoting/v1/QuoteRecord.ts'
export type { SchemeRulesState__Output as SchemeRulesState } from './generated/causeway/quoting/v1/SchemeRulesState.ts'
export type { AccountFault__Output as AccountFault } from './generated/causeway/settlements/v1/AccountFault.ts'
export type { AccountUpdate__Output as AccountUpdate } from './generated/causeway/settlements/v1/AccountUpdate.ts'
export type { ContentNet__Output as ContentNet } from './generated/causeway/settlements/v1/ContentNet.ts'
export type { Settlement__Output as Settlement } from './generated/causeway/settlements/v1/Settlement.ts'
export type { SettlementAccount__Output as SettlementAccount } from './generated/causeway/settlements/v1/SettlementAccount.ts'
export type { Reminder__Output as ScheduledReminder } from './generated/causeway/scheduler/v1/Reminder.ts'
export type { ReminderAnswer__Output as ReminderAnswer } from './generated/causeway/scheduler/v1/ReminderAnswer.ts'
export type { ScheduleReminder__Output as ScheduleReminder } from './generated/causeway/scheduler/v1/ScheduleReminder.ts'
export type { SettlementModel__Output as SettlementModel } from './generated/causeway/settlements/v1/SettlementModel.ts'
export type { SettlementWindow__Output as SettlementWindow } from './generated/causeway/settlements/v1/SettlementWindow.ts'
export type { TransferRow__Output as TransferRow } from './generated/causeway/settlements/v1/TransferRow.ts'
export type { TransferRows__Output as TransferRows } from './generated/causeway/settlements/v1/TransferRows.ts'
export type { WindowContent__Output as WindowContent } from './generated/causeway/settlements/v1/WindowContent.ts'
export type { TransferRecord__Output as TransferRecord } from './generated/causeway/transfers/v1/TransferRecord.ts'
export type { BulkTransferItem__Output as BulkTransferItem } from './generated/causeway/transfers/v1/BulkTransferItem.ts'
export type { BulkTransferRecord__Output as BulkTransferRecord } from './generated/causeway/transfers/v1/BulkTransferRecord.ts'
export type { BulkTransferSummary__Output as BulkTransferSummary } from './generated/causeway/transfers/v1/BulkTransferSummary.ts'
export type { TransferSummary__Output as TransferSummary } from './generated/causeway/transfers/v1/TransferSummary.ts'
export type { TransferState__Output as TransferState } from './generated/causeway/transfers/v1/TransferState.ts'
