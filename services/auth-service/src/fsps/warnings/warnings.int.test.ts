/** Warnings of keys and certificates that end soon, with the scheduler's reminder. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { newEvent, onEvents, type Payload } from '@causeway/events'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import { schedulerService } from '@causeway/protos'
import * as scheduler from '@causeway/scheduler'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fsp, openWorld, type AuthServiceWorld } from '../../testing/world.ts'
import { warningDaysIn } from './open.ts'

let auth: AuthServiceWorld
const warned: Payload<'CredentialEnding'>[] = []

beforeAll(async () => {
  auth = await openWorld([participantLifecycle, settlements, scheduler])
  await onEvents(auth.parts.bus, 'test_warned', ['CredentialEnding'], (events) => {
    warned.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
}, 60_000)

afterAll(() => auth.stop())

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString()
}

async function addKey(kid: string, validTo: string, use: 'sig' | 'enc' = 'sig'): Promise<void> {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { refusal } = await auth.keys.AddParticipantKey({
    participant: fsp,
    kid,
    use,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    validTo,
    createdBy: 'ada',
  })
  if (refusal) throw new Error(refusal.detail)
}

/** The scheduler publishes it each morning. */
async function morning(): Promise<void> {
  const due = newEvent('scheduler', 'ScheduleReminderDue', {
    reminderId: 'auth-service/ending-credentials',
    owner: 'auth-service',
    dueAt: new Date().toISOString(),
    payload: '',
  })
  await auth.parts.bus.publish([due])
  await auth.parts.bus.publish([{ ...due, id: randomUUID() }])
}

test('The daily look is registered with the scheduler', async () => {
  const { ListScheduleReminders } = auth.parts.grpc.client(schedulerService, 'scheduler')
  const found = await eventually(async () => {
    const { reminders } = await ListScheduleReminders({ owner: 'auth-service' })
    return reminders[0]
  }, 'the reminder')
  expect(found.reminder).toMatchObject({
    reminderId: 'auth-service/ending-credentials',
    cron: '0 6 * * *',
  })
})

test('A key that ends soon is warned of once, unless a later one replaces it', async () => {
  await addKey('old', inDays(20))
  await morning()
  await eventually(() => warned[0], 'the warning')
  await addKey('new', inDays(6.5))
  await addKey('newest', inDays(400))
  await addKey('secret', inDays(3), 'enc')
  await morning()
  await eventually(() => (warned.length > 1 ? true : undefined), 'the second warning')
  expect(warned).toMatchObject([
    { participantId: fsp, kind: 'SIGNING_KEY', credentialId: 'old', daysLeft: 20 },
    { participantId: fsp, kind: 'ENCRYPTION_KEY', credentialId: 'secret', daysLeft: 3 },
  ])
  await eventually(async () => {
    const text = await auth.parts.metrics.metrics()
    return text.includes('auth_service_ending_credentials_total{kind="ENCRYPTION_KEY"} 1')
  }, 'the warning in the metrics')
})

test.each(['30,7,x', '0', '1.5', '2000'])('The days %s are refused at the start', (text) => {
  expect(() => warningDaysIn(text)).toThrow('AUTH_SERVICE_ENDING_WARNINGS_D')
})

test('Days before the end are read from the setting', () => {
  expect(warningDaysIn('30, 7,1')).toEqual([30, 7, 1])
  expect(warningDaysIn('')).toEqual([])
})
