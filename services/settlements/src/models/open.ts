/** The settlement models of a running service: served, and told to participant-lifecycle. */
import {
  ledgerService,
  participantsService,
  schedulerService,
  settlementModelsService,
} from '@causeway/protos'
import { periodically, type Database, type Logger, type ProcessParts } from '@causeway/runtime'
import { setTimeout as wait } from 'node:timers/promises'
import { openModelBook, type ModelBook } from '../allocation/model-book.ts'
import { keepSchedule, keepSchedules, type ScheduleParts } from '../windows/schedule.ts'
import { modelHandlers } from './serve.ts'
import { openModelStore, type ModelStore } from './store.ts'
import { tellChanges } from './tell.ts'

/** Who changes a model waits so long for its accounts and its fee; they come all the same. */
const telling_wait_ms = 1_000
/** So long a model may still be chosen after another process has deactivated it. */
const refresh_every_ms = 1_000

export interface OpenModels {
  readonly store: ModelStore
  readonly book: ModelBook
  readonly schedules: ScheduleParts
  /** What is under way goes on to its end, or to the end of `signal`. */
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
  const telling = { store, participants, ledger, log, signal }
  const schedules: ScheduleParts = {
    scheduler: grpc.client(schedulerService, 'scheduler'),
    models: () => store.all(),
    log,
    signal,
  }
  const turn = openTurn('participant-lifecycle was not told of a model', { log, signal })
  // Of its own, so that accounts do not wait for a scheduler that is away.
  const scheduling = openTurn('ALARM the scheduler was not told of a model', { log, signal })
  grpc.serve(
    settlementModelsService,
    modelHandlers({
      store,
      async onChanged(model) {
        const done = [turn.take(() => tellChanges(telling))]
        if (model.windowCron !== null) {
          done.push(scheduling.take(() => keepSchedule(schedules, model.id)))
        }
        await book.refresh()
        await Promise.race([Promise.all(done), wait(telling_wait_ms, undefined, { ref: false })])
      },
    }),
  )
  void turn.take(() => tellChanges(telling))
  void scheduling.take(() => keepSchedules(schedules))
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
      await Promise.all([turn.over(), scheduling.over()])
    },
  }
}

interface Turn {
  take(work: () => Promise<void>): Promise<void>
  over(): Promise<void>
}

/** One after the other, so that what is told last is what holds. */
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
