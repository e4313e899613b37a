import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OutgoingMessage } from '@causeway/bus'
import { issueServerCertificate, makeCa } from '@causeway/pki'
import { eventually } from '@causeway/process/testing'
import { notificationsService } from '@causeway/protos'
import { openTestParts } from '@causeway/runtime/testing'
import { afterEach, expect, test } from '@jest/globals'
import type { SMTPServerOptions } from 'smtp-server'
import { openMailServer, type TestMailServer } from './mail-server.ts'
import type { NotificationsSettings } from './settings.ts'
import { start } from './service.ts'
import {
  allowDuplicates,
  mail,
  notify,
  openSink,
  openWorld,
  quickSettings,
  type NotificationsWorld,
} from './testing/world.ts'

const opened: { stop(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.stop()
})

async function mailServer(options?: SMTPServerOptions, port?: number): Promise<TestMailServer> {
  const server = await openMailServer(options, port)
  opened.push({ stop: () => server.close() })
  return server
}

async function worldWith(changes: Partial<NotificationsSettings>): Promise<NotificationsWorld> {
  const world = await openWorld({ NOTIFICATIONS_MAIL_FROM: 'hub@hub.example', ...changes })
  opened.push(world)
  return world
}

function overPort(port: number): Partial<NotificationsSettings> {
  return { NOTIFICATIONS_SMTP_URL: `smtp://127.0.0.1:${port}` }
}

function arrived({ mails }: TestMailServer, count: number): Promise<TestMailServer['mails']> {
  return eventually(() => (mails.length >= count ? mails : undefined), `${count} e-mails`)
}

function deadLettersOf({ parts }: NotificationsWorld, query: { readonly fspId?: string }) {
  const operator = parts.grpc.client(notificationsService, 'notifications')
  return eventually(async () => {
    const { deadLetters } = await operator.ListDeadLetters({ ...query, limit: 10 })
    return deadLetters.length > 0 ? deadLetters : undefined
  }, 'the dead letter')
}

test('An e-mail arrives with subject, text and its own Message-ID', async () => {
  const server = await mailServer()
  const { publish } = await worldWith(overPort(server.port))
  const message = mail()
  await publish(message)
  const [received] = await arrived(server, 1)
  expect(received).toMatchObject({ from: 'hub@hub.example', to: 'desk@greenbank.example' })
  expect(received?.message).toContain('Subject: Near the limit')
  expect(received?.message).toContain(`Message-ID: <${message.id}@hub.example>`)
  expect(received?.message).toContain('Position: 900 USD')
})

test('An e-mail carries its attachments with their names and types', async () => {
  const server = await mailServer()
  const { publish } = await worldWith(overPort(server.port))
  const attachments = [{ name: 'report.csv', type: 'text/csv', content: 'day,value\r\n1,2\r\n' }]
  const transport = {
    type: 'EMAIL',
    address: 'desk@greenbank.example',
    subject: 'Report',
    attachments,
  } as const
  await publish(mail({ transport }))
  const [received] = await arrived(server, 1)
  expect(received?.message).toMatch(/Content-Type: text\/csv;[^]*name=report\.csv/)
  expect(received?.message).toContain('Content-Disposition: attachment; filename=report.csv')
  expect(received?.message).toMatch(/day,value|ZGF5LHZhbHVl/)
})

test('An e-mail that is requested twice is sent once', async () => {
  const server = await mailServer()
  const { publish, parts } = await worldWith(overPort(server.port))
  await allowDuplicates(parts)
  const once = mail()
  const last = mail()
  await publish(once)
  await arrived(server, 1)
  await publish(once, last)
  const mails = await arrived(server, 2)
  const ids = mails.map(({ message }) => /Message-ID: <([^@]+)@/.exec(message)?.[1])
  expect(ids).toEqual([once.id, last.id])
})

test('An e-mail that the mail server refuses temporarily is tried again until it is accepted', async () => {
  const server = await mailServer()
  let refusals = 0
  server.refuse = () => (++refusals <= 2 ? { code: 451, text: 'try again later' } : undefined)
  const { publish } = await worldWith(overPort(server.port))
  await publish(mail())
  expect(await arrived(server, 1)).toHaveLength(1)
  expect(refusals).toBe(3)
})

test('While the mail server is unavailable e-mails wait and callbacks to FSPs are delivered', async () => {
  const away = await openMailServer()
  await away.close()
  const sink = await openSink()
  opened.push({ stop: () => sink.close() })
  const world = await worldWith(overPort(away.port))
  const messages: OutgoingMessage[] = Array.from({ length: 20 }, () => mail())
  await world.publish(...messages)
  await world.publish(notify({ url: sink.url, fspId: 'greenbank' }))
  await eventually(() => sink.received[0], 'the callback')
  const back = await mailServer({}, away.port)
  await eventually(() => {
    const ids = new Set(back.mails.map(({ message }) => /Message-ID: <([^@]+)@/.exec(message)?.[1]))
    return messages.every(({ id }) => ids.has(id)) ? true : undefined
  }, 'every e-mail')
})

