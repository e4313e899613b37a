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
import { openDistributed } from './distributed.ts'
import {
  distributedSettings,
  grpcUrlName,
  grpcUrls,
  type DistributedSettings,
} from './distributed-settings.ts'
import { serveOperations } from './operations.ts'
import type { ProcessParts, Start } from './process-parts.ts'
import { tracedParts, tracingOf } from './tracing/parts.ts'

/** What a process needs beside its services. */
interface ProcessOptions {
  /** Every topic of the catalogue of events. */
  readonly topics: readonly string[]
  /** Folder names of the services that its services call. */
  readonly providers: readonly string[]
  /** The services that may call a gRPC method, by its path. */
  readonly callersOf: (path: string) => readonly string[]
  /** The services that a process of that name runs. */
  readonly servicesOf: (processName: string) => readonly string[]
  /** Copies warnings to the log store. */
  readonly shipLog?: (parts: Pick<ProcessParts, 'bus' | 'log'>) => Service
  /** How operators in calls are proven; undefined: the service does it, or serves no calls. */
  readonly operatorCheck: ((grpc: GrpcHost) => OperatorCheck) | undefined
}

export interface AloneOptions<Definitions extends SettingDefinitions> extends ProcessOptions {
  readonly settings: Definitions
  readonly start: Start<SettingValues<Definitions>>
}

export interface GroupOptions<Definitions extends SettingDefinitions> extends ProcessOptions {
  /** Of all its services. */
  readonly settings: Definitions
  /** By the folder name of the service, in the order in which they start. */
  readonly starts: readonly (readonly [service: string, start: Start<SettingValues<Definitions>>])[]
}

type DistributedValues = DistributedSettings & Readonly<Record<string, string | number>>

/** @param name folder name of the service */
export function runDistributed<Definitions extends SettingDefinitions>(
  name: string,
  { start, ...options }: AloneOptions<Definitions>,
  host: HostProcess = process,
): Promise<void> {
  return runGroup<Definitions>(name, { ...options, starts: [[name, start]] }, host)
}

/**
 * Several services in one process.
 * @param name of the process
 */
export function runGroup<Definitions extends SettingDefinitions>(
  name: string,
  { starts, ...options }: GroupOptions<Definitions>,
  host: HostProcess = process,
): Promise<void> {
  const services = options.servicesOf(name)
  const providers = options.providers.filter((provider) => !services.includes(provider))
  const all = { ...options.settings, ...grpcUrls(providers), ...distributedSettings }
  const startAll = (values: SettingValues<SettingDefinitions>, log: Logger) => {
    const own = { name, services, providers, settings: values as DistributedValues, log, host }
    const each = starts.map(([service, start]): StartOne => [
      service,
      (parts) => start(values as SettingValues<Definitions>, parts),
    ])
    return open({ ...options, ...own }, each)
  }
  return run<SettingDefinitions>(name, all, startAll, host)
}

type StartOne = readonly [service: string, start: (parts: ProcessParts) => Promise<Service>]

interface OpenOptions extends ProcessOptions {
  readonly name: string
  readonly services: readonly string[]
  readonly settings: DistributedValues
  readonly log: Logger
  readonly host: HostProcess
}

async function open(options: OpenOptions, starts: readonly StartOne[]): Promise<Service> {
  const { settings, log, host } = options
  const end = (sentence: string) => {
    log.fatal(sentence)
    host.stderr.write(`${sentence}\n`)
    host.exit(exitCodes.broken)
  }
  const addressOf = addressesIn(options)
  const tracing = await tracingOf(settings, log)
  const parts = await openDistributed({ ...options, addressOf })
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
    if (options.shipLog !== undefined) opened.push(options.shipLog(parts))
    if (settings.OPERATOR_PROOF === 'required' && options.operatorCheck !== undefined) {
      parts.grpc.checkOperators(options.operatorCheck(parts.grpc))
    }
    for (const [service, start] of starts) {
      opened.push(await start(tracedParts(parts, tracing, service)))
    }
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

/** The addresses of the providers elsewhere; a StartError names the first wrong one. */
function addressesIn({
  name,
  services,
  settings,
  providers,
}: OpenOptions): (provider: string) => string | undefined {
  const targets = new Map(
    providers.map((provider) => {
      const address = settings[grpcUrlName(provider)]
      return [provider, targetOf(typeof address === 'string' ? address : '')]
    }),
  )
  return (provider) => {
    const target = targets.get(provider)
    if (target !== undefined || services.includes(provider)) return target
    throw new Error(`${name} calls ${provider}, which is not one of its providers`)
  }
}
