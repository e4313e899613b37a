import { expect, test } from '@jest/globals'
import { accessIn, topicAccess } from './access.ts'
import { catalogue, sharedTopics, topics } from './catalogue.ts'

test('a service writes what it publishes alone, and reads what it hears and says', () => {
  expect(
    accessIn([
      { topic: 'orders', publishers: ['transfers'], consumers: ['quoting'] },
      { topic: 'bills', publishers: ['quoting', 'transfers'], consumers: [] },
    ]),
  ).toEqual([
    { service: 'quoting', writes: ['bills'], reads: ['bills', 'orders'] },
    { service: 'transfers', writes: ['bills', 'orders'], reads: ['bills', 'orders'] },
  ])
})

test('each topic of the catalogue has one writer, but for those that several share', () => {
  for (const topic of topics.filter((each) => !sharedTopics.has(each))) {
    const writers = topicAccess.filter(({ writes }) => writes.includes(topic))
    expect([topic, writers.length]).toEqual([topic, 1])
  }
})

test('whoever hears an event may read its topic', () => {
  for (const { topic, consumers } of Object.values(catalogue)) {
    for (const consumer of consumers) {
      const access = topicAccess.find(({ service }) => service === consumer)
      expect([consumer, access?.reads]).toEqual([consumer, expect.arrayContaining([topic])])
    }
  }
})
