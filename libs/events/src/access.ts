/**
 * The processes that may write and read each topic, from the catalogue: the source of the brokers' ACLs.
 */
import type { TopicAccess } from '@causeway/bus/kafka'
import { groupNames, servicesOf } from '@causeway/services'
import { catalogue } from './catalogue/catalogue.ts'
import type { EventDefinition, Publisher } from './catalogue/define.ts'

/** Of each service alone, and of each group of services that share a process. */
export const topicAccess: readonly TopicAccess[] = withGroups(accessIn(Object.values(catalogue)))

/** A service writes only what it publishes; it reads what it subscribes to and what it publishes. */

export function accessIn(
  definitions: readonly Pick<EventDefinition, 'topic' | 'publishers' | 'consumers'>[],
): readonly TopicAccess[] {
  const writes = new Map<Publisher, Set<string>>()
  const reads = new Map<Publisher, Set<string>>()
  const add = (to: Map<Publisher, Set<string>>, service: Publisher, topic: string) => {
    to.set(service, (to.get(service) ?? new Set()).add(topic))
  }
  for (const { topic, publishers, consumers } of definitions) {
    for (const service of publishers) add(writes, service, topic)
    for (const service of [...publishers, ...consumers]) add(reads, service, topic)
  }
  return [...reads.keys()].toSorted().map((service) => ({
    user: service,
    services: [service],
    writes: [...(writes.get(service) ?? [])].toSorted(),
    reads: [...(reads.get(service) ?? [])].toSorted(),
  }))
}

function withGroups(ofServices: readonly TopicAccess[]): readonly TopicAccess[] {
  return [...ofServices, ...groupNames.map((user) => accessOfGroup(user, ofServices))]
}

/** What its services may, together. */
function accessOfGroup(user: string, ofServices: readonly TopicAccess[]): TopicAccess {
  const services = servicesOf(user)
  const own = ofServices.filter((each) => services.some((service) => service === each.user))
  const together = (of: (each: TopicAccess) => readonly string[]) =>
    [...new Set(own.flatMap(of))].toSorted()
  return {
    user,
    services,
    writes: together(({ writes }) => writes),
    reads: together(({ reads }) => reads),
  }
}
