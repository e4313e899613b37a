/** Parked notifications of which some cannot be read, because the key of their month is lost. */
import { randomBytes } from 'node:crypto'
import * as authService from '@causeway/auth-service'
import { statement, type Database } from '@causeway/postgres'
import { readSettings } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { notificationsService } from '@causeway/protos'
import { openTestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import {
  notify,
  openSink,
  openStore,
  openWorld,
  type Sink,
  type NotificationsWorld,
} from './testing/world.ts'

const hour_ms = 3_600_000

let sink: Sink
let world: NotificationsWorld
let db: Database
let stopAuth: () => Promise<void>

beforeEach(async () => {
  sink = await openSink(() => 503)
  const parts = await openTestParts()
  const key = randomBytes(32).toString('base64url')
  const auth = await authService.start(
    readSettings(authService.settings, {
      sources: [{ origin: 'flag', values: { AUTH_SERVICE_SECRETS_KEY: key } }],
      prefixes: [],
    }).values,
    parts,
  )
  stopAuth = () => auth.stop()
  world = await openWorld({ MESSAGE_ENCRYPTION: 'on' }, parts)
  db = await openStore(parts)
})

afterEach(async () => {
  await db.close()
  await world.service.stop()
  await stopAuth()
  await world.parts.stop()
  await sink.close()
})

/** As if another key had sealed the body. */
const forgetKey = statement(`
  update undelivered set body = overlay(body placing '\\x0000000000000000' from 5)
  where notification_id = any ($1::text[]::uuid[]) and get_byte(body, 0) = 1`)

async function stateOf(id: string) {
  const [row] = await db.query<{ state: string; last_error: string | null }>(
    statement('select state, last_error from undelivered where notification_id = $1::text::uuid'),
    [id],
  )
  return row
}

test('A parked callback whose key is lost becomes a dead letter, and the others are delivered', async () => {
  const sent = ['bluewallet', 'redbank', 'bluewallet'].map((fspId) =>
    notify({ url: sink.url, fspId, body: '{"payee":"Alice"}', deadline_ms: 2 * hour_ms }),
  )
  const [lost, ...others] = sent.map(({ id }) => id)
  await world.publish(...sent)
  await eventually(async () => {
    const rows = await db.query(statement('select from undelivered where attempts > 0'), [])
    return rows.length === sent.length
  }, 'all to be parked')
  await db.query(forgetKey, [`{${lost}}`])
  await eventually(async () => (await stateOf(lost ?? ''))?.state === 'DEAD', 'the dead letter')
  expect(await stateOf(lost ?? '')).toMatchObject({
    last_error: 'its stored body is erased or cannot be read',
  })
  sink.answers = () => 200
  await eventually(async () => {
    const states = await Promise.all(others.map(stateOf))
    return states.every((row) => row === undefined)
  }, 'the others to be delivered')
  expect(sink.received.every(({ body }) => body.toString() === '{"payee":"Alice"}')).toBe(true)
  const dead = world.parts.grpc.client(notificationsService, 'notifications')
  const resending = { ids: [lost ?? ''], actor: 'ada' }
  expect((await dead.ResendDeadLetters(resending)).answers).toMatchObject([{ outcome: 'EXPIRED' }])
})
