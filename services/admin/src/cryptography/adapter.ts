/**
 * Where new keys are made, with the name of the reference architecture. A choice is a request that
 * another operator decides.
 */
import type { CryptoAdapter, CryptoAdapterAnswer, CryptoAdapterRequest } from '@causeway/protos'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { answered, type Answer } from '../answer.ts'
import type { Json } from '../json.ts'
import { verdict } from '../lifecycle/bodies.ts'
import { shownRequest } from '../lifecycle/shown.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import { requestId } from './fields.ts'

export const adapter = z.enum(['NODE', 'PKCS11'])

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

export function adapterOperations({ keyManagement }: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/crypto-adapter-set',
      adapterBody,
      {
        about:
          'Requests where new keys are made; keys stay where they were made. 200: they are made there already',
        answers: { 200: shownAdapter, 202: shownRequest },
        refuses: ['ADAPTER_UNAVAILABLE', 'MODIFIED', 'REQUEST_PENDING'],
      },
      async ({ body: { requestId: id = randomUUID(), adapter: chosen }, actor }) => {
        const message = { requestId: id, adapter: chosen, actor }
        return answerOf(202, await keyManagement.RequestCryptoAdapter(message))
      },
    ),
  ]
}

/** The pending requests and the decision of another person, named like those about participants. */
export function adapterDecisions({ keyManagement }: Deps): readonly Operation[] {
  return [
    reads(
      '/GetPendingCryptoAdapter',
      {
        about: 'Pending requests: where new keys are made; newest first',
        answers: { 200: z.array(shownRequest) },
      },
      async () => {
        const pending = { state: 'PEND-APPROVAL' }
        const { requests } = await keyManagement.ListCryptoAdapterRequests(pending)
        return answered(200, requests.map(requestBody))
      },
    ),
    writes(
      'POST',
      '/ApproveCryptoAdapter',
      verdict,
      {
        about: 'Approves or rejects where new keys are made; the maker may not',
        answers: { 200: shownRequest },
        refuses: ['REQUEST_UNKNOWN', 'REQUEST_DECIDED', 'SAME_PERSON', 'ADAPTER_UNAVAILABLE'],
      },
      async ({ body: { requestId: id, decision, note = '' }, actor }) => {
        const message = { requestId: id, decision, note, actor }
        return answerOf(200, await keyManagement.DecideCryptoAdapter(message))
      },
    ),
  ]
}

function answerOf(status: 200 | 202, answer: CryptoAdapterAnswer): Answer {
  const { refusal, request, adapter: active } = answer
  if (refusal) return refusedUpstream(refusal)
  if (request) return answered(status, requestBody(request))
  if (active) return answered(200, adapterBodyOf(active))
  throw new Error('an adapter was requested or decided, but nothing was answered')
}

export function adapterBodyOf({ active, available, changedAt, changedBy }: CryptoAdapter) {
  return {
    active,
    available,
    changedDate: changedAt ?? null,
    changedBy: changedBy ?? null,
  } satisfies Json
}

function requestBody(request: CryptoAdapterRequest) {
  return {
    requestId: request.requestId,
    type: 'CryptoAdapter',
    state: request.state,
    createdBy: request.createdBy,
    createdDate: request.createdAt,
    change: { adapter: request.adapter },
    decidedBy: request.decidedBy ?? null,
    decidedDate: request.decidedAt ?? null,
    note: request.note,
  } satisfies Json
}
