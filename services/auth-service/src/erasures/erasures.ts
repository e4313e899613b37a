/**
 * The erasure of a month or of a person under four eyes: one person requests it, another one decides. The
 * decision, the drop of a key and their audit entries are one transaction; audit entries name no person.
 */
import type { EventBus } from '@causeway/bus'
import type { AuditedAction } from '@causeway/events'
import type { Database, Transaction } from '@causeway/postgres'
import { judgeDecision, stateAfter, type ApprovalDecision } from '@causeway/services'
import { refuse, type Refused } from '../domain/refusal.ts'
import { record } from '../record.ts'
import { isErasable } from './domain/month.ts'
import {
  addErasure,
  dropMonthKey,
  lockErasure,
  lockErasures,
  monthKeys,
  pendingErasure,
  saveErasure,
  type ErasureRequest,
  type Person,
  type Progress,
} from './store.ts'

export type ErasureOutcome = Refused | { readonly type: 'DONE'; readonly request: ErasureRequest }

export type Subject =
  | { readonly kind: 'MONTH'; readonly month: string }
  | { readonly kind: 'PERSON'; readonly person: Person }

export interface NewErasure {
  readonly id: string
  readonly subject: Subject
  readonly by: string
  readonly now: Date
}

export interface ErasureDecision extends ApprovalDecision {
  readonly id: string
  readonly note: string
  readonly now: Date
}

export interface ErasureParts {
  readonly db: Database
  readonly bus: EventBus
  /** Whole months after its end before a month may be erased. */
  readonly kept_months: number
}

export function requestErasure(
  { db, bus, kept_months }: ErasureParts,
  { id, subject, by, now }: NewErasure,
): Promise<ErasureOutcome> {
  return db.transaction(async (tx): Promise<ErasureOutcome> => {
    await lockErasures(tx)
    const stored = await lockErasure(tx, id)
    if (stored !== undefined) {
      return stored.createdBy === by && isSame(stored, subject)
        ? { type: 'DONE', request: stored }
        : refuse('MODIFIED', `${id} was used before with other content`)
    }
    if (subject.kind === 'MONTH') {
      const fault = await monthFault(tx, subject.month, now, kept_months)
      if (fault !== undefined) return fault
      const other = await pendingErasure(tx, subject.month)
      if (other !== undefined) return refuse('REQUEST_PENDING', `${other} must be decided first`)
    }
    const made: ErasureRequest = {
      id,
      kind: subject.kind,
      month: subject.kind === 'MONTH' ? subject.month : null,
      person: subject.kind === 'PERSON' ? subject.person : null,
      state: 'PEND-APPROVAL',
      createdBy: by,
      createdAt: now,
      decidedBy: null,
      decidedAt: null,
      note: '',
      progress: {},
      finishedAt: null,
    }
    await addErasure(tx, made)
    audit(bus, tx, made, { actor: by, action: 'RequestErasure', at: now })
    return { type: 'DONE', request: made }
  })
}

export function decideErasure(
  { db, bus, kept_months }: ErasureParts,
  { id, decision, by, note, now }: ErasureDecision,
): Promise<ErasureOutcome> {
  return db.transaction(async (tx): Promise<ErasureOutcome> => {
    const request = await lockErasure(tx, id)
    if (request === undefined) return refuse('REQUEST_UNKNOWN', `there is no erasure ${id}`)
    const judgement = judgeDecision(request, { decision, by })
    if (judgement.type === 'EXISTS') return { type: 'DONE', request }
    const attempt = { actor: by, action: 'ApproveErasure', at: now }
    if (judgement.type === 'REFUSE') {
      if (judgement.reason === 'SAME_PERSON') {
        audit(bus, tx, request, { ...attempt, successful: false })
      }
      return judgement
    }
    const { month } = request
    if (judgement.type === 'APPLY' && month !== null) {
      const fault = await monthFault(tx, month, now, kept_months)
      if (fault !== undefined) return fault
      await dropMonthKey(tx, month, now)
    }
    const isOver = judgement.type === 'APPLY' && month !== null
    const decided: ErasureRequest = {
      ...request,
      state: stateAfter(decision),
      person: judgement.type === 'APPLY' ? request.person : null,
      decidedBy: by,
      decidedAt: now,
      note,
      finishedAt: isOver ? now : null,
    }
    await saveErasure(tx, decided)
    audit(bus, tx, decided, attempt)
    return { type: 'DONE', request: decided }
  })
}

export interface Report {
  readonly id: string
  readonly service: string
  readonly progress: Progress
  readonly services: readonly string[]
  readonly now: Date
}

/** With the last service the erasure is finished, and the identifier is forgotten. */
export function reportErasure(
  { db, bus }: ErasureParts,
  { id, service, progress, services, now }: Report,
): Promise<ErasureOutcome> {
  return db.transaction(async (tx): Promise<ErasureOutcome> => {
    const request = await lockErasure(tx, id)
    if (request?.kind !== 'PERSON') return refuse('REQUEST_UNKNOWN', `there is no erasure ${id}`)
    if (request.state !== 'APPROVED') return refuse('REQUEST_PENDING', `${id} is ${request.state}`)
    if (request.finishedAt !== null) return { type: 'DONE', request }
    const all = { ...request.progress, [service]: progress }
    const isOver = services.every((one) => all[one] !== undefined && all[one].next === null)
    const reported: ErasureRequest = {
      ...request,
      progress: all,
      person: isOver ? null : request.person,
      finishedAt: isOver ? now : null,
    }
    await saveErasure(tx, reported)
    if (isOver) audit(bus, tx, reported, { actor: 'admin', action: 'FinishErasure', at: now })
    return { type: 'DONE', request: reported }
  })
}

/** An operator sees identifiers of persons in full. */
export function recordDisclosure(
  { db, bus }: ErasureParts,
  subject: string,
  actor: string,
): Promise<void> {
  return db.transaction((tx) => {
    const seen = { actor, action: 'ViewPersonalData', subject, before: null, after: null }
    record(bus, tx, { ...seen, at: new Date() })
    return Promise.resolve()
  })
}

async function monthFault(
  tx: Transaction,
  month: string,
  now: Date,
  kept_months: number,
): Promise<Refused | undefined> {
  const [key] = await monthKeys(tx, [month])
  if (key === undefined) return refuse('MONTH_UNKNOWN', `there is no key of ${month}`)
  if (key.sealed === null) return refuse('MONTH_ERASED', `the key of ${month} is dropped`)
  if (isErasable(month, now, kept_months)) return undefined
  return refuse('MONTH_TOO_YOUNG', `${month} is kept for ${kept_months} months after its end`)
}

function isSame({ month, person }: ErasureRequest, subject: Subject): boolean {
  if (subject.kind === 'MONTH') return month === subject.month
  const { type, identifier, subId } = subject.person
  return person?.type === type && person.identifier === identifier && person.subId === subId
}

function audit(
  bus: EventBus,
  tx: Transaction,
  { id, kind, month, state, createdBy, progress, note }: ErasureRequest,
  action: Pick<AuditedAction, 'actor' | 'action' | 'at'> & { readonly successful?: boolean },
): void {
  const erased = Object.values(progress).reduce((sum, each) => sum + each.erased, 0)
  record(bus, tx, {
    ...action,
    subject: `erasures/${id}`,
    before: null,
    after: action.successful === false ? null : { kind, month, state, erased },
    labels: { requestId: id, maker: createdBy, ...(note === '' ? {} : { note }) },
  })
}
