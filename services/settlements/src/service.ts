/** Settlement models and allocation: built in reading order, taken apart in the reverse. */
import { onEvents, type DomainEvent, type EventName } from '@causeway/events'
import { ledgerService, participantsService, settlementModelsService } from '@causeway/protos'
import { periodically, type Start } from '@causeway/runtime'
import { setTimeout as wait } from 'node:timers/promises'
import { openAccountHints } from './allocation/account-hints.ts'
import { allocate, type AllocationParts, type RequestEvent } from './allocation/handle.ts'
import { openModelBook } from './allocation/model-book.ts'
import { modelHandlers } from './models/serve.ts'
import { openModelStore } from './models/store.ts'
import { tell, tellRemaining } from './models/tell.ts'
import type { Settings } from './settings.ts'

/** Who changes a model waits so long for its accounts and its fee; they come all the same. */
const telling_wait_ms = 1_000
/** So long a model may still be chosen after another process has deactivated it. */
const models_refresh_every_ms = 1_000

const heard = [
  'TransferPrepareRequested',
  'ParticipantCreated',
  'ParticipantAccountAdded',
] as const satisfies readonly EventName[]

export const start: Start<Settings> = async (settings, parts) => {
  const log = parts.log.child({ service: 'settlements' })
  const db = await parts.openDatabase({
    url: settings.SETTLEMENTS_DATABASE_URL,
    schema: 'settlements',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: settings.SETTLEMENTS_CONNECTIONS_MAX,
  })
  const store = openModelStore(db, parts.bus)
  const stopping = new AbortController()
  const participants = parts.grpc.client(participantsService, 'participant-lifecycle')

  const ledger = parts.grpc.client(ledgerService, 'participant-lifecycle')
  const models = openModelBook(() => store.all())
  const telling = { store, participants, ledger, log, signal: stopping.signal }
  const underWay = new Set<Promise<void>>()
  function inBackground(work: Promise<void>): Promise<void> {
    const settled: Promise<void> = work
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'participant-lifecycle was not told of a model')
      })
      .finally(() => underWay.delete(settled))
    underWay.add(settled)
    return settled
  }
  parts.grpc.serve(
    settlementModelsService,
    modelHandlers({
      store,
      async onChanged(model) {
        const told = inBackground(tell(telling, model))
        await models.refresh()
        await Promise.race([told, wait(telling_wait_ms, undefined, { ref: false })])
      },
    }),
  )
  void inBackground(tellRemaining(telling))
  const refreshing = periodically(models_refresh_every_ms, () => models.refresh(), {
    log,
    name: 'reading the settlement models',
  })

  const allocation: AllocationParts = {
    bus: parts.bus,
    models,
    accounts: openAccountHints(participants, log),
  }
  parts.health.ready('settlements', async () => {
    await store.toTell()
  })
  const subscribed = await onEvents(
    parts.bus,
    'settlements',
    heard,
    (events) => handleBatch(allocation, events),
    {
      batch_max: settings.SETTLEMENTS_BATCH_MAX,
      batches_in_flight_max: settings.SETTLEMENTS_BATCHES_IN_FLIGHT_MAX,
    },
  )

  return {
    async stop() {
      await subscribed.stop()
      await refreshing.stop()
      stopping.abort()
      await Promise.all(underWay)
      await db.close()
    },
  }
}

async function handleBatch(
  allocation: AllocationParts,
  events: readonly DomainEvent<(typeof heard)[number]>[],
): Promise<void> {
  const requests: RequestEvent[] = []
  for (const event of events) {
    if (event.name === 'TransferPrepareRequested') requests.push(event)
    else allocation.accounts.forget(event.payload.participantId)
  }
  await allocate(allocation, requests)
}
