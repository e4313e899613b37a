/**
 * Where new keys are made: one person requests it, another one decides. The choice, the decision and
 * their audit entry are one transaction.
 */
import type { EventBus } from '@causeway/bus'
import { adapters, type Adapter } from '@causeway/crypto-provider'
import type { AuditedAction } from '@causeway/events'
import type { Database, Transaction } from '@causeway/postgres'
import { judgeDecision, stateAfter, type ApprovalDecision } from '@causeway/services'
import { refuse, type Refused } from '../domain/refusal.ts'
import { lockParticipant } from '../participant-lock.ts'
import { record } from '../record.ts'
import {
  addAdapterRequest,
  lockAdapterRequest,
  pendingAdapterRequest,
  saveAdapterDecision,
  type AdapterRequest,
} from './adapter-request-store.ts'
import { unavailable, type Adapters, type AdapterState } from './adapters.ts'
import { saveAdapter } from './store.ts'

export interface AdapterRequestParts {
  readonly db: Database
  readonly bus: EventBus
  readonly providers: Adapters
}

export type AdapterOutcome =
  | Refused
  | { readonly type: 'DONE'; readonly request: AdapterRequest }
  /** The adapter makes new keys already. */
  | { readonly type: 'ACTIVE'; readonly state: AdapterState }

export interface AdapterChoice {
  readonly id: string
  readonly adapter: string
  readonly createdBy: string
}

function isAdapter(text: string): text is Adapter {
  return (adapters as readonly string[]).includes(text)
}

export async function requestAdapter(
  { db, bus, providers }: AdapterRequestParts,
  { id, adapter, createdBy }: AdapterChoice,
): Promise<AdapterOutcome> {
  if (!isAdapter(adapter)) return refuse('INVALID', `adapter must be ${adapters.join(' or ')}`)
  if (providers.of(adapter) === undefined) return unavailable(adapter)
  return db.transaction(async (tx): Promise<AdapterOutcome> => {
    await lockParticipant(tx, 'crypto-adapter')
    const stored = await lockAdapterRequest(tx, id)
    if (stored !== undefined) {
      return stored.adapter === adapter && stored.createdBy === createdBy
        ? { type: 'DONE', request: stored }
        : refuse('MODIFIED', `${id} was used before with other content`)
    }
    const state = await providers.state(tx)
    if (state.active === adapter) return { type: 'ACTIVE', state }
    const other = await pendingAdapterRequest(tx)
    if (other !== undefined) {
      return refuse('REQUEST_PENDING', `${other.id} for the adapter must be decided first`)
    }
    const request: AdapterRequest = {
      id,
      adapter,
      state: 'PEND-APPROVAL',
      createdBy,
      createdAt: new Date(),
      decidedBy: null,
      decidedAt: null,
      note: '',
    }
    await addAdapterRequest(tx, request)
    recordRequest(bus, tx, request, {
      actor: createdBy,
      action: 'SetCryptoAdapter',
      before: { adapter: state.active },
      after: { request: request.state, adapter },
      at: request.createdAt,
    })
    return { type: 'DONE', request }
  })
}

export interface AdapterDecision extends ApprovalDecision {
  readonly id: string
  readonly note: string
}

export function decideAdapter(
  { db, bus, providers }: AdapterRequestParts,
  { id, decision, by, note }: AdapterDecision,
): Promise<AdapterOutcome> {
  return db.transaction(async (tx): Promise<AdapterOutcome> => {
    await lockParticipant(tx, 'crypto-adapter')
    const request = await lockAdapterRequest(tx, id)
    if (request === undefined) {
      return refuse('REQUEST_UNKNOWN', `there is no request ${id} for the adapter`)
    }
    const judgement = judgeDecision(request, { decision, by })
    if (judgement.type === 'EXISTS') return { type: 'DONE', request }
    const { adapter, createdBy } = request
    const before = { adapter: (await providers.state(tx)).active }
    const attempt = { actor: by, action: 'ApproveCryptoAdapter', before, at: new Date() }
    if (judgement.type === 'REFUSE') {
      if (judgement.reason === 'SAME_PERSON') {
        recordRequest(bus, tx, request, { ...attempt, after: null, successful: false })
      }
      return judgement
    }
    if (judgement.type === 'APPLY') {
      if (providers.of(adapter) === undefined) return unavailable(adapter)
      await saveAdapter(tx, { adapter, changedAt: attempt.at, changedBy: createdBy })
    }
    const state = stateAfter(decision)
    const decided: AdapterRequest = {
      ...request,
      state,
      decidedBy: by,
      decidedAt: attempt.at,
      note,
    }
    await saveAdapterDecision(tx, decided)
    const after = judgement.type === 'APPLY' ? { request: state, adapter } : { request: state }
    recordRequest(bus, tx, decided, { ...attempt, after })
    return { type: 'DONE', request: decided }
  })
}

function recordRequest(
  bus: EventBus,
  tx: Transaction,
  { id, createdBy, note }: AdapterRequest,
  action: Omit<AuditedAction, 'subject' | 'labels'>,
): void {
  const labels = { requestId: id, maker: createdBy, ...(note === '' ? {} : { note }) }
  record(bus, tx, { ...action, subject: 'crypto-adapter', labels })
}
