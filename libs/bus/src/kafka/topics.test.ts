import { expect, test } from '@jest/globals'
import { StartError } from '@causeway/process'
import type { Admin } from 'kafkajs'
import { ensureTopics } from './topics.ts'

const options = {
  prefix: 'test_',
  processName: 'transfers',
  services: ['transfers'],
  catalogue: ['orders'],
  partitions: 1,
  replicas: 1,
  minInsync: 1,
  retention_h: 1,
}

/** Brokers that answer the creation of topics with this error. */
function adminThatFailsWith(error: Error): Admin {
  return {
    listTopics: () => Promise.resolve([]),
    createTopics: () => Promise.reject(error),
  } as Partial<Admin> as Admin
}

/** As kafkajs reports what brokers answer. */
function brokerError(type: string, message: string): Error {
  return Object.assign(new Error(message), { type, topic: 'test_orders' })
}

test('A topic that the brokers do not know yet after its creation is tried again: the error passes', async () => {
  const error = brokerError('UNKNOWN_TOPIC_OR_PARTITION', 'This server does not host this topic')
  await expect(ensureTopics(adminThatFailsWith(error), options)).rejects.toBe(error)
})

test('A topic that the brokers refuse ends the start with the name of the topic and the reason', async () => {
  const error = brokerError('INVALID_REPLICATION_FACTOR', 'Replication factor is below 1')
  const admin = adminThatFailsWith(error)
  await expect(ensureTopics(admin, options)).rejects.toBeInstanceOf(StartError)
  await expect(ensureTopics(admin, options)).rejects.toThrow(/test_orders: Replication factor/)
})
