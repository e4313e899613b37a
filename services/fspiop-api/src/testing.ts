/** What the tests of the edge stand on: the service on real parts, and participants as they say. */
import { participantsService, type Participant } from '@causeway/protos'
import type { Handlers, Message } from '@causeway/runtime'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { catalogue, type EventName } from '@causeway/events'
import { start, type FspiopApi } from './service.ts'
import type { Settings } from './settings.ts'

export const testSettings: Settings = {
  FSP_PORT: 0,
  FSP_HOST: '127.0.0.1',
  EDGE_IDENTITY: 'header',
  JWS_VERIFY: 'off',
  JWS_SIGN: 'off',
  HUB_NAME: 'Hub',
  COMPATIBILITY: 'specification',
  ON_US_TRANSFERS: 'off',
  NOTIFY_PAYEE_ON_TIMEOUT: 'on',
  OUTCOME_RETRY_H: 24,
  COMPLETED_TIMESTAMP_AHEAD_MS: 200,
  COMPLETED_TIMESTAMP_BEHIND_MS: 300_000,
  FSPIOP_API_IN_FLIGHT_MAX: 2_000,
  FSPIOP_API_IN_FLIGHT_PER_FSP_MAX: 1_000,
  FSPIOP_API_BODIES_MAX_BYTES: 268_435_456,
  FSPIOP_API_PUBLISH_TIMEOUT_MS: 5_000,
  FSPIOP_API_PARTICIPANT_AGE_MAX_MS: 60_000,
}

/** The participants that the stand-in for participant-lifecycle knows. */
export interface Register {
  readonly participants: Map<string, Participant>
  /** How often it was asked. */
  asked: number
}

export function participant(name: string, changed: Partial<Participant> = {}): Participant {
  const at = `http://${name}.example`
  return {
    id: 2,
    name,
    isActive: true,
    isHub: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: 'operator',
    version: 1,
    accounts: [],
    endpoints: [
      { type: 'FSPIOP_CALLBACK_URL_TRANSFER_POST', value: `${at}/transfers` },
      { type: 'FSPIOP_CALLBACK_URL_TRANSFER_PUT', value: `${at}/transfers/{{transferId}}` },
      { type: 'FSPIOP_CALLBACK_URL_TRANSFER_ERROR', value: `${at}/transfers/{{transferId}}/error` },
    ],
    ...changed,
  }
}

export interface Stand {
  readonly parts: TestParts
  readonly edge: FspiopApi
  readonly register: Register
  /** All that was said on the topics of these events so far. */
  readonly heard: Message[]
  /** From now on participant-lifecycle answers; needed where the stand was opened without it. */
  serve(): void
  stop(): Promise<void>
}

const listensTo = [
  'TransferPrepareRequested',
  'NotifyRequested',
] as const satisfies readonly EventName[]

export async function openStand(changed: Partial<Settings> = {}, isServed = true): Promise<Stand> {
  const parts = await openTestParts()
  const register: Register = {
    participants: new Map(
      [participant('greenbank'), participant('bluewallet')].map((known) => [known.name, known]),
    ),
    asked: 0,
  }
  register.participants.set('Hub', participant('Hub', { id: 1, isHub: true }))
  register.participants.set('sleeper', participant('sleeper', { isActive: false }))
  const serve = () => serveParticipants(parts, register)
  if (isServed) serve()
  const heard: Message[] = []
  const listening = await parts.bus.subscribe({
    group: 'test',
    topics: [...new Set(listensTo.map((name) => catalogue[name].topic))],
    types: new Set(Object.keys(catalogue)),
    read: (_type, json) => json,
    handleBatch(messages) {
      heard.push(...messages)
      return Promise.resolve()
    },
  })
  const edge = await start({ ...testSettings, ...changed }, parts)
  return {
    parts,
    edge,
    register,
    heard,
    serve,
    async stop() {
      await edge.stop()
      await listening.stop()
      await parts.stop()
    },
  }
}

/** Whatever else there is to ask of participant-lifecycle, the edge does not. */
function serveParticipants(parts: TestParts, register: Register): void {
  const notAsked = () => Promise.reject(new Error('the edge does not ask this'))
  const others = Object.fromEntries(
    Object.keys(participantsService).map((name) => [name, notAsked]),
  )
  parts.grpc.serve(participantsService, {
    ...(others as unknown as Handlers<typeof participantsService>),
    GetParticipantInfo({ names }) {
      register.asked += 1
      const found = names.flatMap((name) => register.participants.get(name) ?? [])
      return Promise.resolve({ participants: found })
    },
  })
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Of the error body, or undefined. */
  readonly error:
    | {
        readonly errorCode: string
        readonly errorDescription: string
        readonly extensionList?: unknown
      }
    | undefined
}

export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export function send(url: string, { method, path, headers, body }: Sent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const error = errorOf(text)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, error })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

function errorOf(text: string): Answered['error'] {
  try {
    return (JSON.parse(text) as { errorInformation?: Answered['error'] }).errorInformation
  } catch {
    return undefined
  }
}

export function mediaType(version = '1.1'): string {
  return `application/vnd.interoperability.transfers+json;version=${version}`
}

export function headersOf(
  method: string,
  source: string,
  changed: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const all = {
    'content-type': mediaType(),
    date: 'Sat, 21 Nov 2026 10:00:00 GMT',
    'fspiop-source': source,
    accept: method === 'PUT' || method === 'PATCH' ? undefined : mediaType('1'),
    ...changed,
  }
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

export const condition = 'YlK5TZyhflbXaDRPtR5zhCu8FrbgvrQwwmzuH0iQ0AI'

export function transferBody(changed: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    transferId: randomUUID(),
    payeeFsp: 'bluewallet',
    payerFsp: 'greenbank',
    amount: { currency: 'USD', amount: '99' },
    ilpPacket: 'DIICzQAAAAAAAADIMjAzMDAxMDEwMDAwMDAwMDA',
    condition,
    expiration: '2030-01-01T00:00:00.000Z',
    ...changed,
  })
}
