/** The whole service on the real bus, with the services that own participants, through crashes. */
import { randomUUID } from 'node:crypto'
import {
  newEvent,
  onEvents,
  type DomainEvent,
  type EventName,
  type Publisher,
} from '@causeway/events'
import { start as startLedger, settings as ledgerSettings } from '@causeway/participant-lifecycle'
import { statement } from '@causeway/postgres'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { accountLookupService, schemeRulesService, type OwnerAnswer } from '@causeway/protos'
import { schemaOf, type ProcessParts } from '@causeway/runtime'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start as startSettlements, settings as settlementsSettings } from '@causeway/settlements'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { start } from './service.ts'
import { settings, type QuotingSettings } from './settings.ts'
import type { ConsumedEvent } from './handle.ts'
import {
  committedEvent,
  payee,
  payer,
  queryEvent,
  requestEvent,
  responseEvent,
  unreachedReport,
  withoutDestination,
} from './testing/messages.ts'
import { onboard, setActive } from './testing/scheme.ts'

const announcements = [
  'QuoteRequestAccepted',
  'QuoteResponseAccepted',
  'QuoteRejectAccepted',
  'QuoteQueryForwarded',
  'QuoteQueryResponse',
  'InvalidQuoteRequest',
  'InvalidFSPInQuoteRequest',
  'RuleViolatedInQuoteRequest',
  'RuleViolatedInQuoteResponse',
] as const satisfies readonly EventName[]

type Published = DomainEvent<(typeof announcements)[number]>

let parts: TestParts
let services: Service[]
/** By event id, since the bus may redeliver them. */
const heard = new Map<string, Published>()

beforeEach(async () => {
  heard.clear()
  parts = await openTestParts()
  await startOthers()
  await onboard(parts.grpc)
})

afterEach(async () => {
  await stopAll()
  await parts.stop()
})

async function startOthers(): Promise<void> {
  services = [
    await startSettlements(defaultsOf(settlementsSettings), parts),
    await startLedger(defaultsOf(ledgerSettings), parts),
    await onEvents(parts.bus, 'test', announcements, (events) => {
      for (const event of events) heard.set(event.id, event)
      return Promise.resolve()
    }),
  ]
}

async function startQuoting(
  changes: Partial<QuotingSettings> = {},
  own: ProcessParts = parts,
  lookup_ms?: number,
) {
  const values = { ...defaultsOf(settings), QUOTING_SWEEP_INTERVAL_MS: 20 }
  services.push(await start({ ...values, ...changes }, own, lookup_ms))
}

async function stopAll(): Promise<void> {
  for (const service of services.toReversed()) await service.stop()
  services = []
}

/** Resolves for a batch that hangs until the crash. */
let letGo: () => void = () => undefined

/**
 * A killed process stops nothing. In this process the services would continue, so they are stopped
 * after the crash.
 */
async function restart(): Promise<void> {
  const dead = services.toReversed()
  parts = await parts.restart()
  letGo()
  await Promise.all(dead.map((service) => service.stop()))
  await startOthers()
}

async function publish(...events: readonly ConsumedEvent[]): Promise<void> {
  await parts.bus.publish(
    events.map(({ name, payload, relay, id }) => {
      const publisher: Publisher = name === 'TransferCommittedFulfiled' ? 'transfers' : 'fspiop-api'
      return newEvent(publisher, name, payload, { relay, id })
    }),
  )
}

function publishedOf(quoteId: string): readonly string[] {
  return [...heard.values()].flatMap(({ name, payload }) =>
    payload.quoteId === quoteId ? [name] : [],
  )
}

function published(quoteId: string, name: Published['name']): Promise<Published> {
  return eventually(
    () => [...heard.values()].find((one) => one.name === name && one.payload.quoteId === quoteId),
    `${name} of ${quoteId}`,
  )
}

function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

function asking(id: string, expires_ms = 60_000) {
  return requestEvent(id, { expiration: inMs(expires_ms) })
}

