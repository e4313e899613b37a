/**
 * Rotation: the current window closes and the next one opens between two batches, so each posted
 * transfer is in exactly one window and the returned nets are final.
 */
import type { Transaction } from '@causeway/postgres'
import {
  lockCurrentWindow,
  netsOf,
  nextWindowOf,
  rotationOf,
  saveRotation,
  type Rotation,
  type WindowNet,
} from './window-store.ts'

type WindowNets = readonly WindowNet[]

export type Rotated =
  | { readonly outcome: 'ROTATED'; readonly nextWindowId: number; readonly nets: WindowNets }
  /**
   * Another window is current, or the next id is not greater. `rotated`: the result of an earlier
   * rotation of the window, which the caller may not have stored.
   */
  | {
      readonly outcome: 'NOT_CURRENT'
      readonly rotated: { readonly nextWindowId: number; readonly nets: WindowNets } | null
    }
  /** Nothing was posted in it; nothing changes. */
  | { readonly outcome: 'EMPTY' }

/** Idempotent by requestId: the same request gives the same nets again. */
export async function rotateWindow(tx: Transaction, rotation: Rotation): Promise<Rotated> {
  const { requestId, windowId, nextWindowId } = rotation
  const done = await rotationOf(tx, requestId)
  if (done !== undefined) {
    return done.windowId === windowId && done.nextWindowId === nextWindowId
      ? { outcome: 'ROTATED', nextWindowId, nets: await netsOf(tx, windowId) }
      : notCurrent(tx, windowId)
  }
  if ((await lockCurrentWindow(tx)) !== windowId || nextWindowId <= windowId) {
    return notCurrent(tx, windowId)
  }
  const nets = await netsOf(tx, windowId)
  if (nets.length === 0) return { outcome: 'EMPTY' }
  await saveRotation(tx, rotation)
  return { outcome: 'ROTATED', nextWindowId, nets }
}

async function notCurrent(tx: Transaction, windowId: number): Promise<Rotated> {
  const next = await nextWindowOf(tx, windowId)
  if (next === undefined) return { outcome: 'NOT_CURRENT', rotated: null }
  const rotated = { nextWindowId: next, nets: await netsOf(tx, windowId) }
  return { outcome: 'NOT_CURRENT', rotated }
}
