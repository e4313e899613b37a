import { expect, test } from '@jest/globals'
import type { Kafka, KafkaMessage } from 'kafkajs'
import { ownedBy, Owner, reseed, resetTime, run } from '../virtual/world.ts'
import { openSimulatedBrokers } from './brokers.ts'
import { Cluster, type SendFate } from './cluster.ts'

const session_ms = 5_000

function open(fate: () => SendFate = () => 'ACKNOWLEDGED') {
  resetTime(0)
  reseed(1)
  const cluster = new Cluster({ beforeSend: fate, afterSend: () => undefined })
  cluster.create('payments', 4)
  return cluster
}

/** A process with a consumer in the group, which resolves and commits what it is given. */
function reader(cluster: Cluster, name: string) {
  const owner = new Owner(name)
  const brokers = ownedBy(owner, () => openSimulatedBrokers(cluster))
  const kafka: Kafka = brokers.client()
  const consumer = ownedBy(owner, () =>
    kafka.consumer({ groupId: 'readers', sessionTimeout: session_ms }),
  )
  const read: string[] = []
  const assigned: number[][] = []
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    assigned.push(payload.memberAssignment.payments ?? [])
  })
  const commit = (batch: readonly KafkaMessage[], partition: number) => ({
    topics: [
      {
        topic: 'payments',
        partitions: [{ partition, offset: String(Number(batch.at(-1)?.offset) + 1) }],
      },
    ],
  })
  void ownedBy(owner, async () => {
    await consumer.connect()
    await consumer.subscribe({ topics: ['payments'], fromBeginning: true })
    await consumer.run({
      eachBatch: (payload) => {
        const { batch } = payload
        read.push(...batch.messages.map(({ value }) => String(value)))
        payload.resolveOffset(batch.lastOffset())
        return payload.commitOffsetsIfNecessary(commit(batch.messages, batch.partition))
      },
    })
  })
  return { owner, read, assigned }
}

async function send(cluster: Cluster, values: readonly string[], partition = 0): Promise<string> {
  const producer = openSimulatedBrokers(cluster).client().producer()
  const messages = values.map((value) => ({ value, partition }))
  let outcome = 'nothing'
  void producer.sendBatch({ topicMessages: [{ topic: 'payments', messages }] }).then(
    () => (outcome = 'sent'),
    (error: unknown) => (outcome = (error as { readonly type: string }).type),
  )
  await run(100)
  return outcome
}

test('A group continues where it has committed, in any process', async () => {
  const cluster = open()
  await send(cluster, ['a', 'b'])
  const first = reader(cluster, 'first')
  await run(500)
  expect(first.read).toEqual(['a', 'b'])
  first.owner.die()
  await send(cluster, ['c'])
  const second = reader(cluster, 'second')
  await run(2 * session_ms)
  expect(second.read).toEqual(['c'])
  expect(cluster.behind()).toEqual([])
  cluster.end()
})

test('A process that is frozen for longer than its session is removed, and may not commit', async () => {
  const cluster = open()
  const first = reader(cluster, 'first')
  await run(500)
  await send(cluster, ['a'])
  await run(500)
  expect(first.read).toEqual(['a'])
  first.owner.frozenUntil_ms = Infinity
  await send(cluster, ['b'])
  const second = reader(cluster, 'second')
  await run(2 * session_ms)
  expect(second.read).toEqual(['b'])
  first.owner.frozenUntil_ms = 0
  await run(3_000)
  // It has joined again, and does not read again what the other one has committed.
  expect(first.read).toEqual(['a'])
  expect(first.assigned.length).toBeGreaterThan(1)
  cluster.end()
})

test('What an outdated member commits is refused', () => {
  const cluster = open()
  const group = cluster.group('readers', () => Promise.resolve(new Map()))
  const member = {
    owner: undefined,
    topics: ['payments'],
    session_ms,
    isOpen: () => true,
    onRebalance: () => undefined,
    onJoined: () => undefined,
  }
  const offsets = [{ topic: 'payments', partition: 0, offset: 7 }]
  expect(() => group.commit(member, 0, offsets)).toThrow('UNKNOWN_MEMBER_ID')
  group.join(member)
  expect(() => group.commit(member, 0, offsets)).toThrow('ILLEGAL_GENERATION')
  group.commit(member, 1, offsets)
  expect(cluster.committed('readers', 'payments', 0)).toBe(7)
  cluster.end()
})

test('A producer that is refused may have stored what it sent', async () => {
  let isStored = true
  const cluster = open(() => ({ isStored, type: 'NOT_ENOUGH_REPLICAS_AFTER_APPEND' }))
  expect(await send(cluster, ['a'])).toBe('NOT_ENOUGH_REPLICAS_AFTER_APPEND')
  isStored = false
  expect(await send(cluster, ['b'])).toBe('NOT_ENOUGH_REPLICAS_AFTER_APPEND')
  expect(cluster.read('payments').map(({ value }) => String(value))).toEqual(['a'])
  cluster.end()
})

test('Brokers that are away answer when they are back', async () => {
  const cluster = open()
  cluster.leave(3_000)
  expect(await send(cluster, ['a'])).toBe('nothing')
  expect(cluster.silent_ms()).toBe(100)
  await run(3_000)
  expect(cluster.silent_ms()).toBe(0)
  expect(cluster.read('payments').length).toBe(1)
  cluster.end()
})