test('A quote goes from the payer FSP to the payee FSP and back', async () => {
  await startQuoting()
  const id = randomUUID()
  await publish(asking(id))
  const accepted = await published(id, 'QuoteRequestAccepted')
  expect(accepted.relay).toEqual(requestEvent(id).relay)
  await publish(queryEvent(id, payer), responseEvent(id))
  expect((await published(id, 'QuoteQueryForwarded')).payload).toMatchObject({
    destinationFspId: payee,
  })
  expect((await published(id, 'QuoteResponseAccepted')).relay).toEqual(responseEvent(id).relay)
})

test('The destination comes from account-lookup if the request does not name it', async () => {
  const queries: object[] = []
  parts.grpc.serve(accountLookupService, {
    FindOwners: (asked) => {
      queries.push(...asked.queries)
      const answers: OwnerAnswer[] = asked.queries.map(({ partyIdentifier }) =>
        partyIdentifier === '123456789'
          ? { outcome: 'FOUND', fspIds: [payee] }
          : { outcome: 'ORACLE_MISSING', fspIds: [] },
      )
      return Promise.resolve({ answers })
    },
  })
  await startQuoting()
  const [known, unknown] = [randomUUID(), randomUUID()]
  const partyIdInfo = { partyIdType: 'ALIAS', partyIdentifier: 'a', partySubIdOrType: 'home' }
  await publish(
    withoutDestination(asking(known)),
    withoutDestination(requestEvent(unknown, { expiration: inMs(60_000), payee: { partyIdInfo } })),
  )
  const accepted = await published(known, 'QuoteRequestAccepted')
  expect(accepted.payload).toMatchObject({ destinationFspId: payee })
  const refused = await published(unknown, 'InvalidQuoteRequest')
  expect(refused.payload).toMatchObject({ errorInformation: { errorCode: '3204' } })
  expect(queries).toMatchObject([
    {
      partyIdType: 'MSISDN',
      partyIdentifier: '123456789',
      currency: 'USD',
    },
    { partyIdType: 'ALIAS', partyIdentifier: 'a', partySubIdOrType: 'home', currency: 'USD' },
  ])
})

test('A lookup that does not answer refuses only the quotes that need it and delays no others', async () => {
  await startQuoting({}, parts, 100)
  const [lost, other] = [randomUUID(), randomUUID()]
  await publish(withoutDestination(asking(lost)), asking(other))
  await published(other, 'QuoteRequestAccepted')
  const refused = await published(lost, 'InvalidQuoteRequest')
  expect(refused.payload).toMatchObject({ errorInformation: { errorCode: '2003' } })
})

test('An FSP that became inactive gets no more requests', async () => {
  await startQuoting()
  const [before, after] = [randomUUID(), randomUUID()]
  await publish(asking(before))
  await published(before, 'QuoteRequestAccepted')
  await setActive(parts.grpc, payee, false)
  await eventually(async () => {
    const id = randomUUID()
    await publish(asking(id))
    const [name] = await eventually(
      () => (publishedOf(id).length > 0 ? publishedOf(id) : undefined),
      'a word',
    )
    return name === 'InvalidFSPInQuoteRequest' || undefined
  }, 'the change is heard')
  await setActive(parts.grpc, payee, true)
  // The cached participant is unusable, so it is fetched again before a refusal.
  await publish(asking(after))
  await published(after, 'QuoteRequestAccepted')
})

test('Rules of the operator apply at once', async () => {
  await startQuoting()
  const rules = parts.grpc.client(schemeRulesService, 'quoting')
  const hour = {
    id: 'hour',
    type: 'VELOCITY',
    currency: 'USD',
    windowMinutes: 60,
    maxAmount: '100',
  }
  await rules.SetSchemeRules({
    iteration: 0,
    rulesJson: JSON.stringify([hour]),
    changedBy: 'operator',
  })
  const [first, second] = [randomUUID(), randomUUID()]
  await publish(asking(first))
  await published(first, 'QuoteRequestAccepted')
  await publish(committedEvent(randomUUID(), '2', { fulfiledAt: inMs(0) }))
  const db = await quotingDatabase()
  await eventually(
    async () =>
      (await db.query<object>(statement(`select 1 from velocity`), [])).length > 0 || undefined,
    'the transfer is counted',
  )
  await db.close()
  await publish(asking(second))
  const { payload } = await published(second, 'RuleViolatedInQuoteRequest')
  expect(payload).toMatchObject({ ruleId: 'hour', errorInformation: { errorCode: '4200' } })
})

