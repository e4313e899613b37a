/**
 * Opens consents: queries of them and of the payments from them, and the auth service that the hub hosts
 * for DFSPs, with the time-out of its registrations.
 */
import type { X509Certificate } from 'node:crypto'
import type { RelyingPartyPolicy } from '@causeway/credentials'
import { onEvents } from '@causeway/events'
import { periodically, type Service } from '@causeway/process'
import { consentsService, thirdPartyTransactionsService } from '@causeway/protos'
import type { AuthMeasures } from '../measures.ts'
import { together, type OwnParts } from '../own-parts.ts'
import { consentEvents } from './contract.ts'
import type { Decision } from './domain/decision.ts'
import { handleBatch, type ConsentWork } from './handle.ts'
import { openThirdParties } from './pisp/open.ts'
import { serveThirdParties } from './pisp/serve.ts'
import { serveConsents } from './serve.ts'
import { openConsentStore } from './store.ts'
import { refuseUnconfirmed } from './sweep.ts'

export interface ConsentParts extends OwnParts {
  readonly policy: RelyingPartyPolicy
  readonly roots: readonly X509Certificate[]
}

const upkeep_interval_ms = 3_600_000
/** How long a registration waits for account-lookup before it is refused: its user is waiting. */
const wait_ms = 60_000
const sweeps_per_wait = 4
const batch_max = 100

/** Serves the queries of consents and of payments that PISPs begin: decides nothing. */
export function serveReads(
  { grpc, db, bus }: Pick<OwnParts, 'grpc' | 'db' | 'bus'>,
  participant: string,
) {
  grpc.serve(consentsService, serveConsents({ db, bus, now: () => new Date() }))
  grpc.serve(thirdPartyTransactionsService, serveThirdParties({ db, participant }))
}

export async function openConsents(parts: ConsentParts): Promise<Service> {
  const participant = parts.settings.AUTH_SERVICE_PARTICIPANT
  serveReads(parts, participant)
  return together(parts.log, [
    await openThirdParties({ ...parts, participant }),
    await openHosted(parts, participant),
  ])
}

/** The auth service that the hub hosts: registers and verifies for DFSPs. */
async function openHosted(
  { bus, db, policy, roots, measures, log }: ConsentParts,
  participant: string,
): Promise<Service> {
  const store = openConsentStore(db, bus)
  await store.ensurePartitions(new Date())
  if (participant === '') return { stop: () => Promise.resolve() }
  const work: ConsentWork = {
    store,
    policy,
    roots,
    participant,
    publish: (messages) => bus.publish(messages),
    now: () => new Date(),
    onDecided: (decision) => measure(measures, decision),
  }
  const subscribed = await onEvents(bus, 'auth_service.consents', consentEvents, (events) =>
    handleBatch(work, events),
  )
  const sweeping = { batch_max, wait_ms, log, lowWatermark: () => subscribed.lowWatermark() }
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

function measure(measures: AuthMeasures, { consent, verification }: Decision): void {
  if (consent !== undefined) measures.consent(consent.state)
  if (verification === undefined) return
  const { result } = verification
  measures.verification(result.type === 'VERIFIED' ? result.type : result.reason)
}
