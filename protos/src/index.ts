/**
 * The gRPC contracts between the services, one .proto file per serving context. The TypeScript
 * types are generated from those files by the build and cannot drift from them.
 */
import { loadPackageDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { fileURLToPath } from 'node:url'
import type { ProtoGrpcType as AccountLookupTypes } from './generated/account-lookup.ts'
import type { ProtoGrpcType as AuthServiceTypes } from './generated/auth-service.ts'
import type { ProtoGrpcType as NotificationsTypes } from './generated/notifications.ts'
import type { ProtoGrpcType as ParticipantLifecycleTypes } from './generated/participant-lifecycle.ts'
import type { ProtoGrpcType as QuotingTypes } from './generated/quoting.ts'
import type { ProtoGrpcType as SettlementsTypes } from './generated/settlements.ts'
import type { ProtoGrpcType as TransfersTypes } from './generated/transfers.ts'

export type { Oracle__Output as Oracle } from './generated/causeway/account_lookup/v1/Oracle.ts'
export type { OwnerAnswer__Output as OwnerAnswer } from './generated/causeway/account_lookup/v1/OwnerAnswer.ts'
export type { CredentialState__Output as CredentialState } from './generated/causeway/auth_service/v1/CredentialState.ts'
export type { ParticipantKey__Output as ParticipantKey } from './generated/causeway/auth_service/v1/ParticipantKey.ts'
export type { Ping__Output as Ping } from './generated/causeway/auth_service/v1/Ping.ts'
export type { DeadLetter__Output as DeadLetter } from './generated/causeway/notifications/v1/DeadLetter.ts'
export type { Account__Output as Account } from './generated/causeway/participant_lifecycle/v1/Account.ts'
export type { AccountBalance__Output as AccountBalance } from './generated/causeway/participant_lifecycle/v1/AccountBalance.ts'
export type { Endpoint__Output as Endpoint } from './generated/causeway/participant_lifecycle/v1/Endpoint.ts'
export type { FulfilItem__Output as FulfilItem } from './generated/causeway/participant_lifecycle/v1/FulfilItem.ts'
export type { LedgerAnswer__Output as LedgerAnswer } from './generated/causeway/participant_lifecycle/v1/LedgerAnswer.ts'
export type { LedgerEntry__Output as LedgerEntry } from './generated/causeway/participant_lifecycle/v1/LedgerEntry.ts'
export type { Limit__Output as Limit } from './generated/causeway/participant_lifecycle/v1/Limit.ts'
export type { Participant__Output as Participant } from './generated/causeway/participant_lifecycle/v1/Participant.ts'
export type { Position__Output as Position } from './generated/causeway/participant_lifecycle/v1/Position.ts'
export type { PrepareItem__Output as PrepareItem } from './generated/causeway/participant_lifecycle/v1/PrepareItem.ts'
export type { Refusal__Output as Refusal } from './generated/causeway/participant_lifecycle/v1/Refusal.ts'
export type { ReleaseItem__Output as ReleaseItem } from './generated/causeway/participant_lifecycle/v1/ReleaseItem.ts'
export type { WindowNet__Output as WindowNet } from './generated/causeway/participant_lifecycle/v1/WindowNet.ts'
export type { SchemeRulesState__Output as SchemeRulesState } from './generated/causeway/quoting/v1/SchemeRulesState.ts'
export type { SettlementModel__Output as SettlementModel } from './generated/causeway/settlements/v1/SettlementModel.ts'
export type { TransferState__Output as TransferState } from './generated/causeway/transfers/v1/TransferState.ts'

function load(file: string): unknown {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url))
  return loadPackageDefinition(
    loadSync(path, { longs: String, enums: String, defaults: true, oneofs: true }),
  )
}

const accountLookup = (load('account-lookup.proto') as AccountLookupTypes).causeway.account_lookup
  .v1
const authService = (load('auth-service.proto') as AuthServiceTypes).causeway.auth_service.v1
const lifecycle = (load('participant-lifecycle.proto') as ParticipantLifecycleTypes).causeway
  .participant_lifecycle.v1
const notifications = (load('notifications.proto') as NotificationsTypes).causeway.notifications.v1
const quoting = (load('quoting.proto') as QuotingTypes).causeway.quoting.v1
const settlements = (load('settlements.proto') as SettlementsTypes).causeway.settlements.v1
const transfers = (load('transfers.proto') as TransfersTypes).causeway.transfers.v1

export const accountLookupService = accountLookup.AccountLookup.service
export const oraclesService = accountLookup.Oracles.service
export const keysService = authService.Keys.service
export const credentialsService = authService.Credentials.service
export const pingsService = authService.Pings.service
export const ledgerService = lifecycle.Ledger.service
export const participantsService = lifecycle.Participants.service
export const notificationsService = notifications.Notifications.service
export const settlementModelsService = settlements.SettlementModels.service
export const transfersService = transfers.Transfers.service
export const schemeRulesService = quoting.SchemeRules.service
