/**
 * The settings of a service, of which some change at run time: the service registers those at config
 * when it starts, and follows what operators set there. While config is unavailable the last values
 * apply, at first those of the environment.
 */
import type { EventBus } from '@causeway/bus'
import { onBroadcast } from '@causeway/events'
import type { CallOptions, GrpcHost } from '@causeway/grpc'
import {
  periodically,
  retrying,
  type Logger,
  type SettingDefinitions,
  type SettingValues,
} from '@causeway/process'
import {
  configurationsService,
  type ConfigurationAnswer,
  type ConfigurationSet,
} from '@causeway/protos'
import type { ServiceName } from '@causeway/services'
import { schemaMessage, setValuesOf } from './schema.ts'

export interface LiveSettings<Current> {
  /** All settings with the values that apply now: another object after each change. */
  readonly current: Current
  /** The listener is called after each change, with the new values. */
  onChange(listener: (current: Current) => void): void
  stop(): Promise<void>
}

export interface LiveSettingsOptions<Definitions extends SettingDefinitions> {
  readonly service: ServiceName
  /** Of the settings that change at run time; raise it when one is added, removed or changed. */
  readonly schemaVersion: string
  readonly definitions: Definitions
  /** What the environment gives. */
  readonly values: SettingValues<Definitions>
}

export interface LiveSettingsParts {
  readonly grpc: GrpcHost
  readonly bus: EventBus
  readonly log: Logger
}

/** How often the values are read although no event came. */
const refreshed_every_ms = 60_000
/** The start waits so long for config. */
const first_ms = 1_000

export async function openLiveSettings<Definitions extends SettingDefinitions>(
  { service, schemaVersion, definitions, values }: LiveSettingsOptions<Definitions>,
  { grpc, bus, log }: LiveSettingsParts,
): Promise<LiveSettings<SettingValues<Definitions>>> {
  const schema = schemaMessage(service, schemaVersion, definitions, values)
  const ask = openReading(grpc, schema, log)
  const listeners: ((current: SettingValues<Definitions>) => void)[] = []
  const stopping = new AbortController()
  let current = values
  let iteration = -1

  async function refresh(options?: CallOptions): Promise<void> {
    const { configuration } = await ask(options)
    if (!configuration || configuration.iterationNumber < iteration) return
    iteration = configuration.iterationNumber
    const set = setValuesOf(definitions, configuration)
    for (const fault of set.faults) log.error(`ALARM a configured value is not used: ${fault}`)
    const next: SettingValues<Definitions> = { ...values, ...set.values }
    const changed = Object.keys(next).filter((name) => next[name] !== current[name])
    if (changed.length === 0) return
    current = next
    log.info({ changed, iteration }, 'the configuration has changed')
    for (const listener of listeners) listener(current)
  }

  let refreshing = Promise.resolve()
  /** One after the other, so that an older answer does not replace a newer one. */
  function refreshSoon(): void {
    const { signal } = stopping
    const what = 'reading the configuration'
    refreshing = refreshing
      .then(() => (signal.aborted ? undefined : retrying(() => refresh(), { log, what, signal })))
      .catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, 'the configuration could not be read')
      })
  }

  const group = service.replaceAll('-', '_')
  const listener = await onBroadcast(bus, group, ['ConfigurationValuesChanged'], {
    onEvents(events) {
      const isNews = events.some(
        ({ payload }) =>
          payload.boundedContextId === service && payload.iterationNumber > iteration,
      )
      if (isNews) refreshSoon()
    },
    onMissed: refreshSoon,
  })
  await refresh({ deadline_ms: first_ms }).catch((error: unknown) => {
    log.warn({ err: error }, 'config does not answer: the settings of the environment apply')
    refreshSoon()
  })
  const renewal = periodically(refreshed_every_ms, () => refresh(), {
    log,
    name: 'reading the configuration',
  })
  return {
    get current() {
      return current
    },
    onChange: (added) => void listeners.push(added),
    async stop() {
      stopping.abort()
      await renewal.stop()
      await listener.stop()
      await refreshing
    },
  }
}

/** Registers before the first read; a newer release may have registered a newer schema. */
function openReading(grpc: GrpcHost, schema: ConfigurationSet, log: Logger) {
  const config = grpc.client(configurationsService, 'config')
  const { boundedContextId } = schema
  let isRegistered = false
  return async (options?: CallOptions): Promise<ConfigurationAnswer> => {
    if (!isRegistered) {
      const answer = await config.RegisterConfigurationSchema(schema, options)
      isRegistered = true
      if (!answer.refusal) return answer
      const { reason, detail } = answer.refusal
      if (reason === 'VERSION_OUTDATED') log.info(`configuration: ${detail}`)
      else log.error({ reason }, `ALARM the configuration was not registered: ${detail}`)
    }
    return config.GetConfiguration({ boundedContextId }, options)
  }
}
