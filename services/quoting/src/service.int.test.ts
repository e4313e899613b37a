/** The whole service on the real bus, beside the services that own participants, through crashes. */
import {
  newEvent,
  onEvents,
  type DomainEvent,
  type EventName,
  type Publisher,
} from '@causeway/events'
import { start as startLedger, settings as ledgerSettings } from '@causeway/participant-lifecycle'
import { accountLookupService, schemeRulesService, type OwnerAnswer } from '@causeway/protos'
import { statement, type ProcessParts, type Service } from '@causeway/runtime'
import { defaultsOf, eventually, openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start as startSettlements, settings as settlementsSettings } from '@causeway/settlements'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { start } from './service.ts'
import { settings, type Settings } from './settings.ts'
import type { HeardEvent } from './handle.ts'
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

type Said = DomainEvent<(typeof announcements)[number]>

let parts: TestParts
let services: Service[]
/** By event id: the bus may bring them again. */
const heard = new Map<string, Said>()

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

async function startQuoting(changes: Partial<Settings> = {}, own: ProcessParts = parts) {
  const values = { ...defaultsOf(settings), QUOTING_SWEEP_INTERVAL_MS: 20 }
  services.push(await start({ ...values, ...changes }, own))
}

async function stopAll(): Promise<void> {
  for (const service of services.toReversed()) await service.stop()
  services = []
}

/** Of a batch that hangs until the crash. */
let letGo: () => void = () => undefined

/** A killed process stops nothing; in this one its services would go on, so they are stopped when dead. */
async function restart(): Promise<void> {
  const dead = services.toReversed()
  parts = await parts.restart()
  letGo()
  await Promise.all(dead.map((service) => service.stop()))
  await startOthers()
}

async function publish(...events: readonly HeardEvent[]): Promise<void> {
  await parts.bus.publish(
    events.map(({ name, payload, relay, id }) => {
      const publisher: Publisher = name === 'TransferCommittedFulfiled' ? 'transfers' : 'fspiop-api'
      return newEvent(publisher, name, payload, { relay, id })
    }),
  )
}

function saidOf(quoteId: string): readonly string[] {
  return [...heard.values()].flatMap(({ name, payload }) =>
    payload.quoteId === quoteId ? [name] : [],
  )
}

