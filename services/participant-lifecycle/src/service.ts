/** Builds the service: participants and changes under four-eyes control on top of the ledger. */
import { setTimeout as wait } from 'node:timers/promises'
import type { EventBus } from '@causeway/bus'
import { openLedger, type Ledger } from '@causeway/ledger'
import { statement, type Transaction } from '@causeway/postgres'
import { retrying, StartError, type Logger } from '@causeway/process'
import { settlementModelsService } from '@causeway/protos'
import type { Start } from '@causeway/runtime'
import type { ChangesParts } from './changes/handle.ts'
import { sendMails } from './mails/handle.ts'
import { modelsFrom } from './participants/models.ts'
import { openStatePusher } from './participants/push-state.ts'
import { republishStates } from './participants/republish-states.ts'
import { nameAuthService, nameHub } from './participants/store.ts'
import { serveParticipantServices } from './serve.ts'
import type { Settings } from './settings.ts'

/** Another replica may hold the lock; this one then forwards to it until it can take over. */
const lock_wait_ms = 1_000

export const start: Start<Settings> = async (settings, parts) => {
  const { bus, grpc } = parts
  const log = parts.log.child({ service: 'participant-lifecycle' })
  const databaseOptions = {
    url: settings.PARTICIPANT_LIFECYCLE_DATABASE_URL,
    schema: 'participant_lifecycle',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: settings.PARTICIPANT_LIFECYCLE_CONNECTIONS,
  }
  const database = await parts.openDatabase(databaseOptions)
  const modelsOf = modelsFrom(grpc.client(settlementModelsService, 'settlements'))
  const ledger = await openLedger(settings, parts, { log, database, databaseOptions, modelsOf })
  const stopping = new AbortController()
  const { signal } = stopping
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
    activeOnCreate: settings.COMPATIBILITY === 'mojaloop',
    onState: (participant, oldState) => statePusher.push(participant, oldState),
    checksEndpoints: settings.ENDPOINT_CHECK === 'on',
  }
  ledger.serve()
  serveParticipantServices(grpc, ledger.forwarding, handling)
  const check = (position: Parameters<Ledger['checkAlarms']>[0]) =>
    ledger.checkAlarms(position, signal)
  const hubName = settings.HUB_NAME
  const mailing = await sendMails({ bus, database, check, hubName, log, signal })
  parts.health.ready('participant-lifecycle database', async () => {
    await database.query(alive, [])
  })

  return {
    async stop() {
      stopping.abort()
      await ledger.stop()
      await mailing.stop()
      await statePusher.drained()
      await database.close()
    },
  }
}

interface Naming {
  readonly ledger: Ledger
  readonly bus: EventBus
  readonly settings: Pick<Settings, 'HUB_NAME' | 'AUTH_SERVICE_PARTICIPANT'>
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

const alive = statement('select 1')
