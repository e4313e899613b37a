/** The password of the mail server is a secret that operators set while the service runs. */
import { randomBytes } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { approvalCalls, wordOf } from '@causeway/approvals/testing'
import * as authService from '@causeway/auth-service'
import { makeComponentKey, type TestComponentKey } from '@causeway/keys/components/testing'
import * as config from '@causeway/config'
import { newEvent } from '@causeway/events'
import { statement } from '@causeway/postgres'
import { readSettings, type SettingDefinitions, type SettingValues } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { openMailServer, type TestMailServer } from './mail-server.ts'
import { mail, openWorld, type NotificationsWorld } from './testing/world.ts'

const name = 'NOTIFICATIONS_SMTP_PASSWORD'

let parts: TestParts
let world: NotificationsWorld
let server: TestMailServer
let componentKey: TestComponentKey
/** What the mail server accepts, and what it was given. */
let accepted: string
let tried: string[]
let stops: { stop(): Promise<unknown> }[]

beforeEach(async () => {
  accepted = 'of-the-environment'
  tried = []
  parts = await openTestParts()
  componentKey = await makeComponentKey()
  server = await openMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      tried.push(password ?? '')
      if (username === 'hub' && password === accepted) done(null, { user: 'hub' })
      else done(new Error('the password is wrong'))
    },
  })
  const key = () => randomBytes(32).toString('base64url')
  const auth = valuesOf(authService.settings, { AUTH_SERVICE_SECRETS_KEY: key() })
  stops = [
    await authService.start(auth, parts),
    await config.start(valuesOf(config.settings, { CONFIG_SECRETS_KEY: key() }), parts),
  ]
  world = await openWorld(
    {
      NOTIFICATIONS_MAIL_FROM: 'hub@hub.example',
      NOTIFICATIONS_SMTP_URL: `smtp://hub:of-the-environment@127.0.0.1:${server.port}`,
      NOTIFICATIONS_COMPONENT_KEY_FILE: componentKey.file,
    },
    parts,
  )
})

afterEach(async () => {
  await world.service.stop()
  for (const each of stops.toReversed()) await each.stop()
  await server.close()
  await parts.stop()
  componentKey.remove()
})

function valuesOf<Definitions extends SettingDefinitions>(
  definitions: Definitions,
  given: Readonly<Record<string, string>>,
): SettingValues<Definitions> {
  const sources = [{ origin: 'flag', values: given }] as const
  return readSettings(definitions, { sources, prefixes: [] }).values
}

/** Requested by ada and approved by grace. */
async function setPassword(value: string | null): Promise<void> {
  const change = { boundedContextId: 'notifications', newValues: [{ name, value }] }
  const answer = await approvalCalls(parts.grpc, 'config').make('SecretValues', change)
  expect(wordOf(answer)).toBe('APPROVED')
}

function arrived(count: number) {
  return eventually(() => server.mails.length === count, `${count} e-mails`)
}

test('A password that operators set applies without a restart, and its removal leads back to the environment', async () => {
  await world.publish(mail())
  await arrived(1)
  accepted = 'set-by-operators'
  await setPassword('set-by-operators')
  await eventually(async () => {
    await world.publish(mail())
    return tried.includes('set-by-operators')
  }, 'a log-in with the new password')
  await eventually(() => server.mails.length >= 2, 'an e-mail with the new password')
  accepted = 'of-the-environment'
  await setPassword(null)
  const before = server.mails.length
  await eventually(async () => {
    await world.publish(mail())
    return tried.at(-1) === 'of-the-environment'
  }, 'a log-in with the password of the environment')
  await eventually(() => server.mails.length > before, 'an e-mail with it')
})

test('An e-mail that the mail server refused for the old password arrives once the new one is set', async () => {
  accepted = 'set-by-operators'
  await world.publish(mail())
  await eventually(() => tried.length > 0, 'a log-in that fails')
  await setPassword('set-by-operators')
  await arrived(1)
})

test('A password that a restored config does not have applies no longer, and its name is registered again', async () => {
  accepted = 'set-by-operators'
  await setPassword('set-by-operators')
  await world.publish(mail())
  await arrived(1)
  const db = await parts.openDatabase({
    url: '',
    ...schemaOf('config'),
    connections_max: 1,
  })
  for (const table of ['secret_values', 'secret_sets']) {
    await db.query(statement(`delete from ${table}`), [])
  }
  await db.close()
  const changed = { boundedContextId: 'notifications', version: 1, changedKeys: [name] }
  await parts.bus.publish([newEvent('config', 'SecretsValuesChanged', changed)])
  await eventually(async () => {
    await world.publish(mail())
    return tried.at(-1) === 'of-the-environment'
  }, 'a log-in with the password of the environment')
  await setPassword('set-by-operators')
})
