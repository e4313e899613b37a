/** The settlement models of a running service: served, and pushed to participant-lifecycle. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '@causeway/postgres'
import { periodically, type Logger } from '@causeway/process'
import {
  ledgerService,
  participantsService,
  schedulerService,
  settlementModelsService,
} from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import { openModelBook, type ModelBook } from '../allocation.ts'
import { openRegistrations, type ScheduleParts } from './schedule.ts'
import { modelHandlers } from './serve.ts'
import { openModelStore, type ModelStore } from './store.ts'
import { pushChanges } from './push-model.ts'

/**
 * A call that changes a model waits at most so long for its accounts and its fee, which follow in
 * any case.
 */
const push_wait_ms = 1_000
/** A model may be chosen for so long after another process has deactivated it. */
const refresh_every_ms = 1_000

export interface OpenModels {
  readonly store: ModelStore
  readonly book: ModelBook
  readonly schedules: ScheduleParts
  /** Work in progress continues until it ends or `signal` aborts. */
  stop(): Promise<void>
}

export function openModels(
  { bus, grpc }: ProcessParts,
  db: Database,
  log: Logger,
  signal: AbortSignal,
): OpenModels {
  const store = openModelStore(db, bus)
  const book = openModelBook(() => store.all())
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const ledger = grpc.client(ledgerService, 'participant-lifecycle')
  const pushParts = { store, participants, ledger, log, signal }
  const schedules: ScheduleParts = {
    scheduler: grpc.client(schedulerService, 'scheduler'),
    models: () => store.all(),
    log,
    signal,
  }
  const pushes = openTurn('a settlement model could not be pushed to participant-lifecycle', {
    log,
    signal,
  })
  // Separate, so that accounts do not wait for an unavailable scheduler.
  const registrations = openRegistrations(schedules)
  grpc.serve(
    settlementModelsService,
    modelHandlers({
      store,
      async onChanged(model) {
        const done = [pushes.take(() => pushChanges(pushParts))]
        if (model.windowCron !== null) {
          done.push(registrations.register(model.id))
        }
        await book.refresh()
        await Promise.race([Promise.all(done), wait(push_wait_ms, undefined, { ref: false })])
      },
    }),
  )
  void pushes.take(() => pushChanges(pushParts))
  const registered = registrations.registerAll()
  const refreshing = periodically(refresh_every_ms, () => book.refresh(), {
    log,
    name: 'reading the settlement models',
  })
  return {
    store,
    book,
    schedules,
    async stop() {
      await refreshing.stop()
      await Promise.all([pushes.over(), registered, registrations.over()])
    },
  }
}

interface Turn {
  take(work: () => Promise<void>): Promise<void>
  over(): Promise<void>
}

/** Runs work one after the other, so that the last change takes effect last. */
function openTurn(
  failed: string,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Turn {
  let last: Promise<void> = Promise.resolve()
  return {
    take(work) {
      last = last.then(work).catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, failed)
      })
      return last
    },
    over: () => last,
  }
}
