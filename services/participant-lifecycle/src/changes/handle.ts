/**
 * Changes under four-eyes control: one person requests, another decides. Both steps run in the
 * ledger's queue, one after the other, so of two concurrent decisions the second sees the first.
 */
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import { auditEntry, type AuditedState } from '@causeway/events'
import {
  protects,
  type FundsParts,
  type CoverRules,
  announceAudit,
  subjectOf,
  type Audited,
} from '@causeway/ledger'
import { refuse, type Refused } from '@causeway/ledger/domain'
import type { Database, Transaction } from '@causeway/postgres'
import { modelsOf } from '../participants/accounts.ts'
import { stateOfNew, type HandleParts } from '../participants/handle.ts'
import { unreachable } from '../participants/reach.ts'
import { announceDecided, announceRequested } from './announce.ts'
import { applyWanted, type Applied, type ApplyParts } from './apply.ts'
import { stateAfter } from '@causeway/services'
import { judge, type ChangeRequest, type Verdict } from './domain/request.ts'
import { checkerCalls, currenciesOf, type Wanted } from './domain/wanted.ts'
import {
  addRequest,
  attempt,
  decideRequest,
  lockRequest,
  pendingEqual,
  requestById,
} from './store.ts'

export interface ChangesParts extends HandleParts, Omit<FundsParts, 'modelsOf'> {
  readonly database: Database
  readonly bus: EventBus
  readonly rules: CoverRules
  /** Whether new endpoints must accept a connection before they are approved. */
  readonly checksEndpoints: boolean
}

export type ChangeOutcome = Refused | { readonly type: 'DONE'; readonly request: ChangeRequest }

/** Stores the request if it could be approved in the current state. */
export async function requestChange(
  parts: ChangesParts,
  { id, wanted, by }: { readonly id: string; readonly wanted: Wanted; readonly by: string },
): Promise<ChangeOutcome> {
  const applying = await prepare(parts, wanted)
  return parts.writer.runExclusive(async (tx): Promise<ChangeOutcome> => {
    const stored = await lockRequest(tx, id)
    if (stored !== undefined) {
      return JSON.stringify(stored.wanted) === JSON.stringify(wanted)
        ? { type: 'DONE', request: stored }
        : refuse('MODIFIED', `${id} was used before with other content`)
    }
    const equal = await pendingEqual(tx, wanted)
    if (equal !== undefined) return refuse('REQUEST_PENDING', `${equal} asks for the same`)
    const parties = { ...applying, bus: silent, requestId: id, createdBy: by }
    const tried = await attempt(
      tx,
      () => applyWanted(tx, parties, wanted),
      () => false,
    )
    if (tried.type === 'REFUSE') return tried
    const request = await addRequest(tx, { id, wanted, by })
    const after: AuditedState = { request: 'PEND-APPROVAL', change: JSON.stringify(wanted) }
    const audited: Audited = { subject: subjectOf(wanted.participant), before: null, after }
    announceAudit(
      parts.bus,
      tx,
      { actor: by, action: wanted.type, labels: { requestId: id } },
      audited,
    )
    announceRequested(parts.bus, tx, request)
    return { type: 'DONE', request }
  })
}

/** A trial publishes nothing. */
const silent = { announce: () => undefined }

export interface Decision extends Verdict {
  readonly id: string
  readonly note: string
}

export async function decideChange(
  parts: ChangesParts,
  decision: Decision,
): Promise<ChangeOutcome> {
  const asked = await requestById(parts.database, decision.id)
  if (asked === undefined) return unknownRequest(decision.id)
  const isApproval = decision.decision === 'APPROVE' && asked.state === 'PEND-APPROVAL'
  const applying = isApproval ? await prepare(parts, asked.wanted) : undefined
  const unreached =
    isApproval && parts.checksEndpoints && asked.wanted.type === 'UpdateEndpoints'
      ? await unreachable(parts.egress, asked.wanted.endpoints)
      : undefined
  const decided = await parts.writer.runExclusive(async (tx): Promise<Decided> => {
    const request = await lockRequest(tx, decision.id)
    if (request === undefined) return unknownRequest(decision.id)
    const judgement = judge(request, decision)
    switch (judgement.type) {
      case 'EXISTS':
        return { type: 'DONE', request, moved: null }
      case 'REFUSE':
        if (judgement.reason === 'SAME_PERSON') recordAttempt(parts.bus, tx, request, decision)
        return judgement
      case 'REJECT':
        return settle(parts.bus, tx, { request, decision, audited: null, moved: null })
      case 'APPLY': {
        if (unreached !== undefined) {
          return refuse(
            'ENDPOINT_UNREACHABLE',
            `no connection could be opened to ${unreached.value}`,
          )
        }
        if (applying === undefined) throw new Error(`${request.id} became pending again`)
        return approve(parts.bus, tx, applying, request, decision)
      }
    }
  })
  if (decided.type === 'REFUSE') return decided
  if (decided.moved) parts.onState(decided.moved.participant, decided.moved.oldState)
  return { type: 'DONE', request: decided.request }
}

