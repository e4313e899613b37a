/** The environment of integration tests: the service on real parts, and given participants. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Message } from '@causeway/bus'
import { catalogue, type EventName } from '@causeway/events'
import type { Handlers } from '@causeway/grpc'
import type { ClientTls } from '@causeway/http'
import { httpStatuses } from '@causeway/fspiop'
import {
  accountLookupService,
  idempotencyKeysService,
  participantsService,
  type Participant,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start, type FspiopApi } from '../service.ts'
import type { FspiopApiSettings } from '../settings.ts'
import { serveAuth, type Auth } from './auth.ts'
import type { TestMessage } from './messages.ts'
import { testSettings } from './settings.ts'

/** The participants of the test server for participant-lifecycle. */
export interface Register {
  readonly participants: Map<string, Participant>
  /** How many queries it has answered. */
  asked: number
  /** Its answers wait for this. */
  held?: Promise<void>
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
    stateName: 'ACTIVE',
    type: 'DFSP',
    accounts: [],
    endpoints: [
      { type: 'FSPIOP_CALLBACK_URL', value: at },
      { type: 'FSPIOP_CALLBACK_URL_TRANSFER_POST', value: `${at}/transfers` },
      { type: 'FSPIOP_CALLBACK_URL_TRANSFER_PUT', value: `${at}/transfers/{{transferId}}` },
      { type: 'FSPIOP_CALLBACK_URL_TRANSFER_ERROR', value: `${at}/transfers/{{transferId}}/error` },
    ],
    ...changed,
  }
}

export interface EdgeWorld {
  readonly parts: TestParts
  readonly edge: FspiopApi
  readonly register: Register
  readonly auth: Auth
  /** All messages published on the topics of these events so far. */
  readonly received: Message[]
  /** From now on participant-lifecycle answers; needed when it did not at the start. */
  serve(): void
  stop(): Promise<void>
}

export interface WorldOptions {
  /** Whether participant-lifecycle answers from the start. */
  readonly isServed?: boolean
  /** auth-service, or a test server for it. */
  readonly authOf?: (parts: TestParts) => Auth | Promise<Auth>
}

const listensTo = [
  'TransferPrepareRequested',
  'QuoteRequestReceived',
  'NotifyRequested',
] as const satisfies readonly EventName[]

export async function openWorld(
  changed: Partial<FspiopApiSettings> = {},
  { isServed = true, authOf = serveAuth }: WorldOptions = {},
): Promise<EdgeWorld> {
  const parts = await openTestParts()
  const auth = await authOf(parts)
  const register: Register = {
    participants: new Map(
      [participant('greenbank'), participant('bluewallet')].map((known) => [known.name, known]),
    ),
    asked: 0,
  }
  register.participants.set('Hub', participant('Hub', { id: 1, isHub: true }))
  register.participants.set('sleeper', participant('sleeper', { isActive: false }))
  register.participants.set(
    'leaver',
    participant('leaver', { isActive: false, stateName: 'CLOSED' }),
  )
  const serve = () => serveParticipants(parts, register)
  if (isServed) serve()
  serveAnswerRights(parts)
  const received: Message[] = []
  const listening = await parts.bus.subscribe({
    group: 'test',
    topics: [...new Set(listensTo.map((name) => catalogue[name].topic))],
    types: new Set(Object.keys(catalogue)),
    read: (_type, json) => json,
    handleBatch(messages) {
      received.push(...messages)
      return Promise.resolve()
    },
  })
  const edge = await start({ ...testSettings, ...changed }, parts).catch(async (error: unknown) => {
    await listening.stop()
    await parts.stop()
    throw error
  })
  return {
    parts,
    edge,
    register,
    auth,
    received,
    serve,
    async stop() {
      await edge.stop()
      await listening.stop()
      await parts.stop()
    },
  }
}

/** All other methods of participant-lifecycle, which the edge does not call. */
function serveParticipants(parts: TestParts, register: Register): void {
  const notAsked = () => Promise.reject(new Error('the edge does not ask this'))
  const others = Object.fromEntries(
    Object.keys(participantsService).map((name) => [name, notAsked]),
  )
  parts.grpc.serve(participantsService, {
    ...(others as unknown as Handlers<typeof participantsService>),
    async GetParticipantInfo({ names }) {
      register.asked += 1
      await register.held
      const found = names.flatMap((name) => register.participants.get(name) ?? [])
      return { participants: found }
    },
  })
}

/** Test servers for account-lookup and notifications: each FSP may answer for each party. */
function serveAnswerRights(parts: TestParts): void {
  parts.grpc.serve(accountLookupService, {
    FindOwners: ({ queries }) =>
      Promise.resolve({
        answers: queries.map(() => ({ outcome: 'FOUND', fspIds: [], mayAnswer: true })),
      }),
  })
  parts.grpc.serve(idempotencyKeysService, {
    GetIdempotencyContents: ({ keys }) => Promise.resolve({ contents: keys.map(() => '') }),
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

/**
 * With `tls` over https with that client certificate. Rejects for an answer without the headers that its
 * status demands.
 */
export async function send(url: string, sent: TestMessage, tls?: ClientTls): Promise<Answered> {
  const answered = await exchange(url, sent, tls)
  const { status, headers } = answered
  const needed = neededHeaders.get(status)
  if (!Object.hasOwn(httpStatuses, status)) throw new Error(`${status} is no status of the API`)
  if (needed !== undefined && !Object.hasOwn(headers, needed)) {
    throw new Error(`${status} without the header ${needed}`)
  }
  return answered
}

/** RFC 9110, 15.5.2, 15.5.6 and 15.6.4. */
const neededHeaders: ReadonlyMap<number, string> = new Map([
  [401, 'www-authenticate'],
  [405, 'allow'],
  [503, 'retry-after'],
])

function exchange(url: string, sent: TestMessage, tls?: ClientTls): Promise<Answered> {
  const { method, path, headers, body } = sent
  return new Promise((resolve, reject) => {
    const secure = tls === undefined ? {} : { cert: tls.certificate, key: tls.key, ca: tls.ca }
    const begin = url.startsWith('https:') ? httpsRequest : httpRequest
    const request = begin(url, { method, path, headers, ...secure }, (response) => {
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

/** Its status and code: `400 3102`. */
export function summary({ status, error }: Answered): string {
  return error === undefined ? `${status}` : `${status} ${error.errorCode}`
}

function errorOf(text: string): Answered['error'] {
  try {
    return (JSON.parse(text) as { errorInformation?: Answered['error'] }).errorInformation
  } catch {
    return undefined
  }
}
