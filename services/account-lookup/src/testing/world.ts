/**
 * The test environment: the service on real parts, participants that a test defines, and all
 * published messages.
 */
import type { Message, OutgoingMessage } from '@causeway/bus'
import { catalogue, newEvent, type EventName, type Payload, type Relay } from '@causeway/events'
import { payloadHash } from '@causeway/fspiop'
import type { Handlers } from '@causeway/grpc'
import { egressSettings } from '@causeway/http'
import type { Database, Queries } from '@causeway/postgres'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { participantsService, type Participant } from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { usualBounds, type LookupBounds } from '../bounds.ts'
import { start } from '../service.ts'
import type { AccountLookupSettings } from '../settings.ts'

const testSettings: AccountLookupSettings = {
  ACCOUNT_LOOKUP_DATABASE_URL: '',
  ACCOUNT_LOOKUP_COMPONENT_KEY_FILE: undefined,
  DATABASE_CONNECTIONS_MAX: 4,
  ACCOUNT_LOOKUP_COMMAND_RETENTION_H: 168,
  ACCOUNT_LOOKUP_BUILT_IN: 'default',
  ACCOUNT_LOOKUP_ORACLE_TLS_CERTIFICATE_FILE: undefined,
  ACCOUNT_LOOKUP_ORACLE_TLS_KEY_FILE: undefined,
  ACCOUNT_LOOKUP_ORACLE_TLS_CA_FILE: undefined,
  ...defaultsOf(egressSettings),
  ACCOUNT_LOOKUP_ORACLE_TIMEOUT_MS: 5_000,
  HUB_NAME: 'Hub',
}

export function participant(name: string, changed: Partial<Participant> = {}): Participant {
  const at = `http://${name}.example`
  return {
    id: 2,
    name,
    isActive: true,
    isHub: false,
    createdAt: '',
    createdBy: '',
    version: 1,
    stateName: 'ACTIVE',
    type: 'DFSP',
    accounts: [],
    endpoints: [
      {
        type: 'FSPIOP_CALLBACK_URL_PARTIES_GET',
        value: `${at}/parties/{{partyIdType}}/{{partyIdentifier}}`,
      },
      {
        type: 'FSPIOP_CALLBACK_URL_PARTIES_SUB_ID_GET',
        value: `${at}/parties/{{partyIdType}}/{{partyIdentifier}}/{{partySubIdOrType}}`,
      },
    ],
    ...changed,
  }
}

/** Counts of the service's calls. */
export interface Counts {
  statements: number
  derivedEvents: number
}

export interface AccountLookupWorld {
  readonly parts: TestParts
  readonly counts: Counts
  readonly participants: Map<string, Participant>
  /** All messages published so far. */
  readonly published: Message[]
  publish(...events: readonly OutgoingMessage[]): Promise<void>
  /** Waits for this many messages about the party. */
  eventsFor(partyKey: string, count: number): Promise<readonly Message[]>
  /**
   * Crashes the process: memory is lost, statements in progress on the database continue. This
   * environment is unusable afterwards.
   */
  crash(): Promise<AccountLookupWorld>
  stop(): Promise<void>
}

const answers = [
  'PartyQueryResponse',
  'ParticipantQueryResponse',
  'ParticipantAssociationCreated',
  'ParticipantAssociationRemoved',
  'ParticipantAssociationRequestRefused',
  'ParticipantBatchAssociationProcessed',
  'NotifyRequested',
] as const satisfies readonly EventName[]

export async function openWorld(
  changed: Partial<AccountLookupSettings & LookupBounds> = {},
): Promise<AccountLookupWorld> {
  const participants = new Map(
    [participant('greenbank'), participant('bluewallet'), participant('mangobank')].map((each) => [
      each.name,
      each,
    ]),
  )
  participants.set('sleeper', participant('sleeper', { isActive: false }))
  participants.set('mute', participant('mute', { endpoints: [] }))
  return openOn(await openTestParts(), participants, changed)
}

async function openOn(
  parts: TestParts,
  participants: Map<string, Participant>,
  changed: Partial<AccountLookupSettings & LookupBounds>,
  before: Promise<void> = Promise.resolve(),
): Promise<AccountLookupWorld> {
  serveParticipants(parts, participants)
  const published: Message[] = []
  const listening = await parts.bus.subscribe({
    group: 'test',
    topics: [...new Set(answers.map((name) => catalogue[name].topic))],
    types: new Set(answers),
    read: (type, json) => catalogue[type as EventName].schema.parse(json),
    handleBatch(messages) {
      published.push(...messages)
      return Promise.resolve()
    },
  })
  const counts: Counts = { statements: 0, derivedEvents: 0 }
  const service: Service = await start({ ...testSettings, ...changed }, counting(parts, counts), {
    ...usualBounds,
    ...changed,
  })
  return {
    parts,
    counts,
    participants,
    published,
    publish: (...events) => parts.bus.publish(events),
    eventsFor: (partyKey, count) =>
      eventually(() => {
        const found = published.filter((message) => subjectOf(message) === partyKey)
        return found.length >= count ? found : undefined
      }, `${count} messages about ${partyKey}`),
    async crash() {
      const again = await parts.restart()
      // The crashed process has no connection left, but would go on trying to open one.
      const ended = service.stop().catch(() => undefined)
      return openOn(again, participants, changed, ended)
    },
    async stop() {
      await before
      await service.stop()
      await listening.stop()
      await parts.stop()
    },
  }
}

