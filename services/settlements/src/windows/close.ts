/**
 * Closes a window: the intent is stored, the ledger rotates its window and returns exact nets, then
 * the window is PROCESSING and the next one OPEN. Any caller that finds an intent finishes it, so a
 * crash between two steps loses nothing, and a repeat changes nothing.
 */
import type { EventBus } from '@causeway/bus'
import type { Calls } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { retrying, type Logger } from '@causeway/process'
import type { ledgerService } from '@causeway/protos'
import { finishEach } from '../finish.ts'
import { refuse, requestIdFault, textFault, type RefusedCommand } from '../domain/refusal.ts'
import { askClosing, forgetClosing, openClosings, saveClosed, type Closing } from './store.ts'

export interface ClosingParts {
  readonly db: Database
  readonly bus: Pick<EventBus, 'announce'>
  readonly ledger: Pick<Calls<typeof ledgerService>, 'RotateSettlementWindow'>
  readonly log: Logger
  readonly signal: AbortSignal
}

export type Closed =
  | { readonly type: 'CLOSED'; readonly windowId: number; readonly nextWindowId: number }
  | RefusedCommand

/** Idempotent by the request's id. */
export async function closeWindow(
  parts: ClosingParts,
  request: Omit<Closing, 'nextWindowId'>,
): Promise<Closed> {
  const fault = requestIdFault(request.requestId) ?? textFault('reason', request.reason)
  if (fault !== undefined) return fault
  const { windowId } = request
  for (;;) {
    const asked = await askClosing(parts.db, request)
    if (asked.type === 'REFUSE') return asked
    if (asked.type === 'CLOSED') return { ...asked, windowId }
    const finished = await finishClosing(parts, asked.closing)
    // An earlier request was in progress: it is finished first, then this one is tried again.
    if (finished.type === 'ENDED_BY_OTHER') continue
    if (asked.closing.requestId === request.requestId) return finished
  }
}

/** Continues a closing whose intent is stored. */
export async function finishClosing(
  parts: ClosingParts,
  closing: Closing,
): Promise<Closed | { readonly type: 'ENDED_BY_OTHER' }> {
  const { db, bus, ledger, log, signal } = parts
  const { requestId, windowId, nextWindowId } = closing
  const answer = await retrying(
    () => ledger.RotateSettlementWindow({ requestId, windowId, nextWindowId }),
    { log, what: `closing window ${windowId} in the ledger`, signal },
  )
  const { outcome, nets, nextWindowId: after } = answer
  if (outcome === 'ROTATED') {
    await saveClosed(db, bus, closing, nets)
    return { type: 'CLOSED', windowId, nextWindowId }
  }
  if (outcome === 'NOT_CURRENT' && after !== undefined) {
    // The ledger is ahead: it rotated for an intent that another process, which got EMPTY, has
    // deleted.
    const taken = { ...closing, nextWindowId: after }
    const saved = await saveClosed(db, bus, taken, nets)
    if (saved) return { type: 'CLOSED', windowId, nextWindowId: taken.nextWindowId }
    await forgetClosing(db, closing)
    return { type: 'ENDED_BY_OTHER' }
  }
  await forgetClosing(db, closing)
  if (outcome === 'EMPTY') return refuse('WINDOW_EMPTY', `Window ${windowId} is empty`)
  log.error({ windowId, nextWindowId }, 'ALARM the ledger has another window open than settlements')
  return refuse('WINDOW_NOT_OPEN', `Window ${windowId} is not the one that is open in the ledger`)
}

/** Finishes interrupted closings. */
export async function finishClosings(parts: ClosingParts): Promise<void> {
  const { log, signal } = parts
  const closings = await retrying(() => openClosings(parts.db), {
    log,
    what: 'reading unfinished closings',
    signal,
  })
  await finishEach(closings, (closing) => finishClosing(parts, closing), {
    log,
    signal,
    nameOf: ({ windowId }) => `the closing of window ${windowId}`,
  })
}
