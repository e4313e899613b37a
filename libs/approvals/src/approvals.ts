/**
 * Changes that two persons make: one requests, another one decides. The request is stored if the change
 * could be made now; the change, the decision and their audit entries are one transaction.
 */
import { readClock } from '@causeway/postgres'
import type { EventBus } from '@causeway/bus'
import {
  auditEntry,
  type AuditedAction,
  type AuditedState,
  type PublisherOf,
} from '@causeway/events'
import type { Database, Transaction } from '@causeway/postgres'
import { isRefused, refuse, type Refused } from '@causeway/services'
import type { z } from 'zod'
import {
  expiry,
  isExpired,
  judge,
  stateAfter,
  waitingFault,
  type ApprovalTime,
  type ApprovalVerdict,
} from './judge.ts'
import type { Applied, ChangeKind } from './kind.ts'
import {
  addRequest,
  attempt,
  lockPending,
  lockRequest,
  requestById,
  saveDecision,
  takeTurn,
  waitingRequests,
  type StoredRequest,
} from './store.ts'

export interface ApprovalParts {
  /** The name of the service in the audit log. */
  readonly source: PublisherOf<'/audit-log-write'>
  readonly db: Database
  readonly bus: EventBus
  /** How long a request waits. */
  readonly life_ms: number
  readonly kinds: Readonly<Record<string, ChangeKind>>
  /** Where the transactions of the service run; undefined: in its database. */
  readonly transaction?: Database['transaction']
  /** Announces a request, or its decision, to others; undefined: only the audit log learns of it. */
  readonly announce?: (tx: Transaction, request: StoredRequest) => void
  readonly persons: Persons
}

/** Asks whether two operators are two persons, and whether the maker still has its privilege. */
export interface Persons {
  /** Before the transaction; undefined: nothing is wrong, or `within` asks. */
  before?(question: PersonsQuestion): Promise<Refused | undefined>
  within?(tx: Transaction, question: PersonsQuestion): Promise<Refused | undefined>
}

export interface PersonsQuestion {
  readonly maker: string
  readonly by: string
  /** Undefined: it is not asked. */
  readonly privilege: string | undefined
}

export type ApprovalOutcome =
  | Refused
  | {
      readonly type: 'DONE'
      readonly request: StoredRequest
      /** This decision has approved it. */
      readonly isApprovedNow: boolean
    }

export interface NewApproval {
  readonly id: string
  readonly kind: string
  readonly content: unknown
  readonly by: string
}

export interface ApprovalDecision extends ApprovalVerdict {
  readonly id: string
  /** The request must be of one of them. */
  readonly kinds: readonly string[]
  readonly note?: string | undefined
  /** Whether the two must not have known a secret of each other. */
  readonly personsApart: boolean
}

export interface Approvals {
  request(wanted: NewApproval): Promise<ApprovalOutcome>
  decide(decision: ApprovalDecision): Promise<ApprovalOutcome>
}

export function openApprovals(parts: ApprovalParts): Approvals {
  return {
    request: (wanted) => requestApproval(parts, wanted),
    decide: (decision) => decideApproval(parts, decision),
  }
}

async function requestApproval(
  parts: ApprovalParts,
  { id, kind: name, content: sent, by }: NewApproval,
): Promise<ApprovalOutcome> {
  const kind = parts.kinds[name]
  if (kind === undefined) return refuse('INVALID', `${name} is not a kind of request`)
  const read = kind.content.safeParse(sent)
  if (!read.success) return refuse('INVALID', faultOf(read.error))
  const content = read.data
  const prepared = await kind.prepare?.(content, 'REQUEST')
  if (isRefused(prepared)) return prepared
  return transactionOf(parts)(async (tx): Promise<ApprovalOutcome> => {
    const now = await takeTurn(tx)
    const stored = await lockRequest(tx, id)
    if (stored !== undefined) {
      return stored.kind === name && stored.createdBy === by && isSame(kind, stored, content)
        ? { type: 'DONE', request: stored, isApprovedNow: false }
        : refuse('MODIFIED', `${id} was used before with other content`)
    }
    const time = { now, life_ms: parts.life_ms }
    const turn = kind.turnOf(content)
    const other = turn === null ? undefined : await lockPending(tx, turn)
    if (other !== undefined && !isExpired(other, time)) {
      return refuse('REQUEST_PENDING', `${other.id} must be decided first`)
    }
    const shown = JSON.stringify(kind.sealing?.shown(content) ?? content)
    const making = { requestId: id, createdBy: by, now, prepared }
    const tried = await attempt(
      tx,
      () => kind.apply(tx, content, making),
      () => false,
    )
    if (tried.type === 'REFUSE') return tried
    const replaces = tried.replaces === null ? null : JSON.stringify(tried.replaces)
    const withdraws = kind.withdraws?.(content) ?? false
    const waiting = await waitingRequests(tx, { createdBy: by, kind: name }, withdraws, until(time))
    const full = waitingFault(by, waiting, Buffer.byteLength(shown + (replaces ?? '')))
    if (full !== undefined) return full
    if (other !== undefined) await settle(parts, tx, other, { ...expiry, now })
    const request: StoredRequest = {
      id,
      kind: name,
      state: 'PEND-APPROVAL',
      content: shown,
      sealed: kind.sealing?.seal(id, content) ?? null,
      replaces,
      createdBy: by,
      createdAt: now,
      decidedBy: null,
      decidedAt: null,
      note: null,
    }
    await addRequest(tx, request, { turn, withdraws })
    audit(parts, tx, request, {
      actor: by,
      action: kind.actions.request,
      before: null,
      after: { request: request.state, ...auditedOf(kind, request) },
      at: now,
    })
    parts.announce?.(tx, request)
    return { type: 'DONE', request, isApprovedNow: false }
  })
}

