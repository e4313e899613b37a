/**
 * Some services of a distributed hub in one process, `SERVICES=path` or `SERVICES=quoting,transfers`: calls
 * between them stay in it. The others are not loaded.
 */
import { shipLog, topics } from '@causeway/events'
import { operatorCheck } from '@causeway/keys/components'
import { exitWithError, listIn, mergeSettings, StartError, text } from '@causeway/process'
import { runGroup, type ProcessParts } from '@causeway/runtime'
import {
  callersOf,
  callsOf,
  groupNames,
  serviceNames,
  servicesOf,
  type ServiceName,
} from '@causeway/services'
import { serviceModules } from './service-modules.ts'

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
  const services = servicesOf(name)
  const [first] = services
  if (first === undefined) {
    const known = [...groupNames, ...serviceNames].join(', ')
    throw new StartError(`SERVICES names no service, or an unknown one: there are ${known}.`)
  }
  const inOrder = (Object.keys(serviceModules) as ServiceName[]).filter((service) =>
    services.includes(service),
  )
  const modules = await Promise.all(
    inOrder.map(async (service) => [service, await serviceModules[service]()] as const),
  )
  await runGroup(name, {
    settings: mergeSettings([own, ...modules.map(([, { settings }]) => settings)]),
    starts: modules.map(([service, { start }]) => [
      service,
      (settings, parts: ProcessParts) => start(settings as never, parts),
    ]),
    topics,
    callersOf,
    servicesOf,
    shipLog: (parts) => shipLog(first, parts, name),
    operatorCheck: services.includes('auth-service') ? undefined : operatorCheck,
    providers: [...new Set(services.flatMap(callsOf))],
  })
}

main().catch(exitWithError)
