/**
 * Pending requests and decisions, with the names of the reference architecture: a list and a decision for
 * each kind of change, and one list of all.
 */
import type { Approval, ApprovalKind } from '@causeway/protos'
import { approvalKinds } from '@causeway/services'
import { z } from 'zod'
import { answered, page, type OperationResult } from '../answer.ts'
import type { Reason } from '../contract.ts'
import { cursor, goesOn, pageSize } from '../fields.ts'
import { reads, writes, type Operation } from '../operation.ts'
import type { Deps } from '../upstream.ts'
import { decideApproval, ofDecision, verdict } from './calls.ts'
import { requestBody, shownRequest } from './shown.ts'

const page_max = 1_000

interface Decision {
  /** Of one service. */
  readonly kinds: readonly [ApprovalKind, ...ApprovalKind[]]
  readonly pending: `GetPending${string}`
  /** What is decided, after "Approves or rejects". */
  readonly what: string
  readonly refuses: readonly Reason[]
}

const ofParticipant = ['PARTICIPANT_UNKNOWN'] as const
const ofAccount = [...ofParticipant, 'ACCOUNT_UNKNOWN'] as const
const ofOpening = [
  'HUB_ACCOUNTS_MISSING',
  'NO_SETTLEMENT_MODEL',
  'ACCOUNT_TYPE_WRONG',
  'ACCOUNT_EXISTS',
] as const

/** What the change itself may be refused for, at the request and at the decision. */
export const ofChange = {
  CreateParticipant: [...ofParticipant, 'NAME_RESERVED', 'PARTICIPANT_EXISTS', ...ofOpening],
  ManageFunds: [
    ...ofAccount,
    'PARTICIPANT_INACTIVE',
    'ACCOUNT_INACTIVE',
    'ACCOUNT_TYPE_WRONG',
    'CURRENCY_MISMATCH',
    'HUB_ACCOUNTS_MISSING',
    'COVER_SHORT',
  ],
  ReserveLiquidityCover: [...ofAccount, 'COVER_SHORT'],
  UpdateParticipantState: [...ofParticipant, 'HUB_UNCHANGEABLE', 'STATE_UNKNOWN', 'STATE_FINAL'],
  UpdateEndpoints: [...ofParticipant, 'ENDPOINT_UNREACHABLE'],
  AddParticipantAccount: [...ofParticipant, ...ofOpening],
  UpdateAccountStatus: ofAccount,
  UpdateAccountLimit: [...ofAccount, 'ACCOUNT_TYPE_WRONG', 'LIMIT_UNKNOWN'],
  UpdateAccountThreshold: [...ofAccount, 'LIMIT_UNKNOWN'],
  UpdateLiquidityCheck: ['MODEL_UNKNOWN'],
  ConfigurationValues: ['CONTEXT_UNKNOWN', 'STALE'],
  SecretValues: ['CONTEXT_UNKNOWN'],
  SchemeRules: ['STALE'],
  CryptoAdapter: ['ADAPTER_UNAVAILABLE'],
  MonthErasure: ['MONTH_UNKNOWN', 'MONTH_ERASED', 'MONTH_TOO_YOUNG'],
  PersonErasure: [],
  Operation: [],
} as const satisfies Readonly<Record<ApprovalKind, readonly Reason[]>>

function decisionOf(kind: ApprovalKind, pending: Decision['pending'], what: string): Decision {
  return { kinds: [kind], pending, what, refuses: ofChange[kind] }
}

