/** The settlement models of a running service: served, and told to participant-lifecycle. */
import { ledgerService, participantsService, settlementModelsService } from '@causeway/protos'
import { periodically, type Database, type Logger, type ProcessParts } from '@causeway/runtime'
import { setTimeout as wait } from 'node:timers/promises'
import { openModelBook, type ModelBook } from '../allocation/model-book.ts'
import { modelHandlers } from './serve.ts'
import { openModelStore, type ModelStore } from './store.ts'
import { tell, tellRemaining } from './tell.ts'

/** Who changes a model waits so long for its accounts and its fee; they come all the same. */
const telling_wait_ms = 1_000
/** So long a model may still be chosen after another process has deactivated it. */
const refresh_every_ms = 1_000

export interface OpenModels {
  readonly store: ModelStore
  readonly book: ModelBook
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
  let told: Promise<void> = Promise.resolve()
  /** One after the other, so that what is told last is what holds. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    told = told.then(work).catch((error: unknown) => {
      if (!signal.aborted)
        log.error({ err: error }, 'participant-lifecycle was not told of a model')
    })
    return told
  }
  grpc.serve(
    settlementModelsService,
    modelHandlers({
      store,
      async onChanged(model) {
        const done = inTurn(() => tell(telling, model))
        await book.refresh()
        await Promise.race([done, wait(telling_wait_ms, undefined, { ref: false })])
      },
    }),
  )
  void inTurn(() => tellRemaining(telling))
  const refreshing = periodically(refresh_every_ms, () => book.refresh(), {
    log,
    name: 'reading the settlement models',
  })
  return {
    store,
    book,
    async stop() {
      await refreshing.stop()
      await told
    },
  }
}
