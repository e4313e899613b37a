import { schemaOf } from '@causeway/runtime'
import * as authService from '@causeway/auth-service'
import { makeComponentKey, type TestComponentKey } from '@causeway/keys/components/testing'
import { newEvent, onEvents, type DomainEvent } from '@causeway/events'
import { statement, type Database } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { schedulerService } from '@causeway/protos'
import * as scheduler from '@causeway/scheduler'
import type { Service } from '@causeway/process'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { bucketKey, startBucketServer, type BucketServer } from '../testing/bucket-server.ts'
import { openWorld, valuesOf, type AuditWorld } from '../testing/world.ts'

let world: AuditWorld
let bucket: BucketServer
let quoting: TestComponentKey
let mails: DomainEvent<'NotifyRequested'>[]
let scheduling: Service
/** With write access to all of audit's tables. */
let db: Database

beforeEach(async () => {
  bucket = await startBucketServer()
  quoting = await makeComponentKey()
  mails = []
  world = await openWorld(authService, {
    AUDIT_ANCHOR_S3_URL: bucket.url,
    AUDIT_ANCHOR_S3_KEY_ID: bucketKey.accessKeyId,
    AUDIT_ANCHOR_S3_SECRET: bucketKey.secretAccessKey,
    AUDIT_ANCHOR_INTERVAL_S: '1',
    AUDIT_MAIL_TO: 'auditor@hub.example',
  })
  scheduling = await scheduler.start(valuesOf(scheduler.settings, {}), world.parts)
  await world.register('quoting', quoting)
  await onEvents(world.parts.bus, 'test_mails', ['NotifyRequested'], (events) => {
    mails.push(...events)
    return Promise.resolve()
  })
  db = await world.parts.openDatabase({
    url: '',
    ...schemaOf('audit'),
    connections_max: 1,
  })
})

afterEach(async () => {
  await db.close()
  await scheduling.stop()
  await world.stop()
  await bucket.stop()
  quoting.remove()
})

const run = (sql: string) => db.query(statement(sql), [])

const verify = () => world.audit.VerifyAuditChain({ afterN: '0', limit: 5_000 })

async function recordAndAnchor(count: number): Promise<void> {
  let id = ''
  for (let done = 0; done < count; done += 1) id = await world.publish('quoting', quoting)
  await eventually(async () => {
    const [entry] = await db.query<{ readonly n: string }>(
      statement('select n from entries where id = $1'),
      [id],
    )
    const { anchorN } = await world.audit.DescribeAuditLog({})
    return entry !== undefined && BigInt(anchorN || '0') >= BigInt(entry.n) ? true : undefined
  }, 'the last entry is anchored')
}

async function fireReminder(): Promise<void> {
  const now = new Date().toISOString()
  await world.parts.bus.publish([
    newEvent('scheduler', 'ScheduleReminderDue', {
      reminderId: 'audit/verify',
      owner: 'audit',
      dueAt: now,
      payload: '',
    }),
  ])
}

const firstMail = () =>
  eventually(() => Promise.resolve(mails[0]), 'the result of the verification is mailed')

test('The verification is a daily reminder of the scheduler', async () => {
  const { ListScheduleReminders } = world.parts.grpc.client(schedulerService, 'scheduler')
  const reminder = await eventually(async () => {
    const { reminders } = await ListScheduleReminders({ owner: 'audit' })
    return reminders.find((each) => each.reminder?.reminderId === 'audit/verify')?.reminder
  }, 'the reminder is registered')
  expect(reminder).toMatchObject({ cron: '0 3 * * *', taskType: 'EVENT' })
})

test('A scheduled verification mails its result with an entry that can be verified later', async () => {
  await recordAndAnchor(2)
  await fireReminder()
  const { payload, relay } = await firstMail()
  expect(payload.transport).toMatchObject({
    type: 'EMAIL',
    address: 'auditor@hub.example',
    subject: 'Audit log of Hub: verified',
  })
  expect(await world.audit.DescribeAuditLog({})).toMatchObject({ verificationFaults: 0 })
  const text = relay?.body.toString() ?? ''
  const [, notedN = '', notedHash = ''] = /number=(\d+)&hash=([\da-f]{64})/.exec(text) ?? []
  const noted = { afterN: '0', limit: 5_000, notedN, notedHash }
  expect((await world.audit.VerifyAuditChain(noted)).faults).toEqual([])
  // The log is cut off before the entry that the e-mail names, and the head moved.
  await run('alter table entries disable trigger entries_stay')
  await run(`delete from entries where n >= ${notedN}`)
  expect((await world.audit.VerifyAuditChain(noted)).faults).toContain(
    `entry ${notedN}, which the question names, is missing`,
  )
})

test('A log that is cut off together with its signed head is found by the anchors in the bucket, even hidden ones', async () => {
  await recordAndAnchor(1)
  const [head] = await db.query<Record<string, string>>(
    statement('select n::text, hash::text, signed_at::text, kid, signature::text from head'),
    [],
  )
  await recordAndAnchor(3)
  await run('alter table entries disable trigger entries_stay')
  // Entries of services may be appended at any time.
  await db.transaction(async (tx) => {
    await tx.query(statement('select from head for update'), [])
    await tx.query(statement(`delete from entries where n > ${head?.['n']}`), [])
    await tx.query(
      statement(`update head set n = ${head?.['n']}, hash = '${head?.['hash']}',
        signed_at = '${head?.['signed_at']}', kid = '${head?.['kid']}',
        signature = '${head?.['signature']}'`),
      [],
    )
  })
  bucket.hideAll()
  const { faults } = await verify()
  expect(faults).not.toEqual([])
  for (const fault of faults) {
    expect(fault).toMatch(
      /^entry \d+(, which the anchor of .+ names, is missing| is not the one that the anchor of .+ names)$/,
    )
  }
  await fireReminder()
  const { payload, relay } = await firstMail()
  expect(payload.transport).toMatchObject({ subject: expect.stringMatching(/: \d+ faults$/) })
  expect(relay?.body.toString()).toMatch(/^Fault: entry \d+.* the anchor of /m)
})
