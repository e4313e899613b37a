/** auth-service with the services that it calls, one FSP, and all published messages. */
import { randomBytes } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { onEvents, type DomainEvent } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { openScheme } from '@causeway/participants/testing'
import type { Database } from '@causeway/postgres'
import {
  readSettings,
  type Service,
  type SettingDefinitions,
  type SettingValues,
} from '@causeway/process'
import {
  credentialsService,
  keysService,
  participantsService,
  pingsService,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { usualBounds, type AuthBounds } from '../bounds.ts'
import { start } from '../service.ts'
import { settings, type AuthServiceSettings } from '../settings.ts'

/** A called service, as its package exports it. */
export interface AskedService<Definitions extends SettingDefinitions = SettingDefinitions> {
  readonly settings: Definitions
  start(settings: SettingValues<Definitions>, parts: TestParts): Promise<Service>
}

export type SettingOverrides = Readonly<Record<string, string | undefined>>

const published = ['ParticipantKeysUpdated', 'PingAccepted'] as const

export type Published = DomainEvent<(typeof published)[number]>

export interface AuthServiceWorld {
  readonly parts: TestParts
  readonly service: Service
  readonly keys: Calls<typeof keysService>
  readonly credentials: Calls<typeof credentialsService>
  readonly pings: Calls<typeof pingsService>
  readonly published: readonly Published[]
  /** Creates another FSP. */
  createFsp(name: string): Promise<void>
  /** Closes every connection, drops all memory and starts everything again on the same database. */
  crash(): Promise<AuthServiceWorld>
  stop(): Promise<void>
}

export const fsp = 'greenbank'
export const callbackHost = 'callbacks.greenbank.example'

function valuesOf<Definitions extends SettingDefinitions>(
  definitions: Definitions,
  given: SettingOverrides = {},
): SettingValues<Definitions> {
  const known = Object.entries(given).filter(([name]) => Object.hasOwn(definitions, name))
  return readSettings(definitions, {
    sources: [{ origin: 'flag', values: Object.fromEntries(known) }],
    prefixes: [],
  }).values
}

/** A direct database connection for reading rows; to be closed. */
export function ownDatabase(parts: TestParts, connections_max = 1): Promise<Database> {
  return parts.openDatabase({
    url: '',
    ...schemaOf('auth-service'),
    connections_max,
  })
}

export const secretsKey = randomBytes(32).toString('base64url')

export function authSettings(given: SettingOverrides = {}): AuthServiceSettings {
  return valuesOf(settings, { AUTH_SERVICE_SECRETS_KEY: secretsKey, ...given })
}

/** Starts the called services and auth-service, and creates the FSP. */
export async function openWorld(
  asked: readonly AskedService[],
  given: SettingOverrides = {},
  bounds: Partial<AuthBounds> = {},
): Promise<AuthServiceWorld> {
  const running = await openOn(await openTestParts(), asked, given, bounds)
  await openScheme(running.parts.grpc)
  await createParticipant(running.parts, fsp)
  return running
}

async function openOn(
  parts: TestParts,
  asked: readonly AskedService[],
  given: SettingOverrides,
  bounds: Partial<AuthBounds>,
): Promise<AuthServiceWorld> {
  const services: Service[] = []
  for (const service of asked) {
    services.push(await service.start(valuesOf(service.settings, given), parts))
  }
  const service = await start(authSettings(given), parts, { ...usualBounds, ...bounds })
  const received: Published[] = []
  await onEvents(parts.bus, 'test', published, (events) => {
    received.push(...events)
    return Promise.resolve()
  })
  return {
    parts,
    service,
    keys: parts.grpc.client(keysService, 'auth-service'),
    credentials: parts.grpc.client(credentialsService, 'auth-service'),
    pings: parts.grpc.client(pingsService, 'auth-service'),
    published: received,
    createFsp: (name) => createParticipant(parts, name),
    async crash() {
      const again = await parts.restart()
      // The crashed processes have no connection left, but would go on trying to open one.
      await Promise.allSettled([service, ...services].map((one) => one.stop()))
      return openOn(again, asked, given, bounds)
    },
    async stop() {
      await service.stop()
      for (const one of services.reverse()) await one.stop()
      await parts.stop()
    },
  }
}

const currency = 'USD'

async function createParticipant(parts: TestParts, name: string): Promise<void> {
  const participants = parts.grpc.client(participantsService, 'participant-lifecycle')
  const { refusal } = await participants.CreateParticipant({ name, currency, createdBy: 'test' })
  if (refusal) throw new Error(`${refusal.reason}: ${refusal.detail}`)
  await participants.UpdateEndpoint({
    name,
    type: 'FSPIOP_CALLBACK_URL_TRANSFER_PUT',
    value: `https://${callbackHost}:8443/transfers/{{transferId}}`,
    createdBy: 'test',
  })
}
