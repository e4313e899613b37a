/**
 * The tables of transfers in memory, with the guarantees that the SQL gives and no more: each method is
 * one atomic step, and the events of a move exist exactly when the move does.
 */
import { checkSize, type OutgoingMessage } from '@causeway/bus'
import type { Relay } from '@causeway/events'
import { stepsOf } from '../bulks/domain/progress.ts'
import type { BulkTables } from '../bulks/store.ts'
import { simulateBulks, type BulkSimulation } from './bulk-simulation.ts'
import { isOpen, type OpenState, type Transfer } from '../domain/transfer.ts'
import type { TransferMove, Claim, Movement, Swept, TransferTables } from '../store.ts'

export interface StoreSimulation {
  readonly store: TransferTables
  readonly bulks: BulkTables
  readonly bulkRows: BulkSimulation['rows']
  readonly rows: ReadonlyMap<string, Transfer>
  /** All that was announced, in order. */
  readonly published: readonly OutgoingMessage[]
  /** Puts a row there as if it had come about otherwise. */
  put(transfer: Transfer): void
}

interface Kept {
  readonly transfer: Transfer
  readonly sweepAt: number
  readonly relay: Relay | undefined
}

export function simulateStore(): StoreSimulation {
  const kept = new Map<string, Kept>()
  const published: OutgoingMessage[] = []

  function known(ids: Iterable<string>): Map<string, Transfer> {
    return new Map([...ids].flatMap((id) => pair(id, kept.get(id)?.transfer)))
  }

  /** Those that are due first come first. */
  function openUntil(which: Swept, due: Date, now: Date): Transfer[] {
    return [...kept.values()]
      .filter(({ transfer, sweepAt }) => {
        const { bulkTransferId } = transfer
        if ((bulkTransferId !== undefined) !== (which === 'items')) return false
        if (bulkTransferId !== undefined && bulks.isAwaited(bulkTransferId, now)) return false
        return isOpen(transfer) && sweepAt <= due.getTime()
      })
      .toSorted((a, b) => a.sweepAt - b.sweepAt)
      .map(({ transfer }) => transfer)
  }

  function move(changes: readonly TransferMove[], now: Date): Movement {
    const moved = new Map<string, OpenState>()
    for (const { transfer, fromReserved } of changes) {
      const row = kept.get(transfer.transferId)
      if (row === undefined || !isOpen(row.transfer)) continue
      if (row.transfer.state === 'RESERVED' && !fromReserved) continue
      moved.set(transfer.transferId, row.transfer.state)
      kept.set(transfer.transferId, { ...row, transfer })
    }
    const ids = changes.map(({ transfer }) => transfer.transferId)
    const after = changes.map(({ transfer }) => transfer)
    const ended = bulks.advance(stepsOf(moved, after), now)
    return { moved, unmoved: known(ids.filter((id) => !moved.has(id))), ended }
  }

  function sweepAt(transferId: string, at: number): void {
    const row = kept.get(transferId)
    if (row !== undefined) kept.set(transferId, { ...row, sweepAt: at })
  }

  function claim(claims: readonly Pick<Claim, 'transfer' | 'sweepAt' | 'relay'>[]): Set<string> {
    const fresh = claims.filter(({ transfer }) => !kept.has(transfer.transferId))
    for (const { transfer, sweepAt, relay } of fresh) {
      kept.set(transfer.transferId, { transfer, sweepAt: sweepAt.getTime(), relay })
    }
    return new Set(fresh.map(({ transfer }) => transfer.transferId))
  }

  /** All of it, or nothing. */
  function atomically<T>(work: () => T): Promise<T> {
    const before = new Map(kept)
    const bulksBefore = bulks.save()
    try {
      return Promise.resolve(work())
    } catch (error) {
      for (const [id, row] of before) kept.set(id, row)
      bulks.restore(bulksBefore)
      return Promise.reject(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** Throws where the outbox does. */
  function announce(messages: readonly OutgoingMessage[]): void {
    for (const { topic, payload } of messages) {
      checkSize(topic, Buffer.byteLength(JSON.stringify(payload)))
    }
    published.push(...messages)
  }

  const bulks = simulateBulks({ atomically, announce, claim, read: known })
  const store: TransferTables = {
    claim: (claims) => Promise.resolve(claim(claims)),
    read: (ids) => Promise.resolve(known(ids)),
    requests: (ids) => Promise.resolve(new Map(ids.flatMap((id) => pair(id, kept.get(id)?.relay)))),
    move: (changes, now, buildEvents) =>
      atomically(() => {
        const movement = move(changes, now)
        announce(buildEvents(movement))
        return movement
      }),
    takeDue(which, now, claimed_ms, limit) {
      const due = openUntil(which, now, now).slice(0, limit)
      for (const { transferId } of due) sweepAt(transferId, now.getTime() + claimed_ms)
      return Promise.resolve(due)
    },
    sweepAgain(again) {
      for (const { transferId, at } of again) sweepAt(transferId, at.getTime())
      return Promise.resolve()
    },
    openSince(which, expiredBefore, dueBefore, limit) {
      const open = openUntil(which, dueBefore, expiredBefore).filter(
        ({ expiresAt }) => Date.parse(expiresAt) <= expiredBefore.getTime(),
      )
      return Promise.resolve(open.slice(0, limit))
    },
    overdue_ms: () => Promise.resolve(0),
    storeRefused: () => Promise.resolve(),
    states: () => Promise.resolve([]),
    page: () => Promise.resolve([]),
    ensurePartitions: () => Promise.resolve(),
  }
  return {
    store,
    bulks: bulks.tables,
    get bulkRows() {
      return bulks.rows
    },
    published,
    get rows() {
      return known(kept.keys())
    },
    put(transfer) {
      const at = Date.parse(transfer.expiresAt)
      kept.set(transfer.transferId, { transfer, sweepAt: at, relay: undefined })
    },
  }
}

function pair<T>(id: string, value: T | undefined): (readonly [string, T])[] {
  return value === undefined ? [] : [[id, value]]
}
