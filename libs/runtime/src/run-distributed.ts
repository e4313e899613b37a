/**
 * The main function of a service in a process of its own: its parts, its operations server, a
 * watchdog that ends it when it stalls, and the service itself.
 */
import { targetOf, type GrpcHost, type OperatorCheck } from '@causeway/grpc'
import {
  type Logger,
  exitCodes,
  run,
  type HostProcess,
  type Service,
  type SettingDefinitions,
  type SettingValues,
  watch,
  stopAll,
} from '@causeway/process'
import { openDistributed, type DistributedParts } from './distributed.ts'
import {
  distributedSettings,
  grpcUrlName,
  grpcUrls,
  type DistributedSettings,
} from './distributed-settings.ts'
import { serveOperations } from './operations.ts'
import type { ProcessParts, Start } from './process-parts.ts'
import { tracedParts, tracingOf } from './tracing/parts.ts'

export interface AloneOptions<Definitions extends SettingDefinitions> {
  readonly settings: Definitions
  readonly start: Start<SettingValues<Definitions>>
  /** Every topic of the catalogue of events. */
  readonly topics: readonly string[]
  /** Folder names of the services that it calls. */
  readonly providers: readonly string[]
  /** The services that may call a gRPC method, by its path. */
  readonly callersOf: (path: string) => readonly string[]
  /** Copies warnings to the log store. */
  readonly shipLog?: (parts: Pick<ProcessParts, 'bus' | 'log'>) => Service
  /** How operators in calls are proven; undefined: the service does it, or serves no calls. */
  readonly operatorCheck: ((grpc: GrpcHost) => OperatorCheck) | undefined
}

type DistributedValues = DistributedSettings & Readonly<Record<string, string | number>>

/** @param name folder name of the service */
export function runDistributed<Definitions extends SettingDefinitions>(
  name: string,
  options: AloneOptions<Definitions>,
  host: HostProcess = process,
): Promise<void> {
  const all = { ...options.settings, ...grpcUrls(options.providers), ...distributedSettings }
  const startAlone = (values: SettingValues<SettingDefinitions>, log: Logger) =>
    open({ ...options, name, settings: values as DistributedValues, log, host }, (parts) =>
      options.start(values as SettingValues<Definitions>, parts),
    )
  return run<SettingDefinitions>(name, all, startAlone, host)
}

interface Alone extends Pick<
  AloneOptions<SettingDefinitions>,
  'topics' | 'providers' | 'callersOf' | 'shipLog' | 'operatorCheck'
> {
  readonly name: string
  readonly settings: DistributedValues
  readonly log: Logger
  readonly host: HostProcess
}

async function open(
  alone: Alone,
  start: (parts: DistributedParts) => Promise<Service>,
): Promise<Service> {
  const { settings, log, host } = alone
  const end = (sentence: string) => {
    log.fatal(sentence)
    host.stderr.write(`${sentence}\n`)
    host.exit(exitCodes.broken)
  }
  const addressOf = addressesIn(alone)
  const tracing = await tracingOf(settings, log)
  const parts = await openDistributed({ ...alone, addressOf })
  const opened: { stop(): Promise<void> | void }[] = [
    ...(tracing === undefined ? [] : [tracing]),
    parts,
  ]
  let state: 'starting' | 'started' | 'stopping' = 'starting'
  parts.health.ready('process', () =>
    state === 'started' ? Promise.resolve() : Promise.reject(new Error(state)),
  )
  try {
    const { METRICS_HOST, METRICS_PORT: port, WATCHDOG_MS: stalled_ms } = settings
    opened.push(await serveOperations({ ...parts, host: METRICS_HOST, port, log }))
    parts.health.live('event bus', () => {
      const without_ms = parts.progress() ?? 0
      return without_ms < stalled_ms ? undefined : `no progress for ${without_ms} ms`
    })
    const onStalled = (ms: number) =>
      end(`No progress of events for ${ms} ms while there is work; ending.`)
    opened.push(watch(() => parts.progress(), { stalled_ms, onStalled }))
    if (alone.shipLog !== undefined) opened.push(alone.shipLog(parts))
    if (settings.OPERATOR_PROOF === 'required' && alone.operatorCheck !== undefined) {
      parts.grpc.checkOperators(alone.operatorCheck(parts.grpc))
    }
    opened.push(await start(tracedParts(parts, tracing, alone.name)))
    state = 'started'
    log.info({ grpc: parts.grpcAddress }, 'started')
    return {
      async stop() {
        state = 'stopping'
        await parts.drain()
        await stopAll(opened, log)
      },
    }
  } catch (error) {
    await stopAll(opened, log)
    throw error
  }
}

/** The addresses of the providers; a StartError names the first wrong one. */
function addressesIn({ name, settings, providers }: Alone): (provider: string) => string {
  const targets = new Map(
    providers.map((provider) => {
      const address = settings[grpcUrlName(provider)]
      return [provider, targetOf(typeof address === 'string' ? address : '')]
    }),
  )
  return (provider) => {
    const target = targets.get(provider)
    if (target !== undefined) return target
    throw new Error(`${name} calls ${provider}, which is not one of its providers`)
  }
}
