/**
 * Creates a settlement from the contents of closed windows under one model: in one transaction, or
 * not at all.
 */
import type { EventBus } from '@causeway/bus'
import { auditEntry } from '@causeway/events'
import type { Database, Transaction } from '@causeway/postgres'
import { refuse, requestIdFault, textFault, type RefusedCommand } from '../domain/refusal.ts'
import { windowStateOf } from '../windows/domain/window.ts'
import { contentStatesOf, saveWindowStates } from '../windows/store.ts'
import {
  assertBalanced,
  createSettlement,
  lockContents,
  modelNamed,
  requestedBefore,
  type SettlementModel,
} from './store.ts'

export interface Creation {
  readonly requestId: string
  readonly model: string
  readonly reason: string
  readonly windowIds: readonly number[]
  readonly actor: string
}

export interface CreatingParts {
  readonly db: Database
  readonly bus: Pick<EventBus, 'announce'>
  /** Waits briefly for windows whose last lines have not arrived. */
  readonly untilComplete: (windowIds: readonly number[]) => Promise<void>
}

export type Created = { readonly type: 'DONE'; readonly settlementId: number } | RefusedCommand

const windows_max = 1_000

/** Idempotent by the request's id. */
export async function create(parts: CreatingParts, creation: Creation): Promise<Created> {
  const fault = faultIn(creation)
  if (fault !== undefined) return fault
  const model = await modelNamed(parts.db, creation.model)
  if (model === undefined) {
    return refuse('MODEL_UNKNOWN', `there is no settlement model ${creation.model}`)
  }
  const before = await answerBefore(parts.db, creation, model)
  if (before !== undefined) return before
  if (!model.isActive) return refuse('MODEL_INACTIVE', `settlement model ${model.name} is inactive`)
  if (model.delay === 'IMMEDIATE') {
    const detail = `transfers of settlement model ${model.name} are settled as they commit`
    return refuse('MODEL_SETTLES_AT_ONCE', detail)
  }
  await parts.untilComplete(creation.windowIds)
  const created = await parts.db.transaction((tx) => take(parts, tx, creation, model))
  // A concurrent call with the same request id has created it.
  return created ?? (await answerBefore(parts.db, creation, model)) ?? contradiction(creation)
}

function faultIn({ requestId, reason, windowIds }: Creation): RefusedCommand | undefined {
  if (windowIds.length === 0) return refuse('INVALID', 'settlementWindows names no window')
  if (windowIds.length > windows_max) {
    return refuse('INVALID', `settlementWindows names at most ${windows_max} windows`)
  }
  if (new Set(windowIds).size < windowIds.length) {
    return refuse('INVALID', 'settlementWindows names a window more than once')
  }
  return requestIdFault(requestId) ?? textFault('reason', reason)
}

async function answerBefore(
  db: Database,
  { requestId, windowIds }: Creation,
  { id }: SettlementModel,
): Promise<Created | undefined> {
  const before = await requestedBefore(db, requestId)
  if (before === undefined) return undefined
  const isSame = before.modelId === id && sorted(windowIds) === sorted(before.windowIds)
  return isSame
    ? { type: 'DONE', settlementId: before.id }
    : refuse('MODIFIED', `request ${requestId} was used before with other content`)
}

function sorted(ids: readonly number[]): string {
  return ids.toSorted((a, b) => a - b).join()
}

async function take(
  { bus }: CreatingParts,
  tx: Transaction,
  { requestId, windowIds, reason, actor }: Creation,
  model: SettlementModel,
): Promise<Created | undefined> {
  const { windows, contents } = await lockContents(tx, windowIds, model.id)
  const known = new Set(windows.map(({ id }) => id))
  const unknown = windowIds.filter((id) => !known.has(id))
  if (unknown.length > 0) {
    return refuse('WINDOW_UNKNOWN', `there is no window ${unknown.join(', ')}`)
  }
  const holding = new Set(contents.map(({ window_id }) => window_id))
  const early = windows.filter(({ state }) => state === 'OPEN' || state === 'PROCESSING')
  const inapplicable = windowIds.filter(
    (id) => !holding.has(id) || early.some((window) => window.id === id),
  )
  if (inapplicable.length > 0) {
    const detail = `Inapplicable windows: ${inapplicable.join(', ')}`
    return refuse('WINDOW_NOT_APPLICABLE', detail)
  }
  const settlementId = await createSettlement(
    tx,
    { requestId, modelId: model.id, reason },
    contents,
  )
  if (settlementId === undefined) return undefined
  await assertBalanced(tx, settlementId)
  await followContents(tx, windowIds, reason)
  bus.announce(tx, [
    auditEntry('settlements', {
      actor,
      action: 'CreateSettlement',
      subject: `settlements/${settlementId}`,
      before: null,
      after: { state: 'PENDING_SETTLEMENT', model: model.name, reason, windowIds },
      at: new Date(),
      labels: { requestId },
    }),
  ])
  return { type: 'DONE', settlementId }
}

/**
 * Derives the states of windows from those of their contents.
 * @param reason null: keeps the last reason
 */
export async function followContents(
  tx: Transaction,
  windowIds: readonly number[],
  reason: string | null,
): Promise<void> {
  const contents = await contentStatesOf(tx, windowIds)
  const states = new Map([...contents].map(([id, held]) => [id, windowStateOf(held)]))
  await saveWindowStates(tx, states, reason)
}

function contradiction({ requestId }: Creation): never {
  throw new Error(`the settlement of request ${requestId} is neither new nor there`)
}
