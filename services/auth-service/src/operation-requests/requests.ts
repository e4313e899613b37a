/**
 * Four eyes for every change of the administration API: one operator sends it, another one decides. An
 * approved change is handed out once, to be run; if its end is lost, it is not run again.
 */
import type { EventBus } from '@causeway/bus'
import type { AuditedAction } from '@causeway/events'
import type { Database, Transaction } from '@causeway/postgres'
import { judgeDecision, stateAfter, type ApprovalDecision } from '@causeway/services'
import { refuse, type Refused } from '../domain/refusal.ts'
import { privilegesOf } from '../operators/domain/operator.ts'
import { grants } from '../operators/domain/privilege.ts'
import { allRoles } from '../operators/role-store.ts'
import { operatorsOf } from '../operators/store.ts'
import { lockParticipant } from '../participant-lock.ts'
import { record } from '../record.ts'
import {
  addOperationRequest,
  areRelated,
  lockOperationRequest,
  saveOperationDecision,
  type OperationRequest,
} from './store.ts'

export interface OperationRequestParts {
  readonly db: Database
  readonly bus: EventBus
  /** For how long two operators are no second person for each other after one knew a secret of the other. */
  readonly apart_ms: number
}

export type NewOperationRequest = Pick<
  OperationRequest,
  'id' | 'method' | 'route' | 'uri' | 'body' | 'privilege' | 'createdBy'
>

export type OperationOutcome =
  | Refused
  | { readonly type: 'DONE'; readonly request: OperationRequest; readonly runs: boolean }

/** So many wait at most. */
const pending_max = 1_000

export function requestOperation(
  { db, bus }: OperationRequestParts,
  wanted: NewOperationRequest,
): Promise<OperationOutcome> {
  return db.transaction(async (tx): Promise<OperationOutcome> => {
    await lockParticipant(tx, 'operation-requests')
    const request: OperationRequest = {
      ...wanted,
      state: 'PEND-APPROVAL',
      createdAt: new Date(),
      decidedBy: null,
      decidedAt: null,
      note: '',
      outcome: null,
    }
    if (!(await addOperationRequest(tx, request, pending_max))) {
      return refuse('BUSY', `${pending_max} changes wait for a decision`)
    }
    recordRequest(bus, tx, request, {
      actor: request.createdBy,
      action: 'RequestOperation',
      before: null,
      after: shown(request),
      at: request.createdAt,
    })
    return { type: 'DONE', request, runs: false }
  })
}

export interface OperationDecision extends ApprovalDecision {
  readonly id: string
  readonly note: string
}

export function decideOperation(
  parts: OperationRequestParts,
  { id, decision, by, note }: OperationDecision,
): Promise<OperationOutcome> {
  const { db, bus } = parts
  return db.transaction(async (tx): Promise<OperationOutcome> => {
    const request = await lockOperationRequest(tx, id)
    if (request === undefined) return refuse('REQUEST_UNKNOWN', `there is no request ${id}`)
    const judgement = judgeDecision(request, { decision, by })
    if (judgement.type === 'EXISTS') return { type: 'DONE', request, runs: false }
    const action = decision === 'APPROVE' ? 'ApproveOperation' : 'RejectOperation'
    const attempt = { actor: by, action, before: shown(request), at: new Date() }
    const fault =
      judgement.type === 'REFUSE'
        ? judgement
        : judgement.type === 'APPLY'
          ? await faultOfApproval(parts, tx, request, by)
          : undefined
    if (fault !== undefined) {
      if (fault.reason !== 'REQUEST_DECIDED') {
        recordRequest(bus, tx, request, { ...attempt, after: null, successful: false })
      }
      return fault
    }
    const state = stateAfter(decision)
    const decided = { ...request, state, decidedBy: by, decidedAt: attempt.at, note }
    await saveOperationDecision(tx, decided)
    recordRequest(bus, tx, decided, { ...attempt, after: shown(decided) })
    return { type: 'DONE', request: decided, runs: judgement.type === 'APPLY' }
  })
}

/** The maker must still be allowed to, and the two must be two persons. */
async function faultOfApproval(
  parts: OperationRequestParts,
  tx: Transaction,
  { createdBy, privilege }: OperationRequest,
  by: string,
): Promise<Refused | undefined> {
  const [maker] = await operatorsOf(tx, [createdBy])
  const may =
    maker === undefined ||
    (maker.isActive && grants(privilegesOf(await allRoles(tx), maker.roles), privilege))
  if (!may) return refuse('PRIVILEGE_MISSING', `${createdBy} may no longer do this: ${privilege}`)
  return checkApprover(parts, createdBy, by, tx)
}

/** Refuses the decision of an operator who has known a secret of the maker, and the other way round. */
export async function checkApprover(
  { db, apart_ms }: OperationRequestParts,
  maker: string,
  by: string,
  tx?: Transaction,
): Promise<Refused | undefined> {
  const since = new Date(Date.now() - apart_ms)
  return (await areRelated(tx ?? db, [maker, by], since))
    ? refuse('SAME_PERSON', `${by} and ${maker} have shared a password: a third person must decide`)
    : undefined
}

function shown({ method, uri, state }: OperationRequest) {
  return { operation: `${method} ${uri}`, request: state }
}

function recordRequest(
  bus: EventBus,
  tx: Transaction,
  { id, createdBy, route, method, note }: OperationRequest,
  action: Omit<AuditedAction, 'subject' | 'labels'>,
): void {
  const base = { requestId: id, maker: createdBy, route: `${method} ${route}` }
  const labels = note === '' ? base : { ...base, note }
  record(bus, tx, { ...action, subject: `operation-requests/${id}`, labels })
}
