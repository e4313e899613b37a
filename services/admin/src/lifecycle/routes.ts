/**
 * Changes of participants that two persons make, with the names of the reference architecture.
 * participant-lifecycle makes them.
 */
import type { ApprovalKind } from '@causeway/protos'
import type { z } from 'zod'
import { ofRequest, requestApproval } from '../approvals/calls.ts'
import { ofChange } from '../approvals/routes.ts'
import { shownRequest } from '../approvals/shown.ts'
import type { Json } from '../json.ts'
import { writes, type Operation } from '../operation.ts'
import type { Deps } from '../upstream.ts'
import {
  addParticipantAccount,
  contents,
  createParticipant,
  manageFunds,
  reserveLiquidityCover,
  updateAccountLimit,
  updateAccountStatus,
  updateAccountThreshold,
  updateEndpoints,
  updateLiquidityCheck,
  updateParticipantState,
} from './bodies.ts'
import { liquidityReads } from './reads.ts'

export function lifecycleOperations(deps: Deps): readonly Operation[] {
  return [
    change(
      deps,
      'CreateParticipant',
      'a new participant with its accounts, limits and endpoints',
      createParticipant,
      contents.CreateParticipant,
    ),
    change(deps, 'ManageFunds', 'funds in or funds out', manageFunds, contents.ManageFunds),
    change(
      deps,
      'ReserveLiquidityCover',
      'a part of the cover that payments may not use',
      reserveLiquidityCover,
      contents.ReserveLiquidityCover,
    ),
    change(
      deps,
      'UpdateParticipantState',
      'another state of a participant',
      updateParticipantState,
      contents.UpdateParticipantState,
    ),
    change(
      deps,
      'UpdateEndpoints',
      'other endpoints, which must answer a test request',
      updateEndpoints,
      contents.UpdateEndpoints,
    ),
    change(
      deps,
      'AddParticipantAccount',
      'a further account',
      addParticipantAccount,
      contents.AddParticipantAccount,
    ),
    change(
      deps,
      'UpdateAccountStatus',
      'activation or deactivation of an account',
      updateAccountStatus,
      contents.UpdateAccountStatus,
    ),
    change(
      deps,
      'UpdateAccountLimit',
      'another limit of an account',
      updateAccountLimit,
      contents.UpdateAccountLimit,
    ),
    change(
      deps,
      'UpdateAccountThreshold',
      'another alarm threshold in percent',
      updateAccountThreshold,
      contents.UpdateAccountThreshold,
    ),
    change(
      deps,
      'UpdateLiquidityCheck',
      'that payments under a settlement model with requireLiquidityCheck false need no cover, or need it again',
      updateLiquidityCheck,
      contents.UpdateLiquidityCheck,
    ),
    ...liquidityReads(deps),
  ]
}

function change<Body extends { readonly requestId?: string | undefined }>(
  deps: Deps,
  kind: ApprovalKind,
  what: string,
  body: z.ZodType<Body>,
  contentOf: (body: Body) => object,
): Operation {
  return writes(
    'POST',
    `/${kind}`,
    body,
    {
      about: `Requests ${what}; another person decides`,
      answers: { 202: shownRequest },
      refuses: [...new Set([...ofRequest, ...ofChange[kind]])],
    },
    ({ body: { requestId, ...sent }, actor }) =>
      requestApproval(deps, kind, contentOf(sent as Body) as Json, { requestId, actor }),
  )
}