test('An e-mail that is refused permanently is a dead letter, and arrives when it is sent again', async () => {
  const server = await mailServer()
  server.refuse = () => ({ code: 550, text: 'no such mailbox' })
  const world = await worldWith(overPort(server.port))
  const message = mail()
  await world.publish(message)
  const busDeadLetters = await deadLettersOf(world, { fspId: 'greenbank' })
  expect(busDeadLetters).toMatchObject([
    { notificationId: message.id, method: 'EMAIL', url: 'desk@greenbank.example', attempts: 1 },
  ])
  expect(busDeadLetters[0]?.lastError).toContain('no such mailbox')
  server.refuse = () => undefined
  const operator = world.parts.grpc.client(notificationsService, 'notifications')
  const { answers } = await operator.ResendDeadLetters({ ids: [message.id] })
  expect(answers).toEqual([{ notificationId: message.id, outcome: 'RESENT' }])
  expect(await arrived(server, 1)).toHaveLength(1)
})

test('A refused password does not make an e-mail a dead letter', async () => {
  let password = 'another'
  const server = await mailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password: given }, _session, done) {
      if (given === password) done(null, { user: username ?? '' })
      else done(Object.assign(new Error('wrong password'), { responseCode: 535 }))
    },
  })
  const { publish } = await worldWith({
    NOTIFICATIONS_SMTP_URL: `smtp://hub:secret@127.0.0.1:${server.port}`,
  })
  await publish(mail(), mail())
  password = 'secret'
  expect(await arrived(server, 2)).toHaveLength(2)
})

test('Without a mail server each e-mail is a dead letter, and the health page says why', async () => {
  const world = await worldWith({})
  await world.publish(mail())
  const reason = 'no mail server is configured (NOTIFICATIONS_SMTP_URL)'
  expect(await deadLettersOf(world, {})).toMatchObject([
    { fspId: 'greenbank', method: 'EMAIL', url: 'desk@greenbank.example', lastError: reason },
  ])
  const { ok, checks } = await world.parts.health.readiness()
  expect(ok).toBe(true)
  expect(checks).toContainEqual({
    name: 'e-mail',
    ok: true,
    detail: `e-mails are not sent; each becomes a dead letter: ${reason}`,
  })
})

test('With required TLS an e-mail is sent over TLS to a server with a certificate of the CA', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mails-'))
  opened.push({ stop: () => Promise.resolve(rmSync(folder, { recursive: true })) })
  const now = Date.now()
  const validity = { from: new Date(now - 60_000), to: new Date(now + 3_600_000) }
  const ca = makeCa({ subject: { commonName: 'Mail CA', organization: 'Mail' }, validity })
  const { certificate, key } = issueServerCertificate(ca, {
    subject: { commonName: 'localhost', organization: 'Mail' },
    names: { dns: ['localhost'], ip: ['127.0.0.1'] },
    validity,
  })
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, ca.certificate)
  const secured: boolean[] = []
  const server = await mailServer({
    disabledCommands: [],
    cert: certificate,
    key,
    onMailFrom(_address, { secure }, done) {
      secured.push(secure)
      done()
    },
  })
  const required = { ...overPort(server.port), NOTIFICATIONS_SMTP_TLS: 'required' } as const
  const { publish } = await worldWith({ ...required, NOTIFICATIONS_SMTP_CA_FILE: caFile })
  await publish(mail())
  await arrived(server, 1)
  expect(secured).toEqual([true])
})

test('With required TLS no e-mail is sent to a server that does not offer it', async () => {
  const server = await mailServer()
  const world = await worldWith({
    ...overPort(server.port),
    NOTIFICATIONS_SMTP_TLS: 'required',
  })
  await world.publish(mail({ deadline: new Date(Date.now() + 300).toISOString() }))
  expect(await deadLettersOf(world, { fspId: 'greenbank' })).toHaveLength(1)
  expect(server.mails).toEqual([])
})

test.each([
  [{ NOTIFICATIONS_SMTP_URL: 'mail.example' }, 'NOTIFICATIONS_SMTP_URL must look like'],
  [
    { NOTIFICATIONS_SMTP_URL: 'smtp://mail.example', NOTIFICATIONS_MAIL_FROM: 'hub' },
    'NOTIFICATIONS_MAIL_FROM must be an e-mail address',
  ],
])('A start with inconsistent settings is refused: %j', async (changes, sentence) => {
  const parts = await openTestParts()
  opened.push(parts)
  await expect(start({ ...quickSettings, ...changes }, parts)).rejects.toThrow(sentence)
})
