/**
 * Stores observed messages of payments that PISPs begin, whether or not the hub hosts an
 * auth service.
 */
import { onEvents } from '@causeway/events'
import { ensureMonthlyPartitions, type Database } from '@causeway/postgres'
import { periodically, type Logger, type Service } from '@causeway/process'
import type { EventBus } from '@causeway/bus'
import { thirdPartyEvents, stepOf } from './contract.ts'
import { saveSteps } from './store.ts'

export interface ThirdPartyParts {
  readonly bus: EventBus
  readonly db: Database
  readonly log: Logger
  /** The participant name of the hosted auth service; empty: none is hosted. */
  readonly participant: string
}

const upkeep_interval_ms = 3_600_000

export async function openThirdParties(parts: ThirdPartyParts): Promise<Service> {
  const { bus, db, log, participant } = parts
  const partitions = () => ensureMonthlyPartitions(db, ['third_party_steps'], new Date())
  await partitions()
  const subscribed = await onEvents(bus, 'auth_service.third_party', thirdPartyEvents, (events) =>
    saveSteps(
      db,
      events.map((event) => stepOf(event, participant)),
      new Date(),
    ),
  )
  const upkeep = periodically(upkeep_interval_ms, partitions, {
    log,
    name: 'partitions of third-party steps',
  })
  return {
    async stop() {
      await Promise.all([subscribed.stop(), upkeep.stop()])
    },
  }
}
