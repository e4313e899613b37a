/**
 * The values that operators have set for a service at config: read when the service starts, after each
 * event, and every minute, one read after the other.
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
import { schemaMessage, setValuesOf, type Values } from './schema.ts'

export interface ValuesOptions {
  readonly service: ServiceName
  readonly schemaVersion: string
  readonly definitions: SettingDefinitions
  /** What the environment gives: the defaults. */
  readonly values: Values
  /** Called with what operators have set, by name, after each read. */
  readonly onValues: (values: Values) => void
}

interface Parts {
  readonly grpc: GrpcHost
  readonly bus: EventBus
  readonly log: Logger
}

/** How often the values are read although no event came. */
const refreshed_every_ms = 60_000

/** Resolves when the values were read, at the latest after `wait_ms`. */
export function followValues(
  { service, schemaVersion, definitions, values, onValues }: ValuesOptions,
  parts: Parts,
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
  { bus, log }: Parts,
  wait_ms: number,
): Promise<Service> {
  const stopping = new AbortController()
  let iteration = -1

  async function refresh(options?: CallOptions): Promise<void> {
    const { configuration } = await ask(options)
    if (!configuration || configuration.iterationNumber < iteration) return
    iteration = configuration.iterationNumber
    onConfiguration(configuration)
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
          payload.boundedContextId === contextId && payload.iterationNumber > iteration,
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
