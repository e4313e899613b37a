/**
 * Approved erasures of persons: each service reports how far it is, and with the last one the person is
 * forgotten here too. Audit entries name no person.
 */
import type { EventBus } from '@causeway/bus'
import type { Database } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { record } from '../../record.ts'
import {
  erasureById,
  lockErasure,
  savePersonErasure,
  type Erasure,
  type Progress,
} from './store.ts'

export interface ErasureParts {
  readonly db: Database
  readonly bus: EventBus
}

export interface ErasureProgress {
  readonly id: string
  readonly service: string
  readonly progress: Progress
  /** All that have to be done. */
  readonly services: readonly string[]
  readonly now: Date
}

/** The erasure after the report. */
export function reportErasure(
  { db, bus }: ErasureParts,
  { id, service, progress, services, now }: ErasureProgress,
): Promise<Erasure | RefusedCommand> {
  return db.transaction(async (tx): Promise<Erasure | RefusedCommand> => {
    const isApproved = await lockErasure(tx, id)
    const erasure = await erasureById(tx, id)
    if (erasure?.kind !== 'PersonErasure') {
      return refuse('REQUEST_UNKNOWN', `there is no erasure ${id}`)
    }
    if (!isApproved) return refuse('REQUEST_PENDING', `${id} is ${erasure.state}`)
    if (erasure.finishedAt !== null) return erasure
    const all = { ...erasure.progress, [service]: progress }
    const isOver = services.every((one) => all[one] !== undefined && all[one].next === null)
    const reported: Erasure = {
      ...erasure,
      progress: all,
      person: isOver ? null : erasure.person,
      finishedAt: isOver ? now : null,
    }
    await savePersonErasure(tx, reported)
    if (isOver) {
      const erased = Object.values(all).reduce((sum, each) => sum + each.erased, 0)
      record(bus, tx, {
        actor: 'admin',
        action: 'FinishErasure',
        subject: `erasures/${id}`,
        before: null,
        after: { kind: 'PERSON', erased },
        at: now,
        labels: { requestId: id, maker: erasure.createdBy },
      })
    }
    return reported
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
