/**
 * Some services of a distributed hub in one process, `SERVICES=path` or `SERVICES=quoting,transfers`: calls
 * between them stay in it. The others are not loaded. They start in the order of a hub in one process.
 */
import { shipLog, topics } from '@causeway/events'
import { operatorCheck } from '@causeway/keys/components'
import {
  exitWithError,
  listIn,
  mergeSettings,
  StartError,
  stopAll,
  text,
  type Service,
  type SettingDefinitions,
} from '@causeway/process'
import { runGroup, type ProcessParts } from '@causeway/runtime'
import { callersOf, callsOf, groupNames, serviceNames, servicesOf } from '@causeway/services'
import type { ServiceName } from '@causeway/services'

interface ServiceModule {
  readonly settings: SettingDefinitions
  /** Its settings were read with those of all. */
  readonly start: (settings: never, parts: ProcessParts) => Promise<Service>
}

/** Those that others call come first, and the two edges, which admit work, last. */
const loaders: Readonly<Record<ServiceName, () => Promise<ServiceModule>>> = {
  audit: () => import('@causeway/audit'),
  config: () => import('@causeway/config'),
  'participant-lifecycle': () => import('@causeway/participant-lifecycle'),
  'auth-service': () => import('@causeway/auth-service'),
  scheduler: () => import('@causeway/scheduler'),
  settlements: () => import('@causeway/settlements'),
  'account-lookup': () => import('@causeway/account-lookup'),
  quoting: () => import('@causeway/quoting'),
  transfers: () => import('@causeway/transfers'),
  notifications: () => import('@causeway/notifications'),
  'fspiop-api': () => import('@causeway/fspiop-api'),
  admin: () => import('@causeway/admin'),
}

const own = {
  SERVICES: text({
    about: `services that run in this process, or groups of them (${groupNames.join(', ')}), separated by commas`,
    default: null,
  }),
}

async function main(): Promise<void> {
  const name = listIn(process.env['SERVICES'] ?? '')
    .toSorted()
    .join('+')
  const [first, ...others] = servicesOf(name)
  if (first === undefined) {
    const known = [...groupNames, ...serviceNames].join(', ')
    throw new StartError(`SERVICES names no service, or an unknown one: there are ${known}.`)
  }
  const services = [first, ...others]
  const modules = await Promise.all(
    Object.entries(loaders).flatMap(([service, load]) =>
      services.some((each) => each === service)
        ? [load().then((module) => [service, module] as const)]
        : [],
    ),
  )
  await runGroup(name, {
    settings: mergeSettings([own, ...modules.map(([, { settings }]) => settings)]),
    start: (settings, partsOf) => startAll(modules, settings, partsOf),
    topics,
    callersOf,
    servicesOf,
    shipLog: (parts) => shipLog(first, parts, name),
    operatorCheck: services.includes('auth-service') ? undefined : operatorCheck,
    providers: [...new Set(services.flatMap(callsOf))],
  })
}

async function startAll(
  modules: readonly (readonly [name: string, module: ServiceModule])[],
  settings: unknown,
  partsOf: (service: string) => ProcessParts,
): Promise<Service> {
  const started: Service[] = []
  const stop = async () => {
    const { log } = partsOf('hub')
    await stopAll(started, log)
  }
  try {
    for (const [name, module] of modules) {
      started.push(await module.start(settings as never, partsOf(name)))
    }
    return { stop }
  } catch (error) {
    await stop()
    throw error
  }
}

main().catch(exitWithError)
