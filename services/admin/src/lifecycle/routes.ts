/**
 * Four-eyes changes, with the names of the reference architecture: a maker requests, the pending
 * list shows the request, another person approves or rejects. participant-lifecycle makes all
 * decisions.
 */
import { randomUUID } from 'node:crypto'
import type { Change } from '@causeway/protos'
import { z } from 'zod'
import { answered, page, type Answer } from '../answer.ts'
import type { Reason } from '../contract.ts'
import { cursor, goesOn, pageSize } from '../fields.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import {
  addParticipantAccount,
  changes,
  createParticipant,
  manageFunds,
  reserveLiquidityCover,
  updateAccountLimit,
  updateAccountStatus,
  updateAccountThreshold,
  updateEndpoints,
  updateParticipantState,
  verdict,
} from './bodies.ts'
import { liquidityReads } from './reads.ts'
import { requestBody, shownRequest } from './shown.ts'

/** A new endpoint is tested before it is approved, and the ledger may be busy. */
const deadline_ms = 10_000
const page_max = 1_000

const ofParticipant = ['PARTICIPANT_UNKNOWN', 'REQUEST_PENDING', 'MODIFIED', 'INVALID'] as const
const ofAccount = [...ofParticipant, 'ACCOUNT_UNKNOWN'] as const
const ofFunds = [
  ...ofAccount,
  'PARTICIPANT_INACTIVE',
  'ACCOUNT_INACTIVE',
  'ACCOUNT_TYPE_WRONG',
  'CURRENCY_MISMATCH',
  'HUB_ACCOUNTS_MISSING',
  'COVER_SHORT',
] as const
const ofOpening = [
  'HUB_ACCOUNTS_MISSING',
  'NO_SETTLEMENT_MODEL',
  'ACCOUNT_TYPE_WRONG',
  'ACCOUNT_EXISTS',
] as const
const ofState = [...ofParticipant, 'HUB_UNCHANGEABLE', 'STATE_UNKNOWN', 'STATE_FINAL'] as const

export function lifecycleOperations(deps: Deps): readonly Operation[] {
  return [...ofParticipants(deps), ...ofAccounts(deps), ...liquidityReads(deps)]
}

function ofParticipants(deps: Deps): readonly Operation[] {
  return [
    ...change(
      deps,
      ['CreateParticipant', 'GetPendingParticipants', 'ApproveParticipant'],
      'a new participant with its accounts, limits and endpoints',
      [...ofParticipant, 'NAME_RESERVED', 'PARTICIPANT_EXISTS', ...ofOpening],
      createParticipant,
      changes.createParticipant,
    ),
    ...change(
      deps,
      ['ManageFunds', 'GetPendingManageFunds', 'ApproveManageFunds'],
      'funds in or funds out',
      ofFunds,
      manageFunds,
      changes.manageFunds,
    ),
    ...change(
      deps,
      [
        'ReserveLiquidityCover',
        'GetPendingLiquidityCoverReservations',
        'ApproveLiquidityCoverReservation',
      ],
      'a part of the cover that payments may not use',
      [...ofAccount, 'COVER_SHORT'],
      reserveLiquidityCover,
      changes.reserveLiquidityCover,
    ),
    ...change(
      deps,
      ['UpdateParticipantState', 'GetPendingStateUpdates', 'ApproveParticipantStateUpdate'],
      'another state of a participant',
      ofState,
      updateParticipantState,
      changes.updateParticipantState,
    ),
    ...change(
      deps,
      ['UpdateEndpoints', 'GetPendingEndpointUpdates', 'ApproveEndpointsUpdate'],
      'other endpoints, which must answer a test request',
      [...ofParticipant, 'ENDPOINT_UNREACHABLE'],
      updateEndpoints,
      changes.updateEndpoints,
    ),
  ]
}

