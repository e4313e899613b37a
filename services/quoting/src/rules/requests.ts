/**
 * Scheme rules under four eyes: one person requests other rules, another one decides. The decision, the
 * new set and their audit entries are one transaction.
 */
import type { EventBus } from '@causeway/bus'
import { auditEntry, type AuditedAction } from '@causeway/events'
import type { Database, Transaction } from '@causeway/postgres'
import {
  judgeDecision,
  refuse,
  stateAfter,
  type ApprovalDecision,
  type RefusedBy,
} from '@causeway/services'
import { checkRules, type RuleBook, type RuleChange } from './book.ts'
import {
  addRuleRequest,
  lockRuleRequest,
  lockRuleRequests,
  pendingRuleRequest,
  ruleRequests,
  saveRuleDecision,
  type ListedRuleRequest,
  type RuleRequest,
} from './request-store.ts'
import { addRuleSet, newestRuleSet } from './store.ts'

export type RuleRequestOutcome =
  | RefusedBy<'quoting'>
  | { readonly type: 'DONE'; readonly request: ListedRuleRequest }

export interface RuleDecision extends ApprovalDecision {
  readonly id: string
  readonly note: string
  readonly now: Date
}

export interface RuleRequests {
  /** Stores the request if it could be approved now. */
  request(id: string, change: RuleChange): Promise<RuleRequestOutcome>
  decide(decision: RuleDecision): Promise<RuleRequestOutcome>
  /** The newest first; an empty state stands for all. */
  list(state: string): Promise<readonly ListedRuleRequest[]>
}

interface Parts {
  readonly db: Database
  readonly bus: EventBus
  readonly book: RuleBook
}

const listed_max = 1_000

export function openRuleRequests({ db, bus, book }: Parts): RuleRequests {
  function request(id: string, change: RuleChange): Promise<RuleRequestOutcome> {
    const checked = checkRules(change)
    if (checked.type === 'REFUSE') return Promise.resolve(checked)
    const { iteration, changedBy: createdBy, now } = change
    return db.transaction(async (tx): Promise<RuleRequestOutcome> => {
      await lockRuleRequests(tx)
      const beforeJson = (await newestRuleSet(tx)).json
      const stored = await lockRuleRequest(tx, id)
      if (stored !== undefined) {
        const isSame = stored.json === checked.json && stored.createdBy === createdBy
        return isSame
          ? { type: 'DONE', request: { ...stored, beforeJson } }
          : refuse('MODIFIED', `${id} was used before with other content`)
      }
      const fault = await staleFault(tx, iteration)
      if (fault !== undefined) return fault
      const other = await pendingRuleRequest(tx)
      if (other !== undefined) {
        return refuse('REQUEST_PENDING', `${other} for the scheme rules must be decided first`)
      }
      const made: RuleRequest = {
        id,
        iteration,
        json: checked.json,
        state: 'PEND-APPROVAL',
        createdBy,
        createdAt: now,
        decidedBy: null,
        decidedAt: null,
        note: '',
      }
      await addRuleRequest(tx, made)
      record(bus, tx, made, { actor: createdBy, action: 'ChangeSchemeRules', at: now })
      return { type: 'DONE', request: { ...made, beforeJson } }
    })
  }

  async function decide(decision: RuleDecision): Promise<RuleRequestOutcome> {
    const outcome = await db.transaction((tx) => decideIn(bus, tx, decision))
    await book.refresh()
    return outcome
  }

  return { request, decide, list: (state) => ruleRequests(db, state, listed_max) }
}

async function decideIn(
  bus: EventBus,
  tx: Transaction,
  { id, decision, by, note, now }: RuleDecision,
): Promise<RuleRequestOutcome> {
  const request = await lockRuleRequest(tx, id)
  if (request === undefined) {
    return refuse('REQUEST_UNKNOWN', `there is no request ${id} for scheme rules`)
  }
  const before = await newestRuleSet(tx)
  const judgement = judgeDecision(request, { decision, by })
  if (judgement.type === 'EXISTS') {
    return { type: 'DONE', request: { ...request, beforeJson: before.json } }
  }
  const attempt = { actor: by, action: 'ApproveSchemeRules', at: now }
  if (judgement.type === 'REFUSE') {
    if (judgement.reason === 'SAME_PERSON') {
      record(bus, tx, request, { ...attempt, successful: false })
    }
    return judgement
  }
  if (judgement.type === 'APPLY') {
    const { iteration, json, createdBy: changedBy } = request
    const set = { iteration: iteration + 1, json, changedAt: now.toISOString(), changedBy }
    const isAdded = before.iteration === iteration && (await addRuleSet(bus, tx, set, before))
    if (!isAdded) return stale(iteration)
  }
  const state = stateAfter(decision)
  const decided: RuleRequest = { ...request, state, decidedBy: by, decidedAt: now, note }
  await saveRuleDecision(tx, decided)
  record(bus, tx, decided, attempt)
  return { type: 'DONE', request: { ...decided, beforeJson: before.json } }
}

async function staleFault(
  tx: Transaction,
  iteration: number,
): Promise<RefusedBy<'quoting'> | undefined> {
  return (await newestRuleSet(tx)).iteration === iteration ? undefined : stale(iteration)
}

function stale(iteration: number): RefusedBy<'quoting'> {
  return refuse('STALE', `the rules were changed since iteration ${iteration}`)
}

function record(
  bus: EventBus,
  tx: Transaction,
  { id, state, iteration, createdBy, note }: RuleRequest,
  action: Pick<AuditedAction, 'actor' | 'action' | 'at'> & { readonly successful?: boolean },
): void {
  bus.announce(tx, [
    auditEntry('quoting', {
      ...action,
      subject: 'scheme-rules',
      before: null,
      after: action.successful === false ? null : { request: state, iteration },
      labels: { requestId: id, maker: createdBy, ...(note === '' ? {} : { note }) },
    }),
  ])
}