/** The party of a message: forwarded queries have keys of their own. */
export function subjectOf({ key, type, payload }: Message): string {
  return type === 'NotifyRequested' ? (payload as Payload<'NotifyRequested'>).cause.entityId : key
}

function counting(parts: TestParts, counts: Counts): ProcessParts {
  const counted = <Asked extends Queries>(queries: Asked): Asked => ({
    ...queries,
    query(...asked: Parameters<Queries['query']>) {
      counts.statements++
      return queries.query(...asked)
    },
  })
  return {
    ...parts,
    bus: {
      ...parts.bus,
      subscribe: (subscription) =>
        parts.bus.subscribe({
          ...subscription,
          handleBatch: (messages, batch) =>
            subscription.handleBatch(messages, {
              ...batch,
              publishDerived(events) {
                counts.derivedEvents++
                return batch.publishDerived(events)
              },
            }),
        }),
    },
    async openDatabase(options) {
      const db: Database = await parts.openDatabase(options)
      return counted(db)
    },
  }
}

/** The methods of participant-lifecycle that account-lookup does not call. */
function serveParticipants(parts: TestParts, participants: ReadonlyMap<string, Participant>): void {
  const notAsked = () => Promise.reject(new Error('account-lookup does not call this'))
  const others = Object.fromEntries(
    Object.keys(participantsService).map((name) => [name, notAsked]),
  )
  parts.grpc.serve(participantsService, {
    ...(others as unknown as Handlers<typeof participantsService>),
    GetParticipantInfo: ({ names }) =>
      Promise.resolve({
        participants: names.flatMap((name) => {
          const found = participants.get(name)
          return found === undefined ? [] : [found]
        }),
      }),
  })
}

/** The headers of a query, as the edge passes them on. */
export const relay: Relay = {
  body: Buffer.alloc(0),
  headers: Buffer.from(
    JSON.stringify({
      accept: 'application/vnd.interoperability.parties+json;version=1.1',
      'fspiop-source': 'greenbank',
      'fspiop-signature': 'signed',
    }),
  ),
}

export interface TestParty {
  readonly type?: string
  readonly id: string
  readonly subId?: string
  readonly currency?: string
  readonly by?: string
}

function about({ type = 'MSISDN', id, subId, currency, by = 'greenbank' }: TestParty) {
  const segments = [type, id, ...(subId === undefined ? [] : [subId])].map(encodeURIComponent)
  return {
    partyKey: segments.join('/'),
    partyIdType: type,
    partyIdentifier: id,
    ...(subId === undefined ? {} : { partySubIdOrType: subId }),
    ...(currency === undefined ? {} : { currency }),
    requesterFspId: by,
    version: '1.1',
  }
}

export function partyQuery(
  named: TestParty,
  changed: Partial<Payload<'PartyQueryReceived'>> = {},
): OutgoingMessage {
  const asked = about(named)
  const query = named.currency === undefined ? '' : `?currency=${named.currency}`
  const payload = { ...asked, path: `/parties/${asked.partyKey}${query}`, ...changed }
  return newEvent('fspiop-api', 'PartyQueryReceived', payload, { relay })
}

export function participantQuery(named: TestParty): OutgoingMessage {
  return newEvent('fspiop-api', 'ParticipantQueryReceived', about(named))
}

/** `by` requests that the party becomes its own, or `fspId`'s. */
export function association(
  named: TestParty,
  changed: Partial<Payload<'ParticipantAssociationRequestReceived'>> = {},
): OutgoingMessage {
  const asked = about(named)
  const payload = { ...asked, fspId: asked.requesterFspId, ...changed }
  return newEvent('fspiop-api', 'ParticipantAssociationRequestReceived', payload)
}

export function removal(named: TestParty): OutgoingMessage {
  return newEvent('fspiop-api', 'ParticipantDisassociateRequestReceived', about(named))
}

export type BatchEntry = Payload<'ParticipantBatchAssociationRequestReceived'>['partyList'][number]

export function batch(
  requestId: string,
  partyList: readonly BatchEntry[],
  { by = 'greenbank', currency }: { readonly by?: string; readonly currency?: string } = {},
): OutgoingMessage {
  const content = {
    requestId,
    ...(currency === undefined ? {} : { currency }),
    partyList: [...partyList],
  }
  return newEvent('fspiop-api', 'ParticipantBatchAssociationRequestReceived', {
    ...content,
    requesterFspId: by,
    version: '1.1',
    payloadHash: payloadHash(content),
  })
}

/** The payload of a message, which must exist. */
export function payloadOf(message: Message | undefined): unknown {
  if (message === undefined) throw new Error('nothing was published')
  return message.payload
}

/** The name of an answer, and its error code if it has one. */
export function gist({ type, payload }: Message): string {
  const { errorInformation, result } = payload as {
    readonly errorInformation?: { readonly errorCode: string }
    readonly result?: {
      readonly ownerFspId?: string
      readonly errorInformation?: { readonly errorCode: string }
    }
  }
  const detail =
    errorInformation?.errorCode ?? result?.errorInformation?.errorCode ?? result?.ownerFspId
  const { destinationFspId } = payload as { readonly destinationFspId?: string }
  return [type, detail ?? destinationFspId].filter((word) => word !== undefined).join(' ')
}
