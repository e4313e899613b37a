/**
 * Where new keys are made, with the name of the reference architecture. A choice is a request that
 * another operator decides.
 */
import { cryptoAdapterAdapterValues, type CryptoAdapter } from '@causeway/protos'
import { z } from 'zod'
import { answered } from '../answer.ts'
import { ofRequest, requestApproval } from '../approvals/calls.ts'
import { ofChange } from '../approvals/routes.ts'
import { shownRequest } from '../approvals/shown.ts'
import type { Json } from '../json.ts'
import { writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import type { Deps } from '../upstream.ts'
import { requestId } from './fields.ts'

export const adapter = z.enum(cryptoAdapterAdapterValues)

const adapterBody = z.strictObject({
  requestId,
  adapter,
  /** Library, token and PIN are settings, because a library is code: none can be sent. */
  parameters: z.strictObject({}).optional(),
})

export const shownAdapter = z.strictObject({
  active: adapter,
  available: z.array(adapter),
  changedDate: shownTime.nullable(),
  changedBy: z.string().nullable(),
})

export function adapterOperations(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/crypto-adapter-set',
      adapterBody,
      {
        about:
          'Requests where new keys are made; keys stay where they were made. 200: they are made there already',
        answers: { 200: shownAdapter, 202: shownRequest },
        refuses: [...ofRequest, ...ofChange.CryptoAdapter],
      },
      async ({ body: { requestId: id, adapter: chosen }, actor }) => {
        const { adapter: now } = await deps.keyManagement.ListKeys({})
        return now?.active === chosen
          ? answered(200, adapterBodyOf(now))
          : requestApproval(deps, 'CryptoAdapter', { adapter: chosen }, { requestId: id, actor })
      },
    ),
  ]
}

export function adapterBodyOf({ active, available, changedAt, changedBy }: CryptoAdapter) {
  return {
    active,
    available,
    changedDate: changedAt ?? null,
    changedBy: changedBy ?? null,
  } satisfies Json
}
