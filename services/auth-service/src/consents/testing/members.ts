/** Processes of the auth service on Kafka, some of which die, beside what the rest of the hub says to them. */
import { derivedId, newEvent, onEvents, topics, type DomainEvent } from '@causeway/events'
import type { Database } from '@causeway/runtime'
import { openKafkaUnderTest, type KafkaUnderTest } from '@causeway/runtime/testing/kafka'
import { heardOfConsents, type ConsentEvent } from '../contract.ts'
import { handleBatch, type ConsentWork } from '../handle.ts'
import { openConsentStore } from '../store.ts'
import { owner } from './messages.ts'
import { strict } from './policy.ts'

const answers = [
  'ConsentRegistered',
  'ConsentRefused',
  'ConsentRevoked',
  'VerificationAnswered',
] as const

export type Answer = DomainEvent<(typeof answers)[number]>

export interface Member {
  /** Ids of the events that it was given, in their order. */
  readonly given: readonly string[]
  /** Those that it had stored when it died. */
  readonly storedAtDeath: readonly string[]
}

export type Members = Awaited<ReturnType<typeof openMembers>>

const group = 'auth_service.consents'

/** The hub's processes share topics of four partitions and one database. */
export async function openMembers() {
  const outside = await openKafkaUnderTest({ topics, partitions: 4 })
  const processes: KafkaUnderTest[] = []
  const heard: Answer[] = []
  const db = await openDatabase(outside)
  await openConsentStore(db, outside.bus).ensurePartitions(new Date())
  await onEvents(outside.bus, 'test', answers, (events) => {
    heard.push(...events)
    return Promise.resolve()
  })
  // account-lookup has every consent belong to the auth service.
  await onEvents(outside.bus, 'account_lookup', ['ConsentOwnershipClaimed'], (events) =>
    outside.bus.publish(events.map(confirmed)),
  )

  return {
    db,
    heard,
    publish: (events: readonly ConsentEvent[]) => outside.bus.publish(events.map(published)),
    membersInGroup: () => outside.membersOf(group),
    /** @param diesAfter of a batch that it has stored: true ends it before its offsets are committed */
    async join(diesAfter: (batch: readonly ConsentEvent[]) => boolean) {
      const process = await outside.openAnother()
      processes.push(process)
      const work = workOf(await openDatabase(process), process)
      const given: string[] = []
      const storedAtDeath: string[] = []
      await onEvents(process.bus, group, heardOfConsents, async (batch) => {
        given.push(...batch.map(({ id }) => id))
        await handleBatch(work, batch)
        if (!diesAfter(batch)) return
        storedAtDeath.push(...batch.map(({ id }) => id))
        void process.engine.crash()
        await new Promise(() => undefined)
      })
      return { given, storedAtDeath } satisfies Member
    },
    async stop() {
      await Promise.all(processes.map((process) => process.engine.crash()))
      await outside.stop()
    },
  }
}

function openDatabase(process: KafkaUnderTest): Promise<Database> {
  return process.openDatabase({
    schema: 'auth_service',
    migrations: new URL('../../../migrations/', import.meta.url),
    connections_max: 4,
  })
}

function workOf(db: Database, { bus }: KafkaUnderTest): ConsentWork {
  return {
    store: openConsentStore(db, bus),
    policy: strict,
    participant: owner,
    publish: (messages) => bus.publish(messages),
    now: () => new Date(),
    onDecided: () => undefined,
  }
}

function published({ name, payload, id, relay }: ConsentEvent) {
  if (name === 'ParticipantAssociationCreated' || name === 'ParticipantAssociationRequestRefused') {
    throw new Error('account-lookup says so itself')
  }
  return newEvent('fspiop-api', name, payload, { id, relay })
}

function confirmed({ id, payload }: DomainEvent<'ConsentOwnershipClaimed'>) {
  const { partyKey, partyIdType, partyIdentifier, requesterFspId, version } = payload
  const name = 'ParticipantAssociationCreated'
  const entry = { partyKey, partyIdType, partyIdentifier, requesterFspId, version }
  const created = { ...entry, fspId: requesterFspId }
  return newEvent('account-lookup', name, created, { id: derivedId(id, name) })
}
