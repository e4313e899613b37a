/** Test set-up: FSPs that answer as configured, and the service on a real database and bus. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { schemaOf } from '@causeway/runtime'
import type { OutgoingMessage } from '@causeway/bus'
import { newEvent, type DomainEvent, type EventOptions, type Payload } from '@causeway/events'
import { egressSettings } from '@causeway/http'
import { ensureMonthlyPartitions, type Database } from '@causeway/postgres'
import { Outage, type Service } from '@causeway/process'
import { defaultsOf } from '@causeway/process/testing'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { notificationOf, type Notification, type NotificationResult } from '../contract.ts'
import { noTries } from '../domain/tries.ts'
import { start } from '../service.ts'
import type { NotificationsSettings } from '../settings.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly at_ms: number
}

/** An FSP: records what it receives and answers as configured. */
export interface Sink {
  readonly url: string
  readonly received: Received[]
  /** A status, or HANG: no answer until `release`. */
  answers: (received: Received) => number | 'HANG'
  release(status: number): void
  /** The largest number of concurrent requests so far. */
  readonly atOnce_max: number
  close(): Promise<void>
}

export async function openSink(answers: Sink['answers'] = () => 200): Promise<Sink> {
  const hanging: ServerResponse[] = []
  const received: Received[] = []
  let atOnce = 0
  let atOnce_max = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    atOnce_max = Math.max(atOnce_max, ++atOnce)
    response.on('close', () => (atOnce -= 1))
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const body = Buffer.concat(chunks)
      const message = { method, path: url, headers, body, at_ms: Date.now() }
      received.push(message)
      const answer = sink.answers(message)
      if (answer === 'HANG') hanging.push(response)
      else response.writeHead(answer, { location: 'http://127.0.0.1:9/' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sink: Sink = {
    url: `http://127.0.0.1:${port}`,
    received,
    answers,
    release(status) {
      for (const response of hanging.splice(0)) response.writeHead(status).end()
    },
    get atOnce_max() {
      return atOnce_max
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return sink
}

/** An e-mail to the desk of greenbank. */
export function mail(changes: Partial<Payload<'NotifyRequested'>> = {}) {
  const notificationId = randomUUID()
  const payload: Payload<'NotifyRequested'> = {
    notificationId,
    entityId: notificationId,
    cause: { msgName: 'ParticipantLiquidityThresholdExceeded', entityId: 'greenbank' },
    legRole: 'REQUESTER',
    destinationFspId: 'greenbank',
    transport: { type: 'EMAIL', address: 'desk@greenbank.example', subject: 'Near the limit' },
    headers: {},
    deadline: new Date(Date.now() + 60_000).toISOString(),
    reportRequired: false,
    ...changes,
  }
  const options = { id: notificationId, relay: { body: Buffer.from('Position: 900 USD\n') } }
  return newEvent('participant-lifecycle', 'NotifyRequested', payload, options)
}

/**
 * Short times: seconds become tens of milliseconds. Only the time-out of an attempt is long, because a
 * busy machine would otherwise time out messages that have arrived and send them again.
 */
export const quickSettings: NotificationsSettings = {
  NOTIFICATIONS_DATABASE_URL: '',
  NOTIFICATIONS_COMPONENT_KEY_FILE: undefined,
  MESSAGE_ENCRYPTION: 'off',
  NOTIFICATIONS_DEAD_LETTER_RETENTION_D: 90,
  NOTIFICATIONS_TLS_CERTIFICATE_FILE: undefined,
  NOTIFICATIONS_TLS_KEY_FILE: undefined,
  NOTIFICATIONS_TLS_CA_FILE: undefined,
  ...defaultsOf(egressSettings),
  NOTIFICATIONS_SMTP_URL: undefined,
  NOTIFICATIONS_SMTP_PASSWORD: '',
  NOTIFICATIONS_SMTP_TLS: 'if-offered',
  NOTIFICATIONS_SMTP_CA_FILE: undefined,
  NOTIFICATIONS_MAIL_FROM: '',
  CALLBACK_TIMEOUT_MS: 30_000,
  NOTIFICATIONS_LANE_MAX: 32,
  NOTIFICATIONS_CIRCUIT_FAILURES_MAX: 5,
  NOTIFICATIONS_CIRCUIT_TRIAL_MS: 100,
  NOTIFICATIONS_RETRY_FIRST_MS: 20,
  NOTIFICATIONS_RETRY_MAX_MS: 200,
  NOTIFICATIONS_RETRY_POLL_MS: 10,
  NOTIFICATIONS_RESEND_H: 1,
}

export interface NotificationsWorld {
  readonly parts: TestParts
  readonly service: Service
  readonly publish: (...messages: readonly OutgoingMessage[]) => Promise<void>
  /** The lines of the reports so far. */
  readonly reports: Payload<'NotifyReport'>['reports'][number][]
  /** The number of report events. */
  readonly reportEvents: () => number
  stop(): Promise<void>
}

export async function openWorld(
  {
    park_after_ms = 100,
    ...changed
  }: Partial<NotificationsSettings & { park_after_ms: number }> = {},
  on?: TestParts,
  serviceStart: typeof start = start,
): Promise<NotificationsWorld> {
  const parts = on ?? (await openTestParts())
  const service = await serviceStart({ ...quickSettings, ...changed }, parts, park_after_ms)
  const reports: Payload<'NotifyReport'>['reports'][number][] = []
  let events = 0
  const subscription = await parts.bus.subscribe({
    group: 'test_reports',
    topics: ['notifications.reports'],
    types: new Set(['NotifyReport']),
    read: (_type, json) => json,
    handleBatch(messages) {
      for (const { payload } of messages) {
        events += 1
        reports.push(...(payload as Payload<'NotifyReport'>).reports)
      }
      return Promise.resolve()
    },
  })
  return {
    parts,
    service,
    publish: (...messages) => parts.bus.publish(messages),
    reports,
    reportEvents: () => events,
    async stop() {
      await service.stop()
      await subscription.stop()
      await parts.stop()
    },
  }
}

/** The tables without the service. */
export async function openStore(parts: TestParts): Promise<Database> {
  const db = await parts.openDatabase({
    url: '',
    ...schemaOf('notifications'),
    connections_max: 2,
  })
  await ensureMonthlyPartitions(db, ['deliveries', 'undelivered'], new Date())
  return db
}

/** Makes a batch fail with an outage: until it succeeds, any message may be a redelivery. */
export async function allowDuplicates({ bus }: TestParts): Promise<void> {
  await new Promise<void>((tried, failed) => {
    const subscription = {
      group: 'cut_off',
      topics: ['cut_off'],
      types: new Set(['Tried']),
      read: (_type: string, json: unknown) => json,
      handleBatch() {
        // Once the batch has failed.
        setImmediate(tried)
        return Promise.reject(new Outage('connection lost'))
      },
    }
    const id = randomUUID()
    const message = { id, topic: 'cut_off', key: id, type: 'Tried', source: 'test' }
    bus
      .subscribe(subscription)
      .then(() => bus.publish([{ ...message, payload: {}, headers: {} }]))
      .catch(failed)
  })
}

export interface NotifyOptions {
  readonly url: string
  readonly fspId?: string
  readonly entityId?: string
  readonly method?: 'POST' | 'PUT' | 'PATCH'
  readonly deadline_ms?: number
  readonly id?: string
  readonly body?: string
  /** FSPIOP-Source. */
  readonly source?: string
  /** Begins with the name of the resource. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly relay?: EventOptions['relay']
  readonly idempotency?: Payload<'NotifyRequested'>['idempotency']
}

/** A NotifyRequested event for an FSP. */
export function notify(asked: NotifyOptions): OutgoingMessage {
  const id = asked.id ?? randomUUID()
  const entityId = asked.entityId ?? randomUUID()
  const { method = 'PUT', fspId = 'bluewallet', deadline_ms = 60_000 } = asked
  const payload: Payload<'NotifyRequested'> = {
    notificationId: id,
    entityId,
    cause: { msgName: 'TransferCommittedFulfiled', entityId },
    legRole: 'PAYER',
    destinationFspId: fspId,
    transport: {
      type: 'HTTP',
      method,
      url: asked.url,
      ...(asked.path === undefined ? {} : { path: asked.path }),
    },
    headers: {
      'content-type': 'text/plain',
      ...(asked.source === undefined ? {} : { 'fspiop-source': asked.source }),
      ...asked.headers,
    },
    deadline: new Date(Date.now() + deadline_ms).toISOString(),
    reportRequired: true,
    ...(asked.idempotency === undefined ? {} : { idempotency: asked.idempotency }),
  }
  const relay = asked.relay ?? { body: Buffer.from(asked.body ?? id) }
  return newEvent('fspiop-api', 'NotifyRequested', payload, { id, relay })
}

/** The notification of such an event. */
export function notificationFor(asked: NotifyOptions): Notification {
  const message = notify(asked)
  const payload = message.payload as Payload<'NotifyRequested'>
  const event = { id: message.id, name: message.type, payload } as DomainEvent<'NotifyRequested'>
  return notificationOf(event, Date.now())
}

/** A delivery at the first attempt; `stored`: it was parked before. */
export function delivered(notification: Notification, stored: boolean): NotificationResult {
  return {
    type: 'ENDED',
    notification,
    status: 'SUCCESS',
    attempts: 1,
    httpStatus: 200,
    error: null,
    tries: noTries,
    ended_ms: Date.now(),
    refusal: undefined,
    stored,
  }
}
