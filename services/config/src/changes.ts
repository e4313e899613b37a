/**
 * Changes of values: one person requests, another one decides. The values, their audit entry and the
 * event are one transaction.
 */
import type { EventBus } from '@causeway/bus'
import { auditEntry, newEvent, type AuditedState } from '@causeway/events'
import type { Database, Transaction } from '@causeway/postgres'
import { stateAfter } from '@causeway/services'
import { schemaFault } from './contract.ts'
import { changeValues, type Changed, type ValuesChange } from './domain/configuration.ts'
import { refuse, type Refused } from './domain/refused.ts'
import { judge, type ChangeRequest, type Verdict } from './domain/request.ts'
import {
  addRequest,
  lockConfiguration,
  lockNewRequest,
  lockRequest,
  pendingRequest,
  readClock,
  saveConfiguration,
  saveDecision,
} from './store.ts'

export interface ChangesParts {
  readonly db: Database
  readonly bus: EventBus
}

export type RequestOutcome = Refused | { readonly type: 'DONE'; readonly request: ChangeRequest }

export type NewRequest = ValuesChange &
  Pick<ChangeRequest, 'id' | 'type' | 'contextId' | 'createdBy'>

/** Stores the request if it could be approved now. */
export function requestChange(
  { db, bus }: ChangesParts,
  asked: NewRequest,
): Promise<RequestOutcome> {
  return db.transaction(async (tx): Promise<RequestOutcome> => {
    await lockNewRequest(tx, asked.id)
    const stored = await lockRequest(tx, asked.id)
    if (stored !== undefined) {
      return isSame(stored, asked)
        ? { type: 'DONE', request: stored }
        : refuse('MODIFIED', `${asked.id} was used before with other content`)
    }
    const now = await readClock(tx)
    const tried = await tryChange(tx, asked, { at: now, by: asked.createdBy })
    if (tried.type === 'REFUSE') return tried
    const other = await pendingRequest(tx, asked.contextId, asked.type)
    if (other !== undefined) {
      return refuse('REQUEST_PENDING', `${other} for ${asked.contextId} must be decided first`)
    }
    const request: ChangeRequest = {
      ...asked,
      state: 'PEND-APPROVAL',
      createdAt: now,
      decidedBy: null,
      decidedAt: null,
      note: '',
    }
    await addRequest(tx, request)
    bus.announce(tx, [
      auditEntry('config', {
        actor: asked.createdBy,
        action: `Change${asked.type}`,
        subject: subjectOf(asked.contextId),
        before: null,
        after: { request: request.state, ...newValuesOf(request) },
        at: now,
        labels: { requestId: asked.id },
      }),
    ])
    return { type: 'DONE', request }
  })
}

export interface Decision extends Verdict {
  readonly id: string
  readonly note: string
}

export function decideChange(
  { db, bus }: ChangesParts,
  decision: Decision,
): Promise<RequestOutcome> {
  return db.transaction(async (tx): Promise<RequestOutcome> => {
    const request = await lockRequest(tx, decision.id)
    if (request === undefined) {
      return refuse('REQUEST_UNKNOWN', `there is no request ${decision.id}`)
    }
    const judgement = judge(request, decision)
    switch (judgement.type) {
      case 'EXISTS':
        return { type: 'DONE', request }
      case 'REFUSE':
        if (judgement.reason === 'SAME_PERSON') await recordAttempt(bus, tx, request, decision)
        return judgement
      case 'REJECT':
        return settle(bus, tx, request, decision)
      case 'APPLY':
        return approve(bus, tx, request, decision)
    }
  })
}

/** What another change has replaced meanwhile is refused, and the request stays pending. */
async function approve(
  bus: EventBus,
  tx: Transaction,
  request: ChangeRequest,
  decision: Decision,
): Promise<RequestOutcome> {
  const now = await readClock(tx)
  const changed = await tryChange(tx, request, { at: now, by: request.createdBy })
  if (changed.type === 'REFUSE') return changed
  const { configuration, changedKeys } = changed
  const { contextId, schemaVersion, iterationNumber } = configuration
  await saveConfiguration(tx, configuration)
  bus.announce(tx, [
    newEvent('config', 'ConfigurationValuesChanged', {
      boundedContextId: contextId,
      schemaVersion,
      iterationNumber,
      changedKeys: [...changedKeys],
    }),
  ])
  return settle(bus, tx, request, decision)
}

async function settle(
  bus: EventBus,
  tx: Transaction,
  request: ChangeRequest,
  { by, decision, note }: Decision,
): Promise<RequestOutcome> {
  const now = await readClock(tx)
  const state = stateAfter(decision)
  const decided: ChangeRequest = { ...request, state, decidedBy: by, decidedAt: now, note }
  await saveDecision(tx, decided)
  bus.announce(tx, [
    auditEntry('config', {
      actor: by,
      action: `Approve${request.type}`,
      subject: subjectOf(request.contextId),
      before: { request: request.state },
      after: { request: state, ...newValuesOf(request) },
      at: now,
      labels: labelsOf(request, note),
    }),
  ])
  return { type: 'DONE', request: decided }
}

/** An attempt to decide one's own request is audited although nothing changes. */
async function recordAttempt(
  bus: EventBus,
  tx: Transaction,
  request: ChangeRequest,
  { by, note }: Decision,
): Promise<void> {
  bus.announce(tx, [
    auditEntry('config', {
      actor: by,
      action: `Approve${request.type}`,
      subject: subjectOf(request.contextId),
      before: { request: request.state },
      after: null,
      at: await readClock(tx),
      successful: false,
      labels: labelsOf(request, note),
    }),
  ])
}

async function tryChange(
  tx: Transaction,
  { contextId, schemaVersion, iterationNumber, newValues }: Omit<NewRequest, 'createdBy'>,
  changed: { readonly at: Date; readonly by: string },
): Promise<Changed> {
  const configuration = await lockConfiguration(tx, contextId)
  if (configuration === undefined) {
    return refuse('CONTEXT_UNKNOWN', `${contextId} has registered nothing`)
  }
  const change = { schemaVersion, iterationNumber, newValues }
  return changeValues(configuration, change, schemaFault, changed)
}

export function subjectOf(contextId: string): string {
  return `configurations/${contextId}`
}

function newValuesOf({ newValues }: Pick<ChangeRequest, 'newValues'>): AuditedState {
  return { newValues: Object.fromEntries(newValues.map(({ name, value }) => [name, value])) }
}

function labelsOf({ id, createdBy }: ChangeRequest, note: string) {
  return { requestId: id, maker: createdBy, ...(note === '' ? {} : { note }) }
}

function isSame(stored: ChangeRequest, asked: NewRequest): boolean {
  const content = ({ type, contextId, schemaVersion, iterationNumber, newValues }: NewRequest) =>
    JSON.stringify([type, contextId, schemaVersion, iterationNumber, newValues])
  return content(stored) === content(asked) && stored.createdBy === asked.createdBy
}
