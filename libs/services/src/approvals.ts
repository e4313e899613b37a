/** The kinds of changes that one person requests and another one decides. */
import type { ApprovalKind } from '@causeway/protos'
import type { ServiceName } from './descriptions.ts'

export interface ApprovalKindFacts {
  /** The service that makes the change. */
  readonly service: ServiceName
  /** The call of the one who decides, which names the privileges too. */
  readonly decide: `Approve${string}`
  /** The privilege of the maker; undefined: the request names it. */
  readonly privilege: string | undefined
}

const ofParticipants = <Decide extends ApprovalKindFacts['decide']>(
  decide: Decide,
  privilege: string,
) => ({ service: 'participant-lifecycle', decide, privilege }) as const

export const approvalKinds = {
  CreateParticipant: ofParticipants('ApproveParticipant', 'CREATE_PARTICIPANT'),
  ManageFunds: ofParticipants('ApproveManageFunds', 'CREATE_MANAGE_FUNDS'),
  ReserveLiquidityCover: ofParticipants(
    'ApproveLiquidityCoverReservation',
    'CREATE_RESERVE_LIQUIDITY_COVER',
  ),
  UpdateParticipantState: ofParticipants(
    'ApproveParticipantStateUpdate',
    'CREATE_UPDATE_PARTICIPANT_STATE',
  ),
  AddParticipantAccount: ofParticipants(
    'ApproveParticipantAccount',
    'CREATE_ADD_PARTICIPANT_ACCOUNT',
  ),
  UpdateAccountStatus: ofParticipants('ApproveAccountStatusUpdate', 'CREATE_UPDATE_ACCOUNT_STATUS'),
  UpdateAccountLimit: ofParticipants('ApproveAccountLimitUpdate', 'CREATE_UPDATE_ACCOUNT_LIMIT'),
  UpdateAccountThreshold: ofParticipants(
    'ApproveAccountThresholdUpdate',
    'CREATE_UPDATE_ACCOUNT_THRESHOLD',
  ),
  UpdateEndpoints: ofParticipants('ApproveEndpointsUpdate', 'CREATE_UPDATE_ENDPOINTS'),
  UpdateLiquidityCheck: ofParticipants(
    'ApproveLiquidityCheckUpdate',
    'CREATE_UPDATE_LIQUIDITY_CHECK',
  ),
  ConfigurationValues: {
    service: 'config',
    decide: 'ApproveConfigurationValues',
    privilege: 'CREATE_CONFIGURATION_VALUES',
  },
  SecretValues: {
    service: 'config',
    decide: 'ApproveSecretValues',
    privilege: 'CREATE_SECRET_VALUES',
  },
  SchemeRules: {
    service: 'quoting',
    decide: 'ApproveSchemeRules',
    privilege: 'MANAGE_SCHEME_RULES',
  },
  CryptoAdapter: {
    service: 'auth-service',
    decide: 'ApproveCryptoAdapter',
    privilege: 'RUN_CRYPTO_ADAPTER_SET',
  },
  MonthErasure: {
    service: 'auth-service',
    decide: 'ApproveErasure',
    privilege: 'CREATE_MONTH_ERASURE',
  },
  PersonErasure: {
    service: 'auth-service',
    decide: 'ApproveErasure',
    privilege: 'CREATE_PERSON_ERASURE',
  },
  Operation: { service: 'auth-service', decide: 'ApproveOperation', privilege: undefined },
} as const satisfies Readonly<Record<ApprovalKind, ApprovalKindFacts>>

export function isApprovalKind(name: string): name is ApprovalKind {
  return Object.hasOwn(approvalKinds, name)
}