/** Operations are decided in four-eyes.ts, since they run at once. */
const decisions: readonly Decision[] = [
  decisionOf(
    'CreateParticipant',
    'GetPendingParticipants',
    'a new participant with its accounts, limits and endpoints',
  ),
  decisionOf('ManageFunds', 'GetPendingManageFunds', 'funds in or funds out'),
  decisionOf(
    'ReserveLiquidityCover',
    'GetPendingLiquidityCoverReservations',
    'a part of the cover that payments may not use',
  ),
  decisionOf('UpdateParticipantState', 'GetPendingStateUpdates', 'another state of a participant'),
  decisionOf(
    'UpdateEndpoints',
    'GetPendingEndpointUpdates',
    'other endpoints, which must answer a test request',
  ),
  decisionOf('AddParticipantAccount', 'GetPendingParticipantsAccounts', 'a further account'),
  decisionOf(
    'UpdateAccountStatus',
    'GetPendingAccountsWithStatusUpdates',
    'activation or deactivation of an account',
  ),
  decisionOf(
    'UpdateAccountLimit',
    'GetPendingAccountsWithLimitUpdates',
    'another limit of an account',
  ),
  decisionOf(
    'UpdateAccountThreshold',
    'GetPendingAccountsWithThresholdUpdates',
    'another alarm threshold in percent',
  ),
  decisionOf(
    'UpdateLiquidityCheck',
    'GetPendingLiquidityCheckUpdates',
    'that payments under a settlement model with requireLiquidityCheck false need no cover, or need it again',
  ),
  decisionOf('ConfigurationValues', 'GetPendingConfigurationValues', 'other values of a component'),
  decisionOf('SecretValues', 'GetPendingSecretValues', 'other secrets of a component'),
  decisionOf('SchemeRules', 'GetPendingSchemeRules', 'other scheme rules'),
  decisionOf('CryptoAdapter', 'GetPendingCryptoAdapter', 'where new keys are made'),
  {
    kinds: ['MonthErasure', 'PersonErasure'],
    pending: 'GetPendingErasures',
    what: 'an erasure, which nothing brings back',
    refuses: ofChange.MonthErasure,
  },
]

const place = z.object({
  cursor: cursor.optional(),
  limit: pageSize(page_max).optional(),
})

const calls = [...new Set(Object.values(approvalKinds).map(({ decide }) => decide))]

const listedRequest = shownRequest.extend({
  /** The call that decides: 'ApproveManageFunds'. */
  decide: z.enum(calls),
})

export function approvalOperations(deps: Deps): readonly Operation[] {
  return [...decisions.flatMap((decision) => decisionOperations(deps, decision)), listOfAll(deps)]
}

function decisionOperations(
  deps: Deps,
  { kinds, pending, what, refuses }: Decision,
): readonly Operation[] {
  return [
    pendingOperation(deps, kinds, pending, what),
    writes(
      'POST',
      `/${approvalKinds[kinds[0]].decide}`,
      verdict,
      {
        about: `Approves or rejects ${what}; the maker may not`,
        answers: { 200: shownRequest },
        refuses: [...new Set([...ofDecision, ...refuses])],
      },
      async ({ body, actor }) => {
        const decided = await decideApproval(deps, kinds, body, actor)
        return decided.outcome === 'refused'
          ? decided
          : answered(200, requestBody(decided.approval))
      },
    ),
  ]
}

export function pendingOperation(
  deps: Deps,
  kinds: Decision['kinds'],
  name: Decision['pending'],
  what: string,
): Operation {
  return reads(
    `/${name}`,
    {
      about: `Pending requests: ${what}; newest first. ${goesOn}`,
      query: place,
      answers: { 200: z.array(shownRequest) },
    },
    async ({ query: { cursor: after, limit = page_max } }): Promise<OperationResult> => {
      const { service } = approvalKinds[kinds[0]]
      const found = await deps.approvals[service].ListApprovals({
        service,
        kinds: [...kinds],
        limit,
        ...(after === undefined ? {} : { cursor: after }),
      })
      return page(found.approvals.map(requestBody), found.cursor ?? '')
    },
  )
}

const services = [...new Set(Object.values(approvalKinds).map(({ service }) => service))]

function listOfAll(deps: Deps): Operation {
  return reads(
    '/GetPendingApprovals',
    {
      about:
        'All pending requests, oldest first, at most 1,000 of each service; and the services that did not answer',
      answers: {
        200: z.strictObject({ requests: z.array(listedRequest), missing: z.array(z.string()) }),
      },
    },
    async () => {
      const lists = await Promise.allSettled(services.map((service) => pendingOf(deps, service)))
      const found = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
      const [first] = lists.flatMap((list) =>
        list.status === 'rejected' ? [list.reason as Error] : [],
      )
      if (first !== undefined && lists.every(({ status }) => status === 'rejected')) throw first
      return answered(200, {
        requests: found.toSorted(byAge).map((approval) => ({
          ...requestBody(approval),
          decide: approvalKinds[approval.kind].decide,
        })),
        missing: services.filter((_, at) => lists[at]?.status === 'rejected'),
      })
    },
  )
}

async function pendingOf(
  deps: Deps,
  service: (typeof services)[number],
): Promise<readonly Approval[]> {
  const query = { service, kinds: [], limit: page_max }
  return (await deps.approvals[service].ListApprovals(query)).approvals
}

function byAge(one: Approval, other: Approval): number {
  return one.createdAt < other.createdAt ? -1 : 1
}