function said(quoteId: string, name: Said['name']): Promise<Said> {
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

test('a quote goes from the payer FSP to the payee FSP and back', async () => {
  await startQuoting()
  const id = randomUUID()
  await publish(asking(id))
  const accepted = await said(id, 'QuoteRequestAccepted')
  expect(accepted.relay).toEqual(requestEvent(id).relay)
  await publish(queryEvent(id, payer), responseEvent(id))
  expect((await said(id, 'QuoteQueryForwarded')).payload).toMatchObject({ destinationFspId: payee })
  expect((await said(id, 'QuoteResponseAccepted')).relay).toEqual(responseEvent(id).relay)
})

test('whom it is for is asked of account-lookup when the request does not say it', async () => {
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
  const accepted = await said(known, 'QuoteRequestAccepted')
  expect(accepted.payload).toMatchObject({ destinationFspId: payee })
  const refused = await said(unknown, 'InvalidQuoteRequest')
  expect(refused.payload).toMatchObject({ errorInformation: { errorCode: '3204' } })
  expect(queries).toEqual([
    {
      partyIdType: 'MSISDN',
      partyIdentifier: '123456789',
      partySubIdOrType: '',
      currency: 'USD',
    },
    { partyIdType: 'ALIAS', partyIdentifier: 'a', partySubIdOrType: 'home', currency: 'USD' },
  ])
})

test('a lookup that does not answer refuses its own quotes and holds up no others', async () => {
  await startQuoting({ QUOTING_LOOKUP_TIMEOUT_MS: 100 })
  const [lost, other] = [randomUUID(), randomUUID()]
  await publish(withoutDestination(asking(lost)), asking(other))
  await said(other, 'QuoteRequestAccepted')
  const refused = await said(lost, 'InvalidQuoteRequest')
  expect(refused.payload).toMatchObject({ errorInformation: { errorCode: '2003' } })
})

test('who became inactive is asked for no quote any more', async () => {
  await startQuoting()
  const [before, after] = [randomUUID(), randomUUID()]
  await publish(asking(before))
  await said(before, 'QuoteRequestAccepted')
  await setActive(parts.grpc, payee, false)
  await eventually(async () => {
    const id = randomUUID()
    await publish(asking(id))
    const [name] = await eventually(
      () => (saidOf(id).length > 0 ? saidOf(id) : undefined),
      'a word',
    )
    return name === 'InvalidFSPInQuoteRequest' || undefined
  }, 'the change is heard')
  await setActive(parts.grpc, payee, true)
  // What is remembered does not suffice, so it is asked for again before anything is refused.
  await publish(asking(after))
  await said(after, 'QuoteRequestAccepted')
})

test('rules are set by the operator and hold at once', async () => {
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
  await said(first, 'QuoteRequestAccepted')
  await publish(committedEvent(randomUUID(), '2', { fulfiledAt: inMs(0) }))
  const db = await quotingDatabase()
  await eventually(
    async () =>
      (await db.query<object>(statement(`select 1 from velocity`), [])).length > 0 || undefined,
    'the transfer is counted',
  )
  await db.close()
  await publish(asking(second))
  const { payload } = await said(second, 'RuleViolatedInQuoteRequest')
  expect(payload).toMatchObject({ ruleId: 'hour', errorInformation: { errorCode: '4200' } })
})

test('a quote that nobody answers expires, and the payer FSP may ask for it', async () => {
  await startQuoting()
  const id = await eventually(async () => {
    const asked = randomUUID()
    await publish(asking(asked, 300))
    const [name] = await eventually(
      () => (saidOf(asked).length > 0 ? saidOf(asked) : undefined),
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
  const { payload } = await said(id, 'QuoteQueryResponse')
  expect(payload).toMatchObject({ legRole: 'PAYER', errorInformation: { errorCode: '3302' } })
})

test('a request that waited in the log while the hub was down is worked once', async () => {
  const id = randomUUID()
  await publish(asking(id))
  await restart()
  await startQuoting()
  await said(id, 'QuoteRequestAccepted')
  expect(saidOf(id)).toEqual(['QuoteRequestAccepted'])
})

test('after a crash right behind a step nothing is said twice, and the quote goes on', async () => {
  await startQuoting()
  const ids = Array.from({ length: 20 }, () => randomUUID())
  const failed = randomUUID()
  await publish(...[...ids, failed].map((id) => asking(id)))
  for (const id of [...ids, failed]) await said(id, 'QuoteRequestAccepted')
  await restart()
  await startQuoting()
  await publish(...ids.map((id) => responseEvent(id)), unreachedReport(failed))
  for (const id of ids) await said(id, 'QuoteResponseAccepted')
  await said(failed, 'InvalidFSPInQuoteRequest')
  await restart()
  await startQuoting()
  await publish(...ids.map((id) => queryEvent(id, payer)))
  for (const id of ids) {
    const { relay } = await said(id, 'QuoteQueryResponse')
    expect(relay).toEqual(responseEvent(id).relay)
    expect(saidOf(id)).toEqual([
      'QuoteRequestAccepted',
      'QuoteResponseAccepted',
      'QuoteQueryResponse',
    ])
  }
})

test('a crash while a batch is worked on loses nothing', async () => {
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
  await said(id, 'QuoteRequestAccepted')
  expect(saidOf(id)).toEqual(['QuoteRequestAccepted'])
})

test('passed through, a quote leaves no trace', async () => {
  await startQuoting({ QUOTING_MODE: 'pass-through' })
  const id = randomUUID()
  await publish(asking(id), responseEvent(id), unreachedReport(id))
  await said(id, 'QuoteRequestAccepted')
  await said(id, 'QuoteResponseAccepted')
  const db = await quotingDatabase()
  const traces = statement(`select id from quotes union all select quote_id from deliveries`)
  expect(await db.query(traces, [])).toEqual([])
  await db.close()
})

function quotingDatabase() {
  return parts.openDatabase({
    url: '',
    schema: 'quoting',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: 1,
  })
}