function ofAccounts(deps: Deps): readonly Operation[] {
  return [
    ...change(
      deps,
      ['AddParticipantAccount', 'GetPendingParticipantsAccounts', 'ApproveParticipantAccount'],
      'a further account',
      [...ofParticipant, ...ofOpening],
      addParticipantAccount,
      changes.addParticipantAccount,
    ),
    ...change(
      deps,
      ['UpdateAccountStatus', 'GetPendingAccountsWithStatusUpdates', 'ApproveAccountStatusUpdate'],
      'activation or deactivation of an account',
      ofAccount,
      updateAccountStatus,
      changes.updateAccountStatus,
    ),
    ...change(
      deps,
      ['UpdateAccountLimit', 'GetPendingAccountsWithLimitUpdates', 'ApproveAccountLimitUpdate'],
      'another limit of an account',
      [...ofAccount, 'ACCOUNT_TYPE_WRONG', 'LIMIT_UNKNOWN'],
      updateAccountLimit,
      changes.updateAccountLimit,
    ),
    ...change(
      deps,
      [
        'UpdateAccountThreshold',
        'GetPendingAccountsWithThresholdUpdates',
        'ApproveAccountThresholdUpdate',
      ],
      'another alarm threshold in percent',
      [...ofAccount, 'LIMIT_UNKNOWN'],
      updateAccountThreshold,
      changes.updateAccountThreshold,
    ),
  ]
}

/** The maker's call, its pending list and the checker's call. */
type Names = readonly [maker: string, pending: string, checker: string]

const place = z.object({
  cursor: cursor.optional(),
  limit: pageSize(page_max).optional(),
})

function change<Body extends { readonly requestId?: string | undefined }>(
  deps: Deps,
  [maker, pending, checker]: Names,
  what: string,
  refuses: readonly Reason[],
  body: z.ZodType<Body>,
  changeOf: (body: Body) => Change,
): readonly Operation[] {
  const different = [...new Set(refuses)]
  return [
    writes(
      'POST',
      `/${maker}`,
      body,
      {
        about: `Requests ${what}; another person decides`,
        answers: { 202: shownRequest },
        refuses: different,
      },
      (call) => ask(deps, call.body.requestId ?? randomUUID(), call.actor, changeOf(call.body)),
    ),
    reads(
      `/${pending}`,
      {
        about: `Pending requests: ${what}; newest first. ${goesOn}`,
        query: place,
        answers: { 200: z.array(shownRequest) },
      },
      ({ query }) => list(deps, maker, query),
    ),
    writes(
      'POST',
      `/${checker}`,
      verdict,
      {
        about: `Approves or rejects ${what}; the maker may not`,
        answers: { 200: shownRequest },
        refuses: [
          ...new Set<Reason>([
            'REQUEST_UNKNOWN',
            'REQUEST_DECIDED',
            'SAME_PERSON',
            ...different.filter((reason) => reason !== 'REQUEST_PENDING'),
          ]),
        ],
      },
      async ({ body: { requestId, decision, note = '' }, actor }) => {
        const message = { requestId, type: maker, decision, note, actor }
        return shown(200, await deps.lifecycle.DecideChange(message, { deadline_ms }))
      },
    ),
  ]
}

async function ask(
  { lifecycle }: Deps,
  requestId: string,
  actor: string,
  asked: Change,
): Promise<Answer> {
  const message = { requestId, actor, change: asked }
  return shown(202, await lifecycle.RequestChange(message, { deadline_ms }))
}

async function list(
  { lifecycle }: Deps,
  type: string,
  { cursor: after = '', limit = page_max }: z.infer<typeof place>,
): Promise<Answer> {
  const state = 'PEND-APPROVAL'
  const found = await lifecycle.ListChanges({ type, state, cursor: after, limit })
  return page(found.changes.map(requestBody), found.cursor)
}

function shown(
  status: 200 | 202,
  { record, refusal }: Awaited<ReturnType<Deps['lifecycle']['RequestChange']>>,
): Answer {
  if (refusal) return refusedUpstream(refusal)
  if (!record) throw new Error('a change was answered with neither record nor refusal')
  return answered(status, requestBody(record))
}