async function decideApproval(
  parts: ApprovalParts,
  decision: ApprovalDecision,
): Promise<ApprovalOutcome> {
  const { id, by, personsApart } = decision
  const found = await requestById(parts.db, id)
  const kind = found === undefined ? undefined : parts.kinds[found.kind]
  if (found === undefined || kind === undefined || !decision.kinds.includes(found.kind)) {
    return refuse('REQUEST_UNKNOWN', `there is no request ${id} for this`)
  }
  // What only an approval asks: others first, before the transaction.
  const approves = decision.verdict === 'APPROVE' && found.state === 'PEND-APPROVAL'
  const content = approves ? contentOf(kind, found) : undefined
  const question: PersonsQuestion = {
    maker: found.createdBy,
    by,
    privilege: approves ? kind.privilegeOf(content) : undefined,
  }
  const persons = approves && personsApart ? parts.persons : {}
  const sameBefore = await persons.before?.(question)
  const prepared = approves ? await kind.prepare?.(content, 'APPROVE') : undefined
  const decided = await transactionOf(parts)(async (tx): Promise<DecisionOutcome> => {
    const request = await lockRequest(tx, id)
    if (request === undefined) throw new Error(`the request ${id} is gone`)
    const now = await readClock(tx)
    const time = { now, life_ms: parts.life_ms }
    const judgement = judge(request, decision, time)
    switch (judgement.type) {
      case 'EXISTS':
        return { type: 'DONE', request, isApprovedNow: false }
      case 'REFUSE':
        if (judgement.reason === 'SAME_PERSON') recordAttempt(parts, tx, request, decision, now)
        return judgement
      case 'REJECT':
        return {
          type: 'DONE',
          request: await settle(parts, tx, request, { ...decision, now }),
          isApprovedNow: false,
        }
      case 'APPLY': {
        const same = sameBefore ?? (await persons.within?.(tx, question))
        if (same !== undefined) recordAttempt(parts, tx, request, decision, now)
        const fault = same ?? (isRefused(prepared) ? prepared : undefined)
        return fault ?? approve(parts, tx, request, { ...decision, now, prepared })
      }
    }
  })
  if (decided.type === 'DONE') await decided.afterCommit?.()
  return decided
}

type DecisionOutcome =
  | Refused
  | (Extract<ApprovalOutcome, { type: 'DONE' }> & Pick<Applied, 'afterCommit'>)

interface Settling extends ApprovalVerdict {
  readonly note?: string | undefined
  readonly now: Date
}

/** Makes the change in the present state; if that is refused, the request stays pending. */
async function approve(
  parts: ApprovalParts,
  tx: Transaction,
  request: StoredRequest,
  { prepared, ...settling }: Settling & { readonly prepared: unknown },
): Promise<DecisionOutcome> {
  const kind = kindOf(parts, request)
  const { id: requestId, createdBy } = request
  const making = { requestId, createdBy, now: settling.now, prepared }
  const result = await attempt(
    tx,
    () => kind.apply(tx, contentOf(kind, request), making),
    (made) => made.type === 'DONE' && differenceOf(request.replaces, made.replaces) === undefined,
  )
  if (result.type === 'REFUSE') return result
  const difference = differenceOf(request.replaces, result.replaces)
  if (difference !== undefined) {
    return refuse('STALE', `it has changed since ${requestId}, request it again: ${difference}`)
  }
  const decided = await settle(parts, tx, request, settling, result)
  const { afterCommit } = result
  const done = { type: 'DONE', request: decided, isApprovedNow: true } as const
  return afterCommit === undefined ? done : { ...done, afterCommit }
}