type Moved = Extract<Applied, { type: 'DONE' }>['moved']

type Decided =
  | Refused
  | { readonly type: 'DONE'; readonly request: ChangeRequest; readonly moved: Moved }

/** Applies the change to the current state; if that is refused, the request stays pending. */
async function approve(
  bus: EventBus,
  tx: Transaction,
  applying: Prepared,
  request: ChangeRequest,
  decision: Decision,
): Promise<Decided> {
  const announced: OutgoingMessage[] = []
  const parties: ApplyParts = {
    ...applying,
    bus: { announce: (_, events) => void announced.push(...events) },
    requestId: request.id,
    createdBy: request.createdBy,
  }
  const result = await attempt(
    tx,
    () => applyWanted(tx, parties, request.wanted),
    ({ type }) => type === 'DONE',
  )
  if (result.type === 'REFUSE') return result
  bus.announce(tx, announced)
  const { audited, moved } = result
  return settle(bus, tx, { request, decision, audited, moved })
}

interface Settling {
  readonly request: ChangeRequest
  readonly decision: Decision
  /** What the approval has changed; null: nothing. */
  readonly audited: Audited | null
  readonly moved: Moved
}

/** Stores the decision and its audit entry, with what it has changed. */
async function settle(
  bus: EventBus,
  tx: Transaction,
  { request, decision, audited, moved }: Settling,
): Promise<Decided> {
  const { by, note } = decision
  const state = stateAfter(decision.decision)
  const decided = await decideRequest(tx, request.id, { state, by, note })
  announceAudit(
    bus,
    tx,
    { actor: by, action: checkerCalls[request.wanted.type], labels: labelsOf(request, note) },
    {
      subject: audited?.subject ?? subjectOf(request.wanted.participant),
      before: { ...audited?.before, request: request.state },
      after: { ...audited?.after, request: state },
    },
  )
  announceDecided(bus, tx, decided)
  return { type: 'DONE', request: decided, moved }
}

/** An attempt to decide one's own request is audited although nothing changes. */
function recordAttempt(
  bus: EventBus,
  tx: Transaction,
  request: ChangeRequest,
  { by, note }: Decision,
): void {
  bus.announce(tx, [
    auditEntry('participant-lifecycle', {
      actor: by,
      action: checkerCalls[request.wanted.type],
      subject: subjectOf(request.wanted.participant),
      before: { request: request.state },
      after: null,
      at: new Date(),
      successful: false,
      labels: labelsOf(request, note),
    }),
  ])
}

function labelsOf({ id, createdBy }: ChangeRequest, note: string) {
  return { requestId: id, maker: createdBy, ...(note === '' ? {} : { note }) }
}

type Prepared = Omit<ApplyParts, 'bus' | 'requestId' | 'createdBy'>

/** Asks other services before the ledger's turn. */
async function prepare(parts: ChangesParts, wanted: Wanted): Promise<Prepared> {
  const isCreation = wanted.type === 'CreateParticipant' || wanted.type === 'AddParticipantAccount'
  return {
    rules: parts.rules,
    models: isCreation ? await modelsOf(parts, currenciesOf(wanted)) : new Map(),
    protects: wanted.type === 'ManageFunds' ? await protects(parts, wanted.currency) : true,
    newState: stateOfNew(parts),
    reservedNames: parts.reservedNames,
  }
}

function unknownRequest(id: string): Refused {
  return refuse('REQUEST_UNKNOWN', `there is no request ${id}`)
}