test('A quote without answer expires, and the payer FSP may query it', async () => {
  await startQuoting()
  const id = await eventually(async () => {
    const asked = randomUUID()
    await publish(asking(asked, 300))
    const [name] = await eventually(
      () => (publishedOf(asked).length > 0 ? publishedOf(asked) : undefined),
      'a word',
    )
    return name === 'QuoteRequestAccepted' ? asked : undefined
  }, 'a request that does not expire on its way')
  await eventually(async () => {
    await publish(queryEvent(id, payer))
    const answer = [...heard.values()].find(
      ({ name, payload }) => name === 'QuoteQueryResponse' && payload.quoteId === id,
    )
    return answer
  }, 'the expiry')
  const { payload } = await published(id, 'QuoteQueryResponse')
  expect(payload).toMatchObject({ legRole: 'PAYER', errorInformation: { errorCode: '3302' } })
})

test('A request that waited in the log while the hub was down is processed once', async () => {
  const id = randomUUID()
  await publish(asking(id))
  await restart()
  await startQuoting()
  await published(id, 'QuoteRequestAccepted')
  expect(publishedOf(id)).toEqual(['QuoteRequestAccepted'])
})

test('After a crash right after a step nothing is published twice, and the quote continues', async () => {
  await startQuoting()
  const ids = Array.from({ length: 20 }, () => randomUUID())
  const failed = randomUUID()
  await publish(...[...ids, failed].map((id) => asking(id)))
  for (const id of [...ids, failed]) await published(id, 'QuoteRequestAccepted')
  await restart()
  await startQuoting()
  await publish(...ids.map((id) => responseEvent(id)), unreachedReport(failed))
  for (const id of ids) await published(id, 'QuoteResponseAccepted')
  await published(failed, 'InvalidFSPInQuoteRequest')
  await restart()
  await startQuoting()
  await publish(...ids.map((id) => queryEvent(id, payer)))
  for (const id of ids) {
    const { relay } = await published(id, 'QuoteQueryResponse')
    expect(relay).toEqual(responseEvent(id).relay)
    expect(publishedOf(id)).toEqual([
      'QuoteRequestAccepted',
      'QuoteResponseAccepted',
      'QuoteQueryResponse',
    ])
  }
})

test('A crash during a batch loses nothing', async () => {
  const { bus } = parts
  let begun: () => void = () => undefined
  const hasBegun = new Promise<void>((resolve) => (begun = resolve))
  const hanging: ProcessParts['bus'] = {
    ...bus,
    subscribe: (subscription) =>
      bus.subscribe({
        ...subscription,
        handleBatch(messages, batch) {
          if (!messages.some(({ type }) => type === 'QuoteRequestReceived')) {
            return subscription.handleBatch(messages, batch)
          }
          begun()
          return new Promise<void>((resolve) => (letGo = resolve))
        },
      }),
  }
  await startQuoting({}, { ...parts, bus: hanging })
  const id = randomUUID()
  await publish(asking(id))
  await hasBegun
  await restart()
  await startQuoting()
  await published(id, 'QuoteRequestAccepted')
  expect(publishedOf(id)).toEqual(['QuoteRequestAccepted'])
})

test('In pass-through mode a quote leaves no trace', async () => {
  await startQuoting({ QUOTING_MODE: 'pass-through' })
  const id = randomUUID()
  await publish(asking(id), responseEvent(id), unreachedReport(id))
  await published(id, 'QuoteRequestAccepted')
  await published(id, 'QuoteResponseAccepted')
  const db = await quotingDatabase()
  const traces = statement(`select id from quotes union all select quote_id from deliveries`)
  expect(await db.query(traces, [])).toEqual([])
  await db.close()
})

function quotingDatabase() {
  return parts.openDatabase({
    url: '',
    ...schemaOf('quoting'),
    connections_max: 1,
  })
}
