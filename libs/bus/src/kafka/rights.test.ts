import { expect, test } from '@jest/globals'
import kafkajs from 'kafkajs'
import { rightsOf, type TopicAccess } from './rights.ts'

const { AclOperationTypes: may, AclResourceTypes: resource } = kafkajs

const processes: readonly TopicAccess[] = [
  { user: 'shop', services: ['shop'], writes: ['orders'], reads: ['orders', 'bills'] },
  {
    user: 'office',
    services: ['back-office', 'audit'],
    writes: ['bills'],
    reads: ['bills', 'orders'],
  },
  { user: 'scheduler', services: ['scheduler'], writes: ['reminders'], reads: ['reminders'] },
]
const topics = { prefix: 'hub.', catalogue: ['orders', 'bills', 'reminders'] }

function topicsThat(access: TopicAccess, operation: number): readonly string[] {
  return rightsOf(access, topics)
    .filter((entry) => entry.resourceType === resource.TOPIC && entry.operation === operation)
    .map(({ resourceName }) => resourceName)
}

test('No process may write what another reads as its own: only events that the catalogue lets it publish', () => {
  for (const writer of processes) {
    for (const reader of processes.filter((other) => other !== writer)) {
      const read = topicsThat(reader, may.READ)
      const both = topicsThat(writer, may.WRITE).filter((topic) => read.includes(topic))
      const published = writer.writes.map((topic) => `hub.${topic}`)
      expect(both.filter((topic) => !published.includes(topic))).toEqual([])
    }
  }
})

test.each([
  [processes[0], ['shop']],
  [processes[1], ['back-office', 'audit']],
] as const)(
  'A process writes and reads the dead letters of its services, and no others',
  (access, services) => {
    const own = services.flatMap((name) => [`hub.dead-letters.${name}`, `hub.replays.${name}`])
    if (access === undefined) throw new Error('there is such a process')
    for (const operation of [may.DESCRIBE, may.WRITE, may.READ]) {
      const found = topicsThat(access, operation).filter((topic) =>
        /dead-letters|replays/.test(topic),
      )
      expect(found).toEqual(own)
    }
  },
)
