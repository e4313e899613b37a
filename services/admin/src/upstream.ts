/** The services that the administration API calls; it has no data of its own. */
import type { EventBus } from '@causeway/bus'
import type { Calls, GrpcHost } from '@causeway/grpc'
import { parseDecimal } from '@causeway/money'
import {
  alarmsService,
  approvalsService,
  auditQuarantineService,
  auditService,
  certificationsService,
  componentKeysService,
  configurationsService,
  consentsService,
  credentialsService,
  cryptographyService,
  dayReportsService,
  erasuresService,
  eventDeadLettersService,
  fidoService,
  fundsService,
  keyManagementService,
  keysService,
  ledgerService,
  liquidityService,
  logInsService,
  logStoreService,
  notificationsService,
  operatorsService,
  oraclesService,
  participantsService,
  personsService,
  pingsService,
  quotesService,
  schedulerService,
  schemeRulesService,
  secretsService,
  settlementModelsService,
  settlementReportsService,
  settlementsService,
  settlementWindowsService,
  thirdPartyTransactionsService,
  transfersService,
  type Participant,
  type Refusal,
} from '@causeway/protos'
import { callsOf, type approvalKinds } from '@causeway/services'
import { refused, type RefusedOperation } from './answer.ts'
import { isReason } from './contract.ts'
import type { AdminSettings } from './settings.ts'

type ApprovalOwner = (typeof approvalKinds)[keyof typeof approvalKinds]['service']

export interface Upstream {
  readonly participants: Calls<typeof participantsService>
  readonly ledger: Calls<typeof ledgerService>
  readonly funds: Calls<typeof fundsService>
  readonly liquidity: Calls<typeof liquidityService>
  readonly alarms: Calls<typeof alarmsService>
  readonly certifications: Calls<typeof certificationsService>
  readonly models: Calls<typeof settlementModelsService>
  readonly windows: Calls<typeof settlementWindowsService>
  readonly settlements: Calls<typeof settlementsService>
  readonly reports: Calls<typeof settlementReportsService>
  readonly dayReports: Calls<typeof dayReportsService>
  readonly rules: Calls<typeof schemeRulesService>
  readonly transfers: Calls<typeof transfersService>
  readonly quotes: Calls<typeof quotesService>
  readonly keys: Calls<typeof keysService>
  readonly componentKeys: Calls<typeof componentKeysService>
  readonly erasures: Calls<typeof erasuresService>
  readonly persons: Calls<typeof personsService>
  readonly credentials: Calls<typeof credentialsService>
  readonly cryptography: Calls<typeof cryptographyService>
  readonly keyManagement: Calls<typeof keyManagementService>
  readonly consents: Calls<typeof consentsService>
  readonly thirdParties: Calls<typeof thirdPartyTransactionsService>
  readonly pings: Calls<typeof pingsService>
  readonly notifications: Calls<typeof notificationsService>
  readonly oracles: Calls<typeof oraclesService>
  readonly operators: Calls<typeof operatorsService>
  readonly logIns: Calls<typeof logInsService>
  readonly fido: Calls<typeof fidoService>
  readonly scheduler: Calls<typeof schedulerService>
  readonly audit: Calls<typeof auditService>
  readonly logStore: Calls<typeof logStoreService>
  readonly quarantine: Calls<typeof auditQuarantineService>
  readonly configurations: Calls<typeof configurationsService>
  readonly secrets: Calls<typeof secretsService>
  /** Of each service with changes that two persons make, by its folder name. */
  readonly approvals: Readonly<Record<ApprovalOwner, Calls<typeof approvalsService>>>
  /** Of each service that consumes events, by its folder name. */
  readonly eventDeadLetters: Readonly<Record<string, Calls<typeof eventDeadLettersService>>>
}

/** The dependencies of every operation. */
export interface Deps extends Upstream {
  readonly settings: AdminSettings
  /** For the entries of the audit log that no service makes. */
  readonly publish: EventBus['publish']
  /** Whether each change needs a second person. */
  readonly fourEyes: boolean
}

