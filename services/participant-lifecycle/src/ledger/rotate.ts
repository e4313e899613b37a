/**
 * Rotation: the current window closes and the next one opens between two batches, so each posted
 * transfer is in exactly one window and the nets that are returned are final.
 */
import type { Transaction } from '@causeway/runtime'
import {
  lockCurrentWindow,
  netsOf,
  rotationOf,
  saveRotation,
  type Rotation,
  type WindowNet,
} from './window-store.ts'

export type Rotated =
  | { readonly outcome: 'ROTATED'; readonly nets: readonly WindowNet[] }
  /** Another window is current, or the next one does not come after it. */
  | { readonly outcome: 'NOT_CURRENT' }
  /** Nothing was posted in it; nothing changes. */
  | { readonly outcome: 'EMPTY' }

/** Idempotent by requestId: the same request gives the same nets again. */
export async function rotateWindow(tx: Transaction, rotation: Rotation): Promise<Rotated> {
  const { requestId, windowId, nextWindowId } = rotation
  const done = await rotationOf(tx, requestId)
  if (done !== undefined) {
    return done.windowId === windowId && done.nextWindowId === nextWindowId
      ? { outcome: 'ROTATED', nets: await netsOf(tx, windowId) }
      : { outcome: 'NOT_CURRENT' }
  }
  if ((await lockCurrentWindow(tx)) !== windowId || nextWindowId <= windowId) {
    return { outcome: 'NOT_CURRENT' }
  }
  const nets = await netsOf(tx, windowId)
  if (nets.length === 0) return { outcome: 'EMPTY' }
  await saveRotation(tx, rotation)
  return { outcome: 'ROTATED', nets }
}
