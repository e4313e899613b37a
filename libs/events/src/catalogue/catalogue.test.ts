import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { catalogue, sharedTopics } from './catalogue.ts'
import type { EventDefinition } from './define.ts'
import { eventsPage } from '../docs.ts'
import { derivedId } from '../derived-id.ts'
import { newEvent } from '../event.ts'

const events = Object.entries<EventDefinition>(catalogue)

test('The page of events agrees with the catalogue; npm run docs writes it again', () => {
  expect(readFileSync(new URL('../../EVENTS.md', import.meta.url), 'utf8')).toBe(eventsPage())
})

test('Each topic has one publisher, save those that every service may write', () => {
  const publishers = new Map<string, Set<string>>()
  for (const [, { topic, publishers: names }] of events) {
    const known = publishers.get(topic) ?? new Set()
    publishers.set(topic, new Set([...known, ...names]))
  }
  const crowded = [...publishers].filter(([topic, names]) => {
    return names.size > 1 && !sharedTopics.has(topic)
  })
  expect(crowded).toEqual([])
})

test('The key of each event is a member that its payload must have', () => {
  for (const [name, { key, schema }] of events) {
    if (key === null) continue
    const missing = schema.safeParse({})
    const paths = missing.error?.issues.map((issue) => issue.path.join('.'))
    expect([name, paths]).toEqual([name, expect.arrayContaining([key])])
  }
})

test.each([
  ['TransferPrepareRequested', 'fspiop-api.transfers'],
  ['TransferPrepareAccountsAllocated', 'settlements.allocations'],
  ['TransferFulfilComitRequestTimedout', 'transfers'],
  ['TransferFulfilCommitRequestTimedoutCallbackReport', 'fspiop-api.transfers'],
  ['TransferCommittedFulfiled', 'transfers'],
  ['QuoteResponseAccepted', 'quoting'],
  ['ParticipantLiquidityThresholdExceeded', 'participants'],
  ['NotifyRequested', 'notifications.requests'],
  ['NotifyReport', 'notifications.reports'],
  ['ScheduleReminderDue', 'scheduler'],
  ['SecretsValuesChanged', 'config'],
  ['/audit-log-write', 'audit'],
] as const)('%s travels on topic %s', (name, topic) => {
  expect(catalogue[name].topic).toBe(topic)
})

test('An event carries the key, the relayed bytes and the id that its maker chose', () => {
  const body = Buffer.from('{ "a" : 1 }')
  const payload = { transferId: 't-1', requesterFspId: 'greenbank', version: '1.1' }
  const event = newEvent('fspiop-api', 'TransferQueryReceived', payload, {
    id: 'e-1',
    relay: { body },
  })
  expect(event).toEqual({
    id: 'e-1',
    topic: 'fspiop-api.transfers',
    key: 't-1',
    type: 'TransferQueryReceived',
    source: 'fspiop-api',
    payload,
    headers: { 'relay-body': body },
  })
})

test('A derived id repeats for the same cause, name and part, and for no other', () => {
  const id = derivedId('c-1', 'NotifyRequested', 'PAYER')
  expect(derivedId('c-1', 'NotifyRequested', 'PAYER')).toBe(id)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const others = [
    derivedId('c-2', 'NotifyRequested', 'PAYER'),
    derivedId('c-1', 'NotifyReport', 'PAYER'),
    derivedId('c-1', 'NotifyRequested', 'PAYEE'),
  ]
  expect(new Set([id, ...others]).size).toBe(4)
})
