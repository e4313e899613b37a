/** Builds the service: participants and changes that two persons make, on top of the ledger. */
import { setTimeout as wait } from 'node:timers/promises'
import type { EventBus } from '@causeway/bus'
import { openOwnKey, signedEntries } from '@causeway/keys/components'
import { openLedger, type Ledger, type LedgerBounds } from '@causeway/ledger'
import { openLiveSettings, openSchemeCurrencies, type LiveSettings } from '@causeway/live-settings'
import { statement, type Transaction } from '@causeway/postgres'
import { listIn, type Logger, retrying, StartError } from '@causeway/process'
import { operatorsService, settlementModelsService } from '@causeway/protos'
import { serviceNames } from '@causeway/services'
import { openServiceEgress, schemaOf, type ProcessParts } from '@causeway/runtime'
import type { ChangesParts } from './changes/serve.ts'
import { sendMails } from './mails/handle.ts'
import { modelsFrom } from './participants/models.ts'
import { openStatePusher } from './participants/push-state.ts'
import { republishStates } from './participants/republish-states.ts'
import { nameAuthService, nameHub } from './participants/store.ts'
import { serveParticipantServices } from './serve.ts'
import {
  schemaVersion,
  settings as definitions,
  type ParticipantLifecycleSettings,
} from './settings.ts'

/** Another replica may hold the lock; this one then forwards to it until it can take over. */
const lock_wait_ms = 1_000
const hour_ms = 3_600_000

export const start = async (
  settings: ParticipantLifecycleSettings,
  given: ProcessParts,
  bounds?: LedgerBounds,
) => {
  const { grpc } = given
  const log = given.log.child({ service: 'participant-lifecycle' })
  const keyFile = settings.PARTICIPANT_LIFECYCLE_COMPONENT_KEY_FILE
  const ownKey = await openOwnKey('participant-lifecycle', keyFile, { grpc, log })
  const bus = signedEntries(given.bus, ownKey)
  const parts = { ...given, bus }
  const databaseOptions = {
    url: settings.PARTICIPANT_LIFECYCLE_DATABASE_URL,
    ...schemaOf('participant-lifecycle'),
    connections_max: settings.DATABASE_CONNECTIONS_MAX,
  }
  const database = await parts.openDatabase(databaseOptions)
  const modelsOf = modelsFrom(grpc.client(settlementModelsService, 'settlements'))
  const joined = { bus, grpc, log }
  const live = await openLiveSettings(
    { service: 'participant-lifecycle', schemaVersion, definitions, values: settings },
    joined,
  )
  const { AMOUNT_DECIMALS: bound, HUB_NAME: hubName } = settings
  const currencies = await openSchemeCurrencies('participant-lifecycle', bound, joined)
  const options = { log, database, databaseOptions, modelsOf, decimals: () => currencies.decimals }
  const ledger = await openLedger(live.current, parts, { ...options, bounds })
  const stopping = new AbortController()
  const { signal } = stopping
  followStates(live, { ledger, bus, log, signal })
  const named = nameWhenOpen({ ledger, bus, settings, log, signal })
  named.catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, 'ALARM participants could not be initialised')
  })
  await Promise.race([named, wait(lock_wait_ms, undefined, { ref: false })])

  const statePusher = openStatePusher(grpc, log)
  const handling: ChangesParts = {
    ...ledger.funds,
    database,
    modelsOf,
    isUsed: (currency) => currencies.isUsed(currency),
    activeOnCreate: settings.COMPATIBILITY === 'mojaloop',
    onState: (participant, oldState) => statePusher.push(participant, oldState),
    reservedNames: reservedNames(settings),
    egress: openServiceEgress('participant-lifecycle', settings, parts, log),
    checksEndpoints: settings.ENDPOINT_CHECK === 'on',
    operators: grpc.client(operatorsService, 'auth-service'),
    approvalLife_ms: settings.APPROVAL_LIFE_H * hour_ms,
  }
  ledger.serve()
  serveParticipantServices(parts, ledger.forwarding, handling)
  const check = (position: Parameters<Ledger['checkAlarms']>[0]) =>
    ledger.checkAlarms(position, signal)
  const mailing = await sendMails({ bus, database, check, hubName, log, signal })
  const isReady = () => database.query(alive, []).then(() => undefined)
  parts.health.ready('participant-lifecycle database', isReady)
  return {
    async stop() {
      stopping.abort()
      await live.stop()
      await currencies.stop()
      await ledger.stop()
      await mailing.stop()
      await statePusher.drained()
      await ownKey.stop()
      await database.close()
    },
  }
}

/** In lower case. A gateway's certificate would speak for every FSP, that of a service for the hub. */
function reservedNames({
  EDGE_GATEWAY_SUBJECTS,
}: ParticipantLifecycleSettings): ReadonlySet<string> {
  return new Set(
    [...serviceNames, ...listIn(EDGE_GATEWAY_SUBJECTS)].map((name) => name.toLowerCase()),
  )
}

interface Naming {
  readonly ledger: Ledger
  readonly bus: EventBus
  readonly settings: Pick<ParticipantLifecycleSettings, 'HUB_NAME' | 'AUTH_SERVICE_PARTICIPANT'>
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Names the hub and its auth service, and applies the permissions of states that have changed since
 * the last start.
 */
async function nameWhenOpen({ ledger, bus, settings, log, signal }: Naming): Promise<void> {
  const { HUB_NAME: hubName, AUTH_SERVICE_PARTICIPANT: authService } = settings
  await ledger.opened
  const begin = async (tx: Transaction) => {
    await republishStates(tx, bus, ledger.rules.states)
    if (!(await nameHub(tx, hubName))) return `HUB_NAME is ${hubName}`
    const isNamed = await nameAuthService(tx, authService)
    return isNamed ? undefined : `AUTH_SERVICE_PARTICIPANT is ${authService}`
  }
  const taken = await retrying(() => ledger.writer.runExclusive(begin), {
    log,
    what: 'naming the hub',
    signal,
  })
  if (taken !== undefined) throw new StartError(`${taken}, which is the name of a participant.`)
}

/**
 * What a state permits changes between two batches of the ledger. The writer then publishes the
 * participants whose permission to transfer has changed.
 */
function followStates(
  live: LiveSettings<ParticipantLifecycleSettings>,
  { ledger, bus, log, signal }: Omit<Naming, 'settings'>,
): void {
  const what = 'applying the states of participants'
  const republish = async () => {
    await ledger.opened
    const work = (tx: Transaction) => republishStates(tx, bus, ledger.rules.states)
    await retrying(() => ledger.writer.runExclusive(work), { log, what, signal })
  }
  // It may have changed while the ledger was opened.
  ledger.useStates(live.current.PARTICIPANT_STATES)
  let republishing = Promise.resolve()
  live.onChange(({ PARTICIPANT_STATES }) => {
    ledger.useStates(PARTICIPANT_STATES)
    republishing = republishing.then(republish).catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error }, `ALARM ${what} failed`)
    })
  })
}

const alive = statement('select 1')
