/**
 * Changes of secrets: one person requests, another one decides. The values, the audit entry and the event
 * are one transaction; the values themselves are in neither of the last two.
 */
import type { EventBus } from '@causeway/bus'
import { auditEntry, newEvent, type AuditedAction } from '@causeway/events'
import type { Database, Transaction } from '@causeway/postgres'
import { judgeDecision, stateAfter, type ApprovalDecision } from '@causeway/services'
import { refuse, type Refused } from '../domain/refused.ts'
import { lockNewRequest, readClock } from '../store.ts'
import { checkSecrets, type NewSecret, type SecretSet } from './domain/secrets.ts'
import type { Sealing } from './sealing.ts'
import {
  addSecretRequest,
  deleteSecrets,
  lockSecretRequest,
  lockSecretSet,
  pendingSecretRequest,
  saveSecretDecision,
  saveSecrets,
  saveSecretSet,
  type SecretRequest,
} from './store.ts'

export interface SecretParts {
  readonly db: Database
  readonly bus: EventBus
  readonly sealing: Sealing
}

export type SecretRequestOutcome =
  | Refused
  | { readonly type: 'DONE'; readonly request: SecretRequest }

export interface NewSecretRequest {
  readonly id: string
  readonly contextId: string
  readonly newValues: readonly NewSecret[]
  readonly createdBy: string
}

/** Stores the request if it could be approved now. */
export function requestSecrets(
  { db, bus, sealing }: SecretParts,
  asked: NewSecretRequest,
): Promise<SecretRequestOutcome> {
  return db.transaction(async (tx): Promise<SecretRequestOutcome> => {
    const { id, contextId, createdBy } = asked
    await lockNewRequest(tx, id)
    const stored = await lockSecretRequest(tx, id)
    if (stored !== undefined) {
      return isSame(sealing, stored, asked)
        ? { type: 'DONE', request: stored }
        : refuse('MODIFIED', `${id} was used before with other content`)
    }
    const checked = await checkNow(tx, asked)
    if (checked.type === 'REFUSE') return checked
    const other = await pendingSecretRequest(tx, contextId)
    if (other !== undefined) {
      return refuse('REQUEST_PENDING', `${other} for ${contextId} must be decided first`)
    }
    const { newValues } = checked
    const request: SecretRequest = {
      id,
      contextId,
      changes: newValues.map(({ name, value }) => ({ name, isRemoved: value === null })),
      sealed: sealing.sealRequest(id, newValues),
      state: 'PEND-APPROVAL',
      createdBy,
      createdAt: await readClock(tx),
      decidedBy: null,
      decidedAt: null,
      note: '',
    }
    await addSecretRequest(tx, request)
    record(bus, tx, request, {
      actor: createdBy,
      action: 'ChangeSecretValues',
      before: null,
      after: stateOf(request),
      at: request.createdAt,
    })
    return { type: 'DONE', request }
  })
}

export interface SecretDecision extends ApprovalDecision {
  readonly id: string
  readonly note: string
}

export function decideSecrets(
  parts: SecretParts,
  decision: SecretDecision,
): Promise<SecretRequestOutcome> {
  return parts.db.transaction(async (tx): Promise<SecretRequestOutcome> => {
    const request = await lockSecretRequest(tx, decision.id)
    if (request === undefined) {
      return refuse('REQUEST_UNKNOWN', `there is no request ${decision.id} for secrets`)
    }
    const judgement = judgeDecision(request, decision)
    switch (judgement.type) {
      case 'EXISTS':
        return { type: 'DONE', request }
      case 'REFUSE':
        if (judgement.reason === 'SAME_PERSON') {
          record(parts.bus, tx, request, {
            actor: decision.by,
            action: 'ApproveSecretValues',
            before: stateOf(request),
            after: null,
            at: await readClock(tx),
            successful: false,
          })
        }
        return judgement
      case 'REJECT':
        return settle(parts.bus, tx, request, decision)
      case 'APPLY':
        return apply(parts, tx, request, decision)
    }
  })
}

