/**
 * Who may call what: each method names the services whose code calls it, or for which the reference
 * architecture has it; no other caller is admitted. A method or a service that is forgotten here does
 * not compile.
 */
import { grpcServices } from '@causeway/protos'
import { serviceNames, type ServiceName } from './descriptions.ts'

type GrpcServices = typeof grpcServices

/** The index signature that every generated definition has is no method. */
export type MethodOf<Definition> = keyof {
  readonly [
    Name in keyof Definition as string extends Name ? never : number extends Name ? never : Name
  ]: unknown
}

type Callers = {
  readonly [Service in keyof GrpcServices]: {
    readonly [Method in MethodOf<GrpcServices[Service]>]: readonly ServiceName[]
  }
}

/** Replicas pass on to the one that writes what reaches another one. */
const self = 'participant-lifecycle'
const operator = ['admin'] as const
/** Services with settings that change at run time. */
const configured = [
  'fspiop-api',
  'notifications',
  'participant-lifecycle',
  'quoting',
  'transfers',
] as const

const callers: Callers = {
  accountLookupService: { FindOwners: ['fspiop-api', 'quoting'] },
  personsService: { ErasePerson: operator },
  oraclesService: {
    ListOracles: operator,
    CreateOracle: operator,
    UpdateOracle: operator,
    RemoveOracle: operator,
  },
  auditService: {
    ListAuditEntries: operator,
    ReadConfidentialEntries: operator,
    DescribeAuditLog: operator,
    VerifyAuditChain: operator,
  },
  auditQuarantineService: {
    ListQuarantinedEntries: operator,
    DecideQuarantinedEntry: operator,
  },
  logStoreService: {
    WriteLog: operator,
    ReadLog: operator,
    DescribeLog: operator,
  },
  approvalsService: {
    // Replicas of participant-lifecycle pass on what another one decides.
    RequestApproval: ['admin', self],
    DecideApproval: ['admin', self],
    ListApprovals: operator,
  },
  configurationsService: {
    RegisterConfigurationSchema: ['admin', ...configured],
    ListConfigurations: operator,
    GetConfiguration: ['admin', ...configured],
  },
  secretsService: {
    RegisterSecrets: ['admin', ...configured],
    ListSecrets: operator,
    GetSecrets: ['admin', ...configured],
    ReadSecretValues: ['admin', ...configured],
  },
  operatorsService: {
    CheckApprover: ['config', 'participant-lifecycle', 'quoting'],
    NoteOperationOutcome: operator,
    GetOperationOutcome: operator,
    LogIn: operator,
    RefreshSession: operator,
    LogOut: operator,
    CheckToken: operator,
    GetAccessPolicy: operator,
    RegisterPrivileges: operator,
    ListPrivileges: operator,
    ListRoles: operator,
    SetRole: operator,
    ListOperators: operator,
    CreateOperator: operator,
    UpdateOperator: operator,
    ResetOperatorSecret: operator,
    ChangePassword: operator,
    ListSessions: operator,
    EndSessions: operator,
    CheckActor: [
      'account-lookup',
      'audit',
      'config',
      'fspiop-api',
      'notifications',
      'participant-lifecycle',
      'quoting',
      'scheduler',
      'settlements',
      'transfers',
    ],
  },
  fidoService: {
    CreateFidoChallenge: operator,
    RegisterFidoCredential: operator,
    VerifyFidoAssertion: operator,
  },
  logInsService: {
    DescribeLogIns: operator,
    BeginOidc: operator,
    EndOidc: operator,
    CreateNonce: operator,
    LogInWithCertificate: operator,
    BeginKeyLogIn: operator,
    BeginKeyRegistration: operator,
    RegisterKey: operator,
    BeginAuthorization: operator,
    AuthorizeWithKey: operator,
    UseAuthorization: operator,
    ListKeys: operator,
    RemoveKeys: operator,
  },
  keysService: {
    AddParticipantKey: operator,
    GetParticipantKeys: ['admin', 'fspiop-api'],
    EndParticipantKey: operator,
  },
  monthKeysService: {
    GetMonthKeys: ['notifications', 'quoting', 'transfers'],
  },
  erasuresService: {
    ListMonths: operator,
    ListErasures: operator,
    ReportErasure: operator,
    RecordDisclosure: operator,
  },
  componentKeysService: {
    RegisterComponentKey: serviceNames,
    GetComponentKeys: ['admin', 'audit', 'config'],
    RevokeComponentKey: operator,
  },
  credentialsService: {
    CreateClientSecret: operator,
    EndClientSecrets: operator,
    IssueToken: ['fspiop-api'],
    GetTokenKeys: ['fspiop-api'],
    IssueCertificate: operator,
    RegisterCertificate: operator,
    RevokeCertificate: operator,
    GetCertificates: ['admin', 'fspiop-api'],
    GetCredentialStates: operator,
  },
  cryptographyService: {
    GenerateHash: operator,
    GenerateSignature: operator,
    VerifySignature: operator,
    Encrypt: operator,
    Decrypt: operator,
    TranslatePin: operator,
    GenerateRandomNumber: operator,
  },
  keyManagementService: {
    DefineKey: operator,
    GenerateAesKey: operator,
    GenerateEccKey: operator,
    GeneratePem: operator,
    LoadKey: operator,
    UnlockPinTranslation: operator,
    ListKeys: operator,
    SetListenerCertificate: operator,
    GetListenerCertificates: ['fspiop-api'],
  },
  consentsService: {
    SearchConsents: operator,
    GetConsentRecord: operator,
    EraseConsent: operator,
    ErasePerson: operator,
    VerifyConsents: operator,
  },
  thirdPartyTransactionsService: {
    SearchThirdPartyTransactions: ['admin', 'settlements'],
    FindThirdPartyTransactions: ['settlements'],
    GetThirdPartyTransaction: operator,
    VerifyThirdPartyTransactions: operator,
  },
  pingsService: { GetLastPings: operator },
  ledgerService: {
    ProcessTransferPrepare: ['transfers', self],
    ProcessTransferFulfil: ['transfers', self],
    ProcessTransferRelease: ['transfers', self],
    GetLedgerEntries: ['admin', 'settlements', 'transfers', self],
    ListTransferEntries: operator,
    GetWholeEntries: operator,
    ListSettlementEntries: ['settlements'],
    GetCurrentWindow: ['settlements'],
    ListOverdueReservations: ['transfers'],
    RotateSettlementWindow: ['settlements', self],
    ListWindowFees: ['settlements'],
    PostSettlementEntries: ['settlements', self],
    SetInterchangeFee: ['settlements', self],
    SetModelRule: ['settlements', self],
    ListModelRules: operator,
    GetLedgerRecord: operator,
    VerifyLedger: operator,
  },
  alarmsService: {
    LiquidityThresholdExceeded: ['transfers', self],
    ListActiveAlarms: operator,
  },
  fundsService: {
    RecordFundsOutPrepareReserve: ['admin', self],
    RecordFundsOutCommit: ['admin', self],
    RecordFundsOutAbort: ['admin', self],
    ListFundsMovements: operator,
  },
  liquidityService: {
    GetCurrentLiquidityPosition: operator,
    RecordLiquidityReservationEntries: [self],
    RequestAccountPositionHistory: ['admin', 'settlements'],
    RequestReservationAccounts: operator,
  },
  participantsService: {
    GetParticipantInfo: [
      'account-lookup',
      'admin',
      'auth-service',
      'fspiop-api',
      'notifications',
      'quoting',
      'settlements',
    ],
    CreateParticipant: ['admin', self],
    UpdateParticipantState: ['admin', self],
    CreateHubAccount: ['admin', self],
    AddModelAccounts: ['settlements', self],
    SetInitialPositionAndLimits: ['admin', self],
    UpdateParticipantAccountLimit: ['admin', self],
    UpdateAccountStatus: ['admin', self],
    UpdateEndpoint: ['admin', self],
    RequestAccountsPositions: operator,
    ManageFundsCreditDebitPairInstruction: ['admin', self],
  },
  accountsService: {
    CreateParticipantAccountsWithLimits: [self],
    CreateParticipantAccountWithLimits: [self],
    EnabledParticipantAccount: [self],
    DisabledParticipantAccount: [self],
    UpdateParticipantAccountThreshold: [self],
  },
  participantViewsService: {
    GetParticipantsTransfersData: ['transfers'],
    GetParticipantCallbackInfo: ['fspiop-api'],
    GetParticipantQuoteData: ['quoting'],
  },
  certificationsService: {
    StoreCertification: operator,
    ListCertifications: operator,
    GetCertification: operator,
  },
  transfersParticipantStatesService: { ParticipantStateUpdated: [self] },
  settlementsParticipantStatesService: { ParticipantStateUpdated: [self] },
  notificationsParticipantStatesService: { ParticipantStateUpdated: [self] },
  authServiceParticipantStatesService: { ParticipantStateUpdated: [self] },
  eventDeadLettersService: {
    ListEventDeadLetters: operator,
    ReplayEventDeadLetter: operator,
    DiscardEventDeadLetter: operator,
  },
  requestKeysService: { GetRequestKey: ['fspiop-api', 'transfers'] },
  idempotencyKeysService: { GetIdempotencyContents: ['fspiop-api'] },
  notificationsService: {
    ListDeadLetters: operator,
    ResendDeadLetters: operator,
    GetDeliveries: operator,
    GetUnreachable: operator,
    ErasePerson: operator,
  },
  settlementModelsService: {
    GetSettlementModels: ['admin', 'participant-lifecycle'],
    CreateSettlementModel: operator,
    UpdateSettlementModel: operator,
  },
  settlementWindowsService: {
    ListSettlementWindows: operator,
    GetSettlementWindow: operator,
    CloseSettlementWindow: operator,
  },
  settlementsService: {
    CreateSettlement: operator,
    ListSettlements: operator,
    GetSettlement: operator,
    UpdateSettlementAccounts: operator,
    AbortSettlement: operator,
  },
  settlementReportsService: {
    ListSettlementTransfers: operator,
    ListReconciliation: ['admin', 'fspiop-api'],
    GetLinesOutsideWindows: operator,
    VerifySettlements: operator,
  },
  dayReportsService: {
    ListDayReports: ['admin', 'fspiop-api'],
    GetDayReport: ['admin', 'fspiop-api'],
    MakeDayReport: operator,
    ListRequestedReports: operator,
    GetReportDelivery: operator,
    SetReportDelivery: operator,
  },
  bulkTransfersService: {
    AwaitBulkAnswer: ['fspiop-api'],
    GetBulkProgress: ['fspiop-api'],
  },
  transfersService: {
    GetTransferStates: ['admin', 'settlements'],
    ListTransferStates: operator,
    GetTransferPacket: operator,
    GetTransferRecord: operator,
    SearchTransfers: operator,
    FindTransfersOfCondition: operator,
    GetTransferActivity: operator,
    GetBulkTransferRecord: operator,
    SearchBulkTransfers: operator,
    VerifyBulkTransfers: operator,
    ErasePerson: operator,
  },
  quotesService: {
    GetQuoteRecord: operator,
    GetBulkQuotes: ['transfers', 'admin'],
    GetBulkQuoteRecord: operator,
    SearchBulkQuotes: operator,
    ErasePerson: operator,
    FindRequestedQuotes: ['admin', 'settlements'],
  },
  schedulerService: {
    CreateScheduleReminder: ['admin', 'audit', 'auth-service', 'settlements'],
    DeleteScheduleReminder: ['audit', 'auth-service', 'settlements'],
    ListScheduleReminders: ['admin', 'auth-service', 'settlements'],
    RemoveReminder: operator,
    RetryReminder: operator,
  },
  schemeRulesService: {
    GetSchemeRules: operator,
    SetSchemeRules: operator,
  },
}

const byPath = new Map(
  Object.entries(grpcServices).flatMap(([service, definition]) =>
    Object.entries(definition).map(([method, { path }]) => [
      path,
      (callers[service as keyof Callers] as Readonly<Record<string, readonly ServiceName[]>>)[
        method
      ] ?? [],
    ]),
  ),
)

/**
 * The services that may call a method; an unknown method has no callers.
 * @param path `/causeway.transfers.v1.Transfers/GetTransferStates`
 */
export function callersOf(path: string): readonly ServiceName[] {
  return byPath.get(path) ?? []
}
