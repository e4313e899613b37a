/**
 * Processes of the auth service on Kafka, some of which crash, and the events of the rest of the
 * hub.
 */
import { schemaOf } from '@causeway/runtime'
import { openKafkaUnderTest, type KafkaUnderTest } from '@causeway/bus/testing/kafka'
import { derivedId, newEvent, onEvents, topics, type DomainEvent } from '@causeway/events'
import type { Database } from '@causeway/postgres'
import { consentEvents, type ConsentEvent } from '../contract.ts'
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

export type AnswerEvent = DomainEvent<(typeof answers)[number]>

export interface Member {
  /** Ids of the events that it received, in order. */
  readonly given: readonly string[]
  /** Ids of the events that it had stored when it crashed. */
  readonly storedAtDeath: readonly string[]
}

export type Members = Awaited<ReturnType<typeof openMembers>>

const group = 'auth_service.consents'

/** The hub's processes share topics of four partitions and one database. */
export async function openMembers() {
  const outside = await openKafkaUnderTest({ topics, partitions: 4 })
  const processes: KafkaUnderTest[] = []
  const received: AnswerEvent[] = []
  const db = await openDatabase(outside)
  await openConsentStore(db, outside.bus).ensurePartitions(new Date())
  await onEvents(outside.bus, 'test', answers, (events) => {
    received.push(...events)
    return Promise.resolve()
  })
  // account-lookup confirms every claim of the auth service.
  await onEvents(outside.bus, 'account_lookup', ['ConsentOwnershipClaimed'], (events) =>
    outside.bus.publish(events.map(confirmed)),
  )

  return {
    db,
    received,
    publish: (events: readonly ConsentEvent[]) => outside.bus.publish(events.map(published)),
    membersInGroup: () => outside.membersOf(group),
    /** @param diesAfter a stored batch: true ends the member before its offsets are committed */
    async join(diesAfter: (batch: readonly ConsentEvent[]) => boolean) {
      const process = await outside.openAnother()
      processes.push(process)
      const work = workOf(await openDatabase(process), process)
      const given: string[] = []
      const storedAtDeath: string[] = []
      await onEvents(process.bus, group, consentEvents, async (batch) => {
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
    ...schemaOf('auth-service'),
    connections_max: 4,
  })
}

function workOf(db: Database, { bus }: KafkaUnderTest): ConsentWork {
  return {
    store: openConsentStore(db, bus),
    policy: strict,
    roots: [],
    participant: owner,
    publish: (messages) => bus.publish(messages),
    now: () => new Date(),
    onDecided: () => undefined,
  }
}

function published({ name, payload, id, relay }: ConsentEvent) {
  if (name === 'ParticipantAssociationCreated' || name === 'ParticipantAssociationRequestRefused') {
    throw new Error('account-lookup publishes this itself')
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
