/**
 * Which services share a process where the hub is distributed. A process of one service has its name; the
 * groups are how a hub is usually run.
 */
import { serviceNames, type ServiceName } from './descriptions.ts'

/** What a payment passes through, and what operators need. The ledger has one writer, so it is apart. */
const groups = {
  path: ['account-lookup', 'fspiop-api', 'notifications', 'quoting', 'settlements', 'transfers'],
  platform: ['admin', 'audit', 'auth-service', 'config', 'scheduler'],
} as const satisfies Readonly<Record<string, readonly ServiceName[]>>

export const groupNames: readonly string[] = Object.keys(groups)

/**
 * The services of a process, by the name of a group or of a service, or several of these with + between.
 * None: it is no name of a process.
 */
export function servicesOf(processName: string): readonly ServiceName[] {
  const all = processName.split('+').map(servicesOfOne)
  return all.some((services) => services.length === 0) ? [] : [...new Set(all.flat())].toSorted()
}

function servicesOfOne(name: string): readonly ServiceName[] {
  if (Object.hasOwn(groups, name)) return groups[name as keyof typeof groups]
  return serviceNames.filter((service) => service === name)
}
