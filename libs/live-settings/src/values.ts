/**
 * The values that operators have set for a service at config: read when the service starts, after each
 * event, and every minute. What config answers last applies, also when it is older than what applied
 * before: then the database of config was restored.
 */
import type { EventBus } from '@causeway/bus'
import { onBroadcast } from '@causeway/events'
import type { CallOptions, GrpcHost } from '@causeway/grpc'
import {
  periodically,
  retrying,
  type Logger,
  type Service,
  type SettingDefinitions,
} from '@causeway/process'
import {
  configurationsService,
  type ConfigurationAnswer,
  type ConfigurationSet,
} from '@causeway/protos'
import type { ServiceName } from '@causeway/services'
import { isLower, schemaMessage, setValuesOf, type LiveValues } from './schema.ts'

export interface ValuesOptions {
  readonly service: ServiceName
  readonly schemaVersion: string
  readonly definitions: SettingDefinitions
  /** What the environment gives: the defaults. */
  readonly values: LiveValues
  /** Called with what operators have set, by name, after each read. */
  readonly onValues: (values: LiveValues) => void
}

export interface LiveSettingsParts {
  readonly grpc: GrpcHost
  readonly bus: EventBus
  readonly log: Logger
}

/** How often the values are read although no event came. */
const refreshed_every_ms = 60_000

/** Resolves when the values were read, at the latest after `wait_ms`. */
export function followValues(
  { service, schemaVersion, definitions, values, onValues }: ValuesOptions,
  parts: LiveSettingsParts,
  wait_ms: number,
): Promise<Service> {
  const schema = schemaMessage(service, schemaVersion, definitions, values)
  return followContext(
    {
      service,
      contextId: service,
      ask: openReading(parts.grpc, schema, parts.log),
      onConfiguration(configuration) {
        const read = setValuesOf(definitions, configuration)
        for (const fault of read.faults) {
          parts.log.error(`ALARM a configured value is not used: ${fault}`)
        }
        onValues(read.values)
      },
    },
    parts,
    wait_ms,
  )
}

export interface ContextOptions {
  /** The service that reads. */
  readonly service: ServiceName
  readonly contextId: string
  readonly ask: (options?: CallOptions) => Promise<ConfigurationAnswer>
  /** Called after each read. */
  readonly onConfiguration: (configuration: ConfigurationSet) => void
}

/** Resolves when the context was read, at the latest after `wait_ms`. */
export async function followContext(
  { service, contextId, ask, onConfiguration }: ContextOptions,
  { bus, log }: LiveSettingsParts,
  wait_ms: number,
): Promise<Service> {
  const stopping = new AbortController()
  const { signal } = stopping
  let iteration = -1
  let asked = 0
  let answered = 0

  async function refresh(options?: CallOptions): Promise<void> {
    const turn = ++asked
    const { configuration } = await ask(options)
    if (!configuration) return
    if (configuration.iterationNumber < iteration) {
      // A later question was answered before this one.
      if (turn < answered) return
      log.warn({ contextId }, 'the configuration is older than before: config was restored')
    }
    answered = Math.max(answered, turn)
    iteration = configuration.iterationNumber
    onConfiguration(configuration)
  }

  let refreshing = Promise.resolve()
  function refreshSoon(): void {
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
          payload.boundedContextId === contextId && payload.iterationNumber !== iteration,
      )
      if (isNews) refreshSoon()
    },
    onMissed: refreshSoon,
  })
  await refresh({ deadline_ms: wait_ms }).catch((error: unknown) => {
    log.warn({ err: error }, 'config does not answer: the settings of the environment apply')
    refreshSoon()
  })
  const renewal = periodically(refreshed_every_ms, () => refresh(), {
    log,
    name: 'reading the configuration',
  })
  return {
    async stop() {
      stopping.abort()
      await renewal.stop()
      await listener.stop()
      await refreshing
    },
  }
}

/**
 * Registers before the first read, and again when config has no schema or an older one: its database was
 * restored. A newer release may have registered a newer schema.
 */
function openReading(grpc: GrpcHost, schema: ConfigurationSet, log: Logger) {
  const config = grpc.client(configurationsService, 'config')
  const { boundedContextId, schemaVersion } = schema
  let isRegistered = false

  async function register(options?: CallOptions): Promise<ConfigurationAnswer> {
    const answer = await config.RegisterConfigurationSchema(schema, options)
    isRegistered = true
    if (!answer.refusal) return answer
    const { reason, detail } = answer.refusal
    if (reason === 'VERSION_OUTDATED') log.info(`configuration: ${detail}`)
    else log.error({ reason }, `ALARM the configuration was not registered: ${detail}`)
    return config.GetConfiguration({ boundedContextId }, options)
  }

  return async (options?: CallOptions): Promise<ConfigurationAnswer> => {
    if (!isRegistered) return register(options)
    const answer = await config.GetConfiguration({ boundedContextId }, options)
    const { configuration } = answer
    return !configuration || isLower(configuration.schemaVersion, schemaVersion)
      ? register(options)
      : answer
  }
}
