/** Quoting on a real database, with a clock and participants that tests set. */
import { schemaOf } from '@causeway/runtime'
import type { OutgoingMessage } from '@causeway/bus'
import type { Participant } from '@causeway/participants'
import { statement, type Database } from '@causeway/postgres'
import { gated, type Gate } from '@causeway/process/testing/gated'
import type { TestParts } from '@causeway/runtime/testing'
import { openDeliveryStore } from '@causeway/records'
import { handleBulks, passBulksOn, type ConsumedBulkEvent } from '../bulk-quotes/handle.ts'
import { openBulkStore } from '../bulk-quotes/store.ts'
import { handleBatch, passThroughBatch, type ConsumedEvent } from '../handle.ts'
import type { Destination } from '../quotes/domain/request.ts'
import { cachePending } from '../quotes/pending.ts'
import { openQuoteTables } from '../quotes/store.ts'
import { sweep, sweepBulks } from '../quotes/sweep.ts'
import { openRuleBook } from '../rules/book.ts'
import { openRuleStore } from '../rules/store.ts'
import { openVelocityStore } from '../velocity/store.ts'
import type { Work } from '../work.ts'
import { payee, payer, started, stranger } from './messages.ts'

export interface StoredQuote {
  readonly id: string
  readonly state: string
  readonly reason: string | null
  readonly amount: string
  readonly transfer_amount: string | null
  readonly messages: readonly string[]
}

const quotesStatement = statement(`
  select id, state, reason, amount, transfer_amount,
    array(select kind || ' ' || convert_from(body, 'UTF8') from messages
      where quote_id = q.id order by kind) as messages
  from quotes q order by id`)

export type QuotingWorld = Awaited<ReturnType<typeof openWorld>>

export async function openWorld(parts: TestParts) {
  const db = await parts.openDatabase({
    url: '',
    ...schemaOf('quoting'),
    connections_max: 4,
  })
  let now_ms = Date.parse(started)
  let workedOff: Date | undefined
  const now = () => new Date(now_ms)
  const published: OutgoingMessage[] = []
  const note = (messages: readonly OutgoingMessage[]) => void published.push(...messages)
  const participants = new Map(
    [payer, payee, stranger].map((name) => [name, participantWith(name, ['USD', 'EUR'])]),
  )
  const owners = new Map<string, Destination>()
  const bus: TestParts['bus'] = {
    ...parts.bus,
    announce(tx, messages) {
      parts.bus.announce(tx, messages)
      note(messages)
    },
  }
  const tables = openQuoteTables(db, bus)
  const bulks = openBulkStore(db, bus)
  const store = cachePending(tables)
  const deliveries = openDeliveryStore(db, 'quote_id')
  const velocity = openVelocityStore(db)
  await store.ensurePartitions(now())
  await bulks.ensurePartitions(now())
  await velocity.ensurePartitions(now())
  const work: Work = {
    store,
    bulks,
    deliveries,
    velocity,
    rules: await openRuleBook(openRuleStore(db, parts.bus)),
    participants: {
      get: (names) =>
        Promise.resolve(
          new Map(
            names.flatMap((name) => {
              const participant = participants.get(name)
              return participant === undefined ? [] : [[name, participant]]
            }),
          ),
        ),
    },
    findOwners: (parties) =>
      Promise.resolve(
        parties.map(({ identifier }) => owners.get(identifier) ?? { type: 'PARTY_UNKNOWN' }),
      ),
    publish(messages) {
      note(messages)
      return parts.bus.publish(messages)
    },
    now,
    watchClock: () => undefined,
    became: () => undefined,
    becameBulk: () => undefined,
    pending_max_ms: 600_000,
  }

  async function messagesOf(working: Promise<void>): Promise<readonly OutgoingMessage[]> {
    const from = published.length
    await working
    return published.slice(from)
  }

  return {
    db,
    work,
    participants,
    owners,
    published,
    /** The same work, held up or cut off where it stores or publishes something of bulk quotes. */
    workThrough: (gate: Gate): Work => ({
      ...work,
      bulks: gated(bulks, gate),
      deliveries: gated(deliveries, gate),
      publish: gated({ publish: work.publish }, gate).publish,
    }),
    handle: (...events: readonly ConsumedEvent[]) => messagesOf(handleBatch(work, events)),
    passOn: (...events: readonly ConsumedEvent[]) => messagesOf(passThroughBatch(work, events)),
    handleBulks: (...events: readonly ConsumedBulkEvent[]) => messagesOf(handleBulks(work, events)),
    passBulksOn: (...events: readonly ConsumedBulkEvent[]) => messagesOf(passBulksOn(work, events)),
    sweepBulks: () =>
      messagesOf(
        sweepBulks(work, {
          batch_max: 100,
          lowWatermark: () => Promise.resolve(workedOff ?? now()),
        }),
      ),
    sweep: () =>
      messagesOf(
        sweep(work, { batch_max: 100, lowWatermark: () => Promise.resolve(workedOff ?? now()) }),
      ),
    /** Simulates unprocessed messages from that time. */
    heldBackAt(time: string | undefined): void {
      workedOff = time === undefined ? undefined : new Date(time)
    },
    after(ms: number): void {
      now_ms += ms
    },
    iso: () => now().toISOString(),
    async setRules(...rules: readonly object[]): Promise<void> {
      const { iteration } = work.rules.set()
      const changed = await work.rules.change({
        iteration,
        json: JSON.stringify(rules),
        changedBy: 'operator',
        now: now(),
      })
      if (changed.type === 'REFUSE') throw new Error(changed.detail)
    },
    async quote(id: string): Promise<StoredQuote | undefined> {
      return (await storedQuotes(db)).find((quote) => quote.id === id)
    },
    quotes: () => storedQuotes(db),
  }
}

function storedQuotes(db: Database): Promise<readonly StoredQuote[]> {
  return db.query<StoredQuote>(quotesStatement, [])
}

export function participantWith(name: string, currencies: readonly string[]): Participant {
  return {
    name,
    isActive: true,
    isClosed: false,
    endpoints: new Map(),
    accounts: currencies.map((currency) => ({
      ledgerAccountType: 'POSITION',
      currency,
      isActive: true,
    })),
  }
}

/** The published events, with the part that an FSP would receive. */
export function answersIn(messages: readonly OutgoingMessage[]): readonly string[] {
  return messages.map(({ type, payload, headers }) => {
    const {
      errorInformation: error,
      legRole,
      role,
      ruleId,
    } = payload as Readonly<Record<string, unknown>> & {
      readonly errorInformation?: { readonly errorCode: string }
    }
    const relayed = headers['relay-body'] === undefined ? undefined : 'relayed'
    const own = relayed !== undefined && headers['relay-headers'] === undefined ? 'by the hub' : ''
    return [type, legRole ?? role, error?.errorCode, ruleId, relayed, own].filter(Boolean).join(' ')
  })
}
