import { expect, test } from '@jest/globals'
import { accessIn, topicAccess } from './access.ts'
import { catalogue, sharedTopics, topics, topicsFromOutside } from './catalogue/catalogue.ts'
import type { EventDefinition } from './catalogue/define.ts'

const events = Object.values<EventDefinition>(catalogue)
const ofServices = topicAccess.filter(({ user, services }) => services.join() === user)

test('A service writes only what it publishes, and reads what it subscribes to and publishes', () => {
  expect(
    accessIn([
      { topic: 'orders', publishers: ['transfers'], consumers: ['quoting'] },
      { topic: 'bills', publishers: ['quoting', 'transfers'], consumers: [] },
    ]),
  ).toEqual([
    { user: 'quoting', services: ['quoting'], writes: ['bills'], reads: ['bills', 'orders'] },
    {
      user: 'transfers',
      services: ['transfers'],
      writes: ['bills', 'orders'],
      reads: ['bills', 'orders'],
    },
  ])
})

test('Each topic has one writer, except for those that several share or none has yet', () => {
  for (const topic of topics.filter((each) => !sharedTopics.has(each))) {
    const writers = ofServices.filter(({ writes }) => writes.includes(topic))
    const isUsed = events.some((event) => event.topic === topic && event.publishers.length > 0)
    expect([topic, writers.length]).toEqual([topic, isUsed ? 1 : 0])
  }
})

test('No service has a right on a topic of which no event is published', () => {
  const used = new Set([
    ...topicsFromOutside,
    ...events.flatMap(({ topic, publishers }) => (publishers.length > 0 ? topic : [])),
  ])
  const granted = topicAccess.flatMap(({ writes, reads }) => [...writes, ...reads])
  expect(granted.filter((topic) => !used.has(topic))).toEqual([])
})

test('A service that subscribes to an event may read its topic', () => {
  for (const { topic, consumers } of Object.values(catalogue)) {
    for (const consumer of consumers) {
      const access = topicAccess.find(({ user }) => user === consumer)
      expect([consumer, access?.reads]).toEqual([consumer, expect.arrayContaining([topic])])
    }
  }
})

test('No service may write what components outside the hub write', () => {
  const written = topicAccess.flatMap(({ writes }) => writes)
  expect(written.filter((topic) => topicsFromOutside.has(topic))).toEqual([])
})