/** Stores the decision and its audit entry, with what the change has made. */
async function settle(
  parts: ApprovalParts,
  tx: Transaction,
  request: StoredRequest,
  { verdict, by, note, now }: Settling,
  applied?: Applied,
): Promise<StoredRequest> {
  const kind = kindOf(parts, request)
  const remains = kind.remains?.(shownContent(request))
  const decided: StoredRequest = {
    ...request,
    state: stateAfter(verdict),
    decidedBy: by,
    decidedAt: now,
    note: note ?? null,
    content: remains === undefined ? request.content : JSON.stringify(remains),
    sealed: null,
  }
  await saveDecision(tx, decided)
  audit(
    parts,
    tx,
    decided,
    {
      actor: by,
      action: kind.actions.decide,
      before: { ...applied?.before, request: request.state },
      after: { ...(applied?.after ?? auditedOf(kind, request)), request: decided.state },
      at: now,
    },
    applied?.subject ?? kind.subjectOf(shownContent(request), request.id),
  )
  parts.announce?.(tx, decided)
  return decided
}

/** An attempt to decide one's own request is audited although nothing changes. */
function recordAttempt(
  parts: ApprovalParts,
  tx: Transaction,
  request: StoredRequest,
  { by, note }: Pick<ApprovalDecision, 'by' | 'note'>,
  now: Date,
): void {
  const { decide: action } = kindOf(parts, request).actions
  const before = { request: request.state }
  const attempted = { actor: by, action, before, after: null, at: now, successful: false }
  audit(parts, tx, { ...request, note: note ?? null }, attempted)
}

function audit(
  parts: ApprovalParts,
  tx: Transaction,
  request: StoredRequest,
  action: Omit<AuditedAction, 'subject' | 'labels'>,
  subject = kindOf(parts, request).subjectOf(shownContent(request), request.id),
): void {
  const { id, createdBy, note } = request
  const labels = { requestId: id, maker: createdBy, ...(note === null ? {} : { note }) }
  parts.bus.announce(tx, [auditEntry(parts.source, { ...action, subject, labels })])
}

function auditedOf(kind: ChangeKind, request: StoredRequest): AuditedState {
  return kind.auditedOf(shownContent(request))
}

function transactionOf({ transaction, db }: ApprovalParts): Database['transaction'] {
  return transaction ?? ((work) => db.transaction(work))
}

function kindOf({ kinds }: ApprovalParts, request: StoredRequest): ChangeKind {
  const kind = kinds[request.kind]
  if (kind === undefined) throw new Error(`no kind of request is called ${request.kind}`)
  return kind
}

function shownContent(request: StoredRequest): unknown {
  return JSON.parse(request.content)
}

/** With its secrets. */
function contentOf(kind: ChangeKind, { id, content, sealed }: StoredRequest): unknown {
  const shown: unknown = JSON.parse(content)
  return kind.sealing === undefined || sealed === null
    ? shown
    : kind.sealing.open(id, shown, sealed)
}

/** The secrets of a decided request are deleted: then the rest is compared alone. */
function isSame(kind: ChangeKind, stored: StoredRequest, content: unknown): boolean {
  const { sealing } = kind
  if (stored.sealed !== null) {
    return JSON.stringify(contentOf(kind, stored)) === JSON.stringify(content)
  }
  return stored.content === JSON.stringify(sealing?.shown(content) ?? content)
}

function until({ now, life_ms }: ApprovalTime): Date {
  return new Date(now.getTime() - life_ms)
}

function faultOf({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'the content is not valid'
  return [...issue.path.map(String), issue.message].join(': ')
}

const text_max = 1_000

/**
 * `state was OPERATIONAL and is SUSPENDED`; undefined: nothing is different.
 *
 * @param before JSON; null: it is not compared
 */
function differenceOf(before: string | null, now: AuditedState | null): string | undefined {
  if (before === null || before === JSON.stringify(now)) return undefined
  const [then, present] = [JSON.parse(before) as AuditedState, now ?? {}]
  const names = [...new Set([...Object.keys(then), ...Object.keys(present)])]
  const changes = names
    .map((name) => [name, textOf(then[name]), textOf(present[name])] as const)
    .filter(([, was, is]) => was !== is)
    .map(([name, was, is]) => `${name} was ${was} and is ${is}`)
  const text = changes.join('; ')
  return text.length > text_max ? `${text.slice(0, text_max)}…` : text
}

function textOf(value: unknown): string {
  if (value === undefined) return 'not there'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