/** A name that is registered no longer is refused, and the request stays pending. */
async function apply(
  { bus, sealing }: SecretParts,
  tx: Transaction,
  request: SecretRequest,
  decision: SecretDecision,
): Promise<SecretRequestOutcome> {
  const { id, contextId, sealed, createdBy: by } = request
  if (sealed === null) throw new Error(`the pending request ${id} has no values`)
  const newValues = sealing.openRequest(id, sealed)
  const checked = await checkNow(tx, { contextId, newValues })
  if (checked.type === 'REFUSE') return checked
  const removed: string[] = []
  const values: { readonly name: string; readonly sealed: Buffer }[] = []
  for (const { name, value } of checked.newValues) {
    if (value === null) removed.push(name)
    else values.push({ name, sealed: sealing.sealValue(contextId, name, value) })
  }
  const iterationNumber = checked.set.iterationNumber + 1
  if (values.length > 0) {
    await saveSecrets(tx, contextId, values, { at: await readClock(tx), by })
  }
  if (removed.length > 0) await deleteSecrets(tx, contextId, removed)
  await saveSecretSet(tx, { ...checked.set, iterationNumber })
  bus.announce(tx, [
    newEvent('config', 'SecretsValuesChanged', {
      boundedContextId: contextId,
      version: iterationNumber,
      changedKeys: checked.newValues.map(({ name }) => name),
    }),
  ])
  return settle(bus, tx, request, decision)
}

async function settle(
  bus: EventBus,
  tx: Transaction,
  request: SecretRequest,
  { by, decision, note }: SecretDecision,
): Promise<SecretRequestOutcome> {
  const at = await readClock(tx)
  const state = stateAfter(decision)
  const decided: SecretRequest = {
    ...request,
    state,
    decidedBy: by,
    decidedAt: at,
    note,
    sealed: null,
  }
  await saveSecretDecision(tx, decided)
  record(bus, tx, decided, {
    actor: by,
    action: 'ApproveSecretValues',
    before: { request: request.state },
    after: stateOf(decided),
    at,
  })
  return { type: 'DONE', request: decided }
}

type CheckedNow =
  | Refused
  | { readonly type: 'CHECKED'; readonly set: SecretSet; readonly newValues: readonly NewSecret[] }

async function checkNow(
  tx: Transaction,
  { contextId, newValues }: Pick<NewSecretRequest, 'contextId' | 'newValues'>,
): Promise<CheckedNow> {
  const set = await lockSecretSet(tx, contextId)
  if (set === undefined) return unknownSecrets(contextId)
  const checked = checkSecrets(set, newValues)
  return checked.type === 'REFUSE' ? checked : { ...checked, set }
}

export function unknownSecrets(contextId: string): Refused {
  return refuse('CONTEXT_UNKNOWN', `${contextId} has registered no secrets`)
}

/** The values of a decided request are deleted: then the names are compared alone. */
function isSame(
  sealing: Sealing,
  stored: SecretRequest,
  { id, contextId, newValues, createdBy }: NewSecretRequest,
): boolean {
  if (stored.contextId !== contextId || stored.createdBy !== createdBy) return false
  const names = (values: readonly { readonly name: string }[]) =>
    JSON.stringify(values.map(({ name }) => name.toLowerCase()))
  if (names(stored.changes) !== names(newValues)) return false
  if (stored.sealed === null) return true
  const before = sealing.openRequest(id, stored.sealed)
  return newValues.every(({ value }, at) => before[at]?.value === value)
}

function stateOf({ state, changes }: SecretRequest) {
  return {
    request: state,
    set: changes.filter(({ isRemoved }) => !isRemoved).map(({ name }) => name),
    removed: changes.filter(({ isRemoved }) => isRemoved).map(({ name }) => name),
  }
}

function record(
  bus: EventBus,
  tx: Transaction,
  { id, contextId, createdBy, note }: SecretRequest,
  action: Omit<AuditedAction, 'subject' | 'labels'>,
): void {
  const labels = { requestId: id, maker: createdBy, ...(note === '' ? {} : { note }) }
  bus.announce(tx, [auditEntry('config', { ...action, subject: `secrets/${contextId}`, labels })])
}
