/**
 * Starts the hosted auth service: event handlers, the operator API, and the time-out of
 * registrations.
 */
import type { RelyingPartyPolicy } from '@causeway/credentials'
import { onEvents } from '@causeway/events'
import type { Database } from '@causeway/postgres'
import { periodically, type Logger, type Service } from '@causeway/process'
import type { ProcessParts } from '@causeway/runtime'
import type { Measures } from '../measures.ts'
import type { Settings } from '../settings.ts'
import { consentEvents } from './contract.ts'
import type { Decision } from './domain/decision.ts'
import { handleBatch, type ConsentWork } from './handle.ts'
import { openConsentStore } from './store.ts'
import { refuseUnconfirmed } from './sweep.ts'

export interface ConsentParts extends Pick<ProcessParts, 'bus'> {
  readonly policy: RelyingPartyPolicy
  readonly db: Database
  readonly measures: Measures
  readonly log: Logger
}

const upkeep_interval_ms = 3_600_000
const sweeps_per_wait = 4
const batch_max = 100

export async function openConsents(
  settings: Settings,
  { bus, db, policy, measures, log }: ConsentParts,
): Promise<Service> {
  const store = openConsentStore(db, bus)
  await store.ensurePartitions(new Date())
  const participant = settings.AUTH_SERVICE_PARTICIPANT
  if (participant === '') return { stop: () => Promise.resolve() }
  const work: ConsentWork = {
    store,
    policy,
    participant,
    publish: (messages) => bus.publish(messages),
    now: () => new Date(),
    onDecided: (decision) => measure(measures, decision),
  }
  const subscribed = await onEvents(bus, 'auth_service.consents', consentEvents, (events) =>
    handleBatch(work, events),
  )
  const wait_ms = settings.AUTH_SERVICE_OWNERSHIP_WAIT_MS
  const sweeping = { batch_max, wait_ms, lowWatermark: () => subscribed.lowWatermark() }
  const routines = [
    periodically(wait_ms / sweeps_per_wait, () => refuseUnconfirmed(work, sweeping), {
      log,
      name: 'refusal of unconfirmed consent registrations',
    }),
    periodically(upkeep_interval_ms, () => store.ensurePartitions(work.now()), {
      log,
      name: 'partitions of the month',
    }),
  ]
  return {
    async stop() {
      await Promise.all([subscribed.stop(), ...routines.map((routine) => routine.stop())])
    },
  }
}

function measure(measures: Measures, { consent, verification }: Decision): void {
  if (consent !== undefined) measures.consent(consent.state)
  if (verification === undefined) return
  const { result } = verification
  measures.verification(result.type === 'VERIFIED' ? result.type : result.reason)
}