export function connect(grpc: GrpcHost): Upstream {
  return {
    participants: grpc.client(participantsService, 'participant-lifecycle'),
    ledger: grpc.client(ledgerService, 'participant-lifecycle'),
    funds: grpc.client(fundsService, 'participant-lifecycle'),
    liquidity: grpc.client(liquidityService, 'participant-lifecycle'),
    alarms: grpc.client(alarmsService, 'participant-lifecycle'),
    certifications: grpc.client(certificationsService, 'participant-lifecycle'),
    models: grpc.client(settlementModelsService, 'settlements'),
    windows: grpc.client(settlementWindowsService, 'settlements'),
    settlements: grpc.client(settlementsService, 'settlements'),
    reports: grpc.client(settlementReportsService, 'settlements'),
    dayReports: grpc.client(dayReportsService, 'settlements'),
    rules: grpc.client(schemeRulesService, 'quoting'),
    transfers: grpc.client(transfersService, 'transfers'),
    quotes: grpc.client(quotesService, 'quoting'),
    keys: grpc.client(keysService, 'auth-service'),
    componentKeys: grpc.client(componentKeysService, 'auth-service'),
    erasures: grpc.client(erasuresService, 'auth-service'),
    persons: grpc.client(personsService, 'account-lookup'),
    credentials: grpc.client(credentialsService, 'auth-service'),
    cryptography: grpc.client(cryptographyService, 'auth-service'),
    keyManagement: grpc.client(keyManagementService, 'auth-service'),
    consents: grpc.client(consentsService, 'auth-service'),
    thirdParties: grpc.client(thirdPartyTransactionsService, 'auth-service'),
    pings: grpc.client(pingsService, 'auth-service'),
    notifications: grpc.client(notificationsService, 'notifications'),
    oracles: grpc.client(oraclesService, 'account-lookup'),
    operators: grpc.client(operatorsService, 'auth-service'),
    logIns: grpc.client(logInsService, 'auth-service'),
    fido: grpc.client(fidoService, 'auth-service'),
    scheduler: grpc.client(schedulerService, 'scheduler'),
    audit: grpc.client(auditService, 'audit'),
    logStore: grpc.client(logStoreService, 'audit'),
    quarantine: grpc.client(auditQuarantineService, 'audit'),
    configurations: grpc.client(configurationsService, 'config'),
    secrets: grpc.client(secretsService, 'config'),
    approvals: {
      'auth-service': grpc.client(approvalsService, 'auth-service'),
      config: grpc.client(approvalsService, 'config'),
      'participant-lifecycle': grpc.client(approvalsService, 'participant-lifecycle'),
      quoting: grpc.client(approvalsService, 'quoting'),
    },
    eventDeadLetters: Object.fromEntries(
      callsOf('admin').map((service) => [service, grpc.client(eventDeadLettersService, service)]),
    ),
  }
}

const soon = { deadline_ms: 1_000 }

/** The cheapest call of each service, to learn whether it answers. */
export const questions: Readonly<Record<string, (upstream: Upstream) => Promise<unknown>>> = {
  'participant-lifecycle': ({ participants }) =>
    participants.GetParticipantInfo({ names: [''] }, soon),
  settlements: ({ models }) => models.GetSettlementModels({ name: '-' }, soon),
  quoting: ({ rules }) => rules.GetSchemeRules({}, soon),
  transfers: ({ transfers }) => transfers.GetTransferStates({ ids: [] }, soon),
  'auth-service': ({ pings }) => pings.GetLastPings({ names: [] }, soon),
  'account-lookup': ({ oracles }) =>
    oracles.ListOracles({ oracleIdType: 'PERSONAL_ID', currency: 'XXX' }, soon),
  notifications: ({ notifications }) => notifications.ListDeadLetters({ limit: 0 }, soon),
  scheduler: ({ scheduler }) => scheduler.ListScheduleReminders({ owner: '-' }, soon),
  audit: ({ audit }) => audit.ListAuditEntries({ limit: 1 }, soon),
  config: ({ configurations }) => configurations.GetConfiguration({ boundedContextId: '-' }, soon),
}

/** For calls that move the money of a whole settlement, page by page, in the ledger's queue. */
export const longDeadline = { deadline_ms: 60_000 } as const

/** Another service's refusal; a reason that is not in the table is a bug. */
export function refusedUpstream({ reason, detail }: Refusal): RefusedOperation {
  if (!isReason(reason)) throw new Error(`another service refused for ${reason}: ${detail}`)
  return refused(reason, detail)
}

export function unknownParticipant(name: string): RefusedOperation {
  return refused('PARTICIPANT_UNKNOWN', `participant ${name}`)
}

/** The participant of that name, undefined when there is none. */
export async function findParticipant(
  deps: Pick<Upstream, 'participants'>,
  name: string,
): Promise<Participant | undefined> {
  const { participants } = await deps.participants.GetParticipantInfo({ names: [name] })
  return participants[0]
}

/** Amounts of other services are decimals, and balances may be negative. */
export function unitsOf(text: string): bigint {
  const units = parseDecimal(text)
  if (units === undefined) throw new Error(`another service answered the amount '${text}'`)
  return units
}
