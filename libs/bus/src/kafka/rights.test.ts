import { expect, test } from '@jest/globals'
import kafkajs from 'kafkajs'
import { rightsOf, type TopicAccess } from './rights.ts'

const { AclOperationTypes: may, AclResourceTypes: resource } = kafkajs

const services: readonly TopicAccess[] = [
  { service: 'shop', writes: ['orders'], reads: ['orders', 'bills'] },
  { service: 'back-office', writes: ['bills'], reads: ['bills', 'orders'] },
  { service: 'scheduler', writes: ['reminders'], reads: ['reminders'] },
]
const topics = { prefix: 'hub.', catalogue: ['orders', 'bills', 'reminders'] }

function topicsThat(access: TopicAccess, operation: number): readonly string[] {
  return rightsOf(access, topics)
    .filter((entry) => entry.resourceType === resource.TOPIC && entry.operation === operation)
    .map(({ resourceName }) => resourceName)
}

test('No service may write what another reads as its own: only events that the catalogue lets it publish', () => {
  for (const writer of services) {
    for (const reader of services.filter((other) => other !== writer)) {
      const read = topicsThat(reader, may.READ)
      const both = topicsThat(writer, may.WRITE).filter((topic) => read.includes(topic))
      const published = writer.writes.map((topic) => `hub.${topic}`)
      expect(both.filter((topic) => !published.includes(topic))).toEqual([])
    }
  }
})

test('A service writes and reads its own dead letters and replays, and those of no other', () => {
  const own = ['hub.dead-letters.shop', 'hub.replays.shop']
  const [shop] = services as [TopicAccess]
  for (const operation of [may.DESCRIBE, may.WRITE, may.READ]) {
    const found = topicsThat(shop, operation).filter((topic) => /dead-letters|replays/.test(topic))
    expect(found).toEqual(own)
  }
})
