import type { Message, OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent, type Payload } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import { accountLookupService, personsService, present } from '@causeway/protos'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  association,
  gist,
  openWorld,
  participant,
  participantQuery,
  partyQuery,
  relay,
  removal,
  type TestParty,
  type AccountLookupWorld,
} from '../testing/world.ts'

let world: AccountLookupWorld
let id = 0
/** A number that no other test has used. */
function msisdn(): string {
  return `2771${String(++id).padStart(7, '0')}`
}

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  world.published.length = 0
})

async function associate(...all: readonly TestParty[]): Promise<void> {
  await world.publish(...all.map((named) => association(named)))
  await eventually(
    () =>
      world.published.filter(({ type }) => type === 'ParticipantAssociationCreated').length ===
        all.length || undefined,
    'the associations',
  )
  world.published.length = 0
}

/** A readable form of the message that answers a query. */
async function gistsOf(event: OutgoingMessage, count = 1): Promise<readonly string[]> {
  await world.publish(event)
  return (await world.eventsFor(event.key, count)).map(gist)
}

function notifyOf(message: Message | undefined): Payload<'NotifyRequested'> {
  return message?.payload as Payload<'NotifyRequested'>
}

/** The edge's event for a query that could not be delivered to its FSP. */
function undelivered(
  message: Message | undefined,
  errorInformation = { errorCode: '1001', errorDescription: 'Destination communication error' },
): OutgoingMessage {
  const { destinationFspId: fspId, cause, onFailure } = notifyOf(message)
  const partyKey = cause.entityId
  if (onFailure?.several === undefined) throw new Error('it went to one FSP')
  const { requesterFspId, version, several } = onFailure
  const [partyIdType = '', partyIdentifier = ''] = partyKey.split('/')
  const asked = { partyKey, partyIdType, partyIdentifier, requesterFspId, version }
  const payload = { ...asked, fspId, errorInformation, ...several }
  return newEvent('fspiop-api', 'PartyQueryUndelivered', payload)
}

describe('GET /parties', () => {
  test('GET /parties is forwarded to the FSP of the party, with its headers and its query', async () => {
    const named = { id: msisdn(), currency: 'USD' }
    await associate({ ...named, by: 'bluewallet' })
    const event = partyQuery(named)
    const before_ms = Date.now()
    // A redelivered event yields the same messages.
    await world.publish(event, event)
    const [first, second] = await world.eventsFor(event.key, 2)
    const notificationId = derivedId(event.id, 'NotifyRequested', 'bluewallet')
    const { deadline, ...rest } = notifyOf(first)
    expect(rest).toEqual({
      notificationId,
      entityId: notificationId,
      cause: { msgName: 'PartyQueryReceived', entityId: event.key },
      legRole: 'PAYEE',
      destinationFspId: 'bluewallet',
      transport: {
        type: 'HTTP',
        method: 'GET',
        url: `http://bluewallet.example/parties/MSISDN/${named.id}?currency=USD`,
        path: `/parties/MSISDN/${named.id}?currency=USD`,
      },
      headers: { 'fspiop-destination': 'bluewallet' },
      reportRequired: false,
      onFailure: {
        requesterFspId: 'greenbank',
        operation: 'PUT /parties/{Type}/{ID}/error',
        path: `/parties/MSISDN/${named.id}/error`,
        variables: { id: named.id, ID: named.id, partyIdType: 'MSISDN', partyIdentifier: named.id },
        version: '1.1',
      },
    })
    expect(Date.parse(deadline) - before_ms).toBeGreaterThanOrEqual(30_000)
    expect(Date.parse(deadline) - Date.now()).toBeLessThanOrEqual(30_000)
    expect(first?.id).toBe(notificationId)
    expect(second?.id).toBe(notificationId)
    expect(first?.headers['relay-headers']).toEqual(relay.headers)
    expect(first?.headers['relay-body']).toEqual(Buffer.alloc(0))
  })

  test('GET /parties is forwarded with its sub id', async () => {
    const named = { type: 'BUSINESS', id: `shoes-${msisdn()}`, subId: 'till%1' }
    await associate({ ...named, by: 'bluewallet' }, { ...named, subId: 'till2', by: 'mangobank' })
    const event = partyQuery(named)
    await world.publish(event)
    const [message] = await world.eventsFor(event.key, 1)
    expect(notifyOf(message)).toMatchObject({
      destinationFspId: 'bluewallet',
      transport: { url: `http://bluewallet.example/parties/BUSINESS/${named.id}/till%251` },
      onFailure: {
        operation: 'PUT /parties/{Type}/{ID}/{SubId}/error',
        path: `/parties/BUSINESS/${named.id}/till%251/error`,
        variables: { partySubIdOrType: 'till%1' },
      },
    })
    const { type, id: identifier } = named
    expect(await gistsOf(partyQuery({ type, id: identifier }))).toEqual(['PartyQueryResponse 3204'])
  })

  test('GET /parties goes to the base address of an FSP that has registered no other', async () => {
    const endpoints = [{ type: 'FSPIOP_CALLBACK_URL', value: 'http://based.example/fspiop/' }]
    world.participants.set('based', participant('based', { endpoints }))
    const named = { id: msisdn(), currency: 'USD' }
    const event = partyQuery(named, { destinationFspId: 'based' })
    await world.publish(event)
    const [message] = await world.eventsFor(event.key, 1)
    expect(notifyOf(message).transport).toMatchObject({
      url: `http://based.example/fspiop/parties/MSISDN/${named.id}?currency=USD`,
    })
  })

  test('GET /parties goes to the FSP that it names, without a lookup', async () => {
    const named = { id: msisdn() }
    const { statements } = world.counts
    expect(await gistsOf(partyQuery(named, { destinationFspId: 'mangobank' }))).toEqual([
      'NotifyRequested mangobank',
    ])
    expect(world.counts.statements).toBe(statements)
  })

  test.each([
    ['unheard-of', '3201'],
    ['sleeper', '3201'],
    ['mute', '3201'],
  ])('GET /parties that names %s is refused with %s', async (destinationFspId, code) => {
    const event = partyQuery({ id: msisdn() }, { destinationFspId })
    expect(await gistsOf(event)).toEqual([`PartyQueryResponse ${code}`])
  })

  test('GET /parties goes to every FSP that has the party, and then no single failure is an error', async () => {
    const named = { id: msisdn() }
    await associate(
      { ...named, currency: 'USD', by: 'bluewallet' },
      { ...named, currency: 'EUR', by: 'mangobank' },
      { ...named, currency: 'KES', by: 'bluewallet' },
    )
    const event = partyQuery(named)
    await world.publish(event)
    const messages = await world.eventsFor(event.key, 2)
    expect(messages.map(gist).sort()).toEqual([
      'NotifyRequested bluewallet',
      'NotifyRequested mangobank',
    ])
    const several = { questionId: event.id, fsps: 2 }
    expect(messages.map((each) => notifyOf(each).onFailure?.several)).toEqual([several, several])

    world.published.length = 0
    await world.publish(undelivered(messages[0]), undelivered(messages[0]))
    await world.publish(partyQuery({ id: named.id, currency: 'KES' }))
    await world.eventsFor(event.key, 1)
    expect(world.published.map(gist)).toEqual(['NotifyRequested bluewallet'])
  })

  test('GET /parties that reaches none of several FSPs is answered once, with the last error', async () => {
    const named = { id: msisdn() }
    await associate(
      { ...named, currency: 'USD', by: 'bluewallet' },
      { ...named, currency: 'EUR', by: 'mangobank' },
    )
    const event = partyQuery(named)
    await world.publish(event)
    const [one, other] = await world.eventsFor(event.key, 2)
    world.published.length = 0
    await world.publish(undelivered(one))
    await world.publish(undelivered(other, { errorCode: '2002', errorDescription: 'No' }))
    const [failure] = await world.eventsFor(event.key, 1)
    expect(failure?.id).toBe(derivedId(event.id, 'PartyQueryResponse'))
    expect(failure?.payload).toMatchObject({
      partyKey: event.key,
      requesterFspId: 'greenbank',
      version: '1.1',
      errorInformation: { errorCode: '2002', errorDescription: 'No' },
    })
    await world.publish(undelivered(one))
    const again = await world.eventsFor(event.key, 2)
    expect(again[1]?.id).toBe(failure?.id)
  })

  test('GET /parties with a currency goes to the FSP of that currency', async () => {
    const named = { id: msisdn() }
    await associate(
      { ...named, currency: 'USD', by: 'bluewallet' },
      { ...named, currency: 'EUR', by: 'mangobank' },
    )
    expect(await gistsOf(partyQuery({ ...named, currency: 'EUR' }))).toEqual([
      'NotifyRequested mangobank',
    ])
    world.published.length = 0
    expect(await gistsOf(partyQuery({ ...named, currency: 'KES' }))).toEqual([
      'PartyQueryResponse 3204',
    ])
  })

  test('GET /parties skips an inactive owner', async () => {
    const named = { id: msisdn() }
    world.participants.set('closing', participant('closing'))
    await associate(
      { ...named, currency: 'USD', by: 'closing' },
      { ...named, currency: 'EUR', by: 'bluewallet' },
    )
    world.participants.set('closing', participant('closing', { isActive: false }))
    await world.publish(
      newEvent('participant-lifecycle', 'ParticipantStateUpdated', {
        participantId: 'closing',
        oldState: 'ACTIVE',
        newState: 'INACTIVE',
        isActive: false,
        version: 2,
        changedAt: new Date().toISOString(),
      }),
    )
    const only = await eventually(async () => {
      world.published.length = 0
      const event = partyQuery(named)
      await world.publish(event)
      const messages = await world.eventsFor(event.key, 1)
      return messages.length === 1 && notifyOf(messages[0]).onFailure ? messages : undefined
    }, 'the change to be received')
    expect(only.map(gist)).toEqual(['NotifyRequested bluewallet'])
  })

  test.each([
    ['without owner', { id: '27720000000' }],
    ['of a type that cannot be queried', { type: 'CONSENT', id: 'c-1' }],
    ['of the alternative spelling of that type', { type: 'CONSENTS', id: 'c-1' }],
    ['of a link', { type: 'THIRD_PARTY_LINK', id: 'l-1' }],
    ['that is a path traversal', { type: 'ALIAS', id: '..' }],
  ])('%s is refused with 3204', async (_title, named) => {
    const [answer] = await gistsOf(partyQuery(named))
    expect(answer).toBe('PartyQueryResponse 3204')
  })

  test('GET /parties finds a number with or without its plus sign', async () => {
    const number = msisdn()
    await associate({ id: `+${number}`, by: 'bluewallet' })
    expect(await gistsOf(partyQuery({ id: number }))).toEqual(['NotifyRequested bluewallet'])
    const event = partyQuery({ id: `+${number}` })
    await world.publish(event)
    const [message] = await world.eventsFor(event.key, 1)
    expect(notifyOf(message).transport).toMatchObject({
      url: `http://bluewallet.example/parties/MSISDN/%2B${number}`,
    })
  })
})

describe('GET /participants', () => {
  test('GET /participants answers every requester with the owner of the party', async () => {
    const named = { id: msisdn(), currency: 'USD' }
    await associate({ ...named, by: 'bluewallet' })
    const event = participantQuery(named)
    await world.publish(event)
    const [message] = await world.eventsFor(event.key, 1)
    expect(message?.type).toBe('ParticipantQueryResponse')
    expect(message?.payload).toEqual({
      partyKey: event.key,
      partyIdType: 'MSISDN',
      partyIdentifier: named.id,
      requesterFspId: 'greenbank',
      version: '1.1',
      result: { ownerFspId: 'bluewallet' },
    })
  })

  test('GET /participants finds consents, in either spelling', async () => {
    await associate({ type: 'CONSENT', id: 'c-7', by: 'bluewallet' })
    expect(await gistsOf(participantQuery({ type: 'CONSENTS', id: 'c-7' }))).toEqual([
      'ParticipantQueryResponse bluewallet',
    ])
  })

  test('GET /participants finds an FSP without an address', async () => {
    const named = { id: msisdn() }
    await associate({ ...named, by: 'mute' })
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse mute'])
    world.published.length = 0
    expect(await gistsOf(partyQuery(named))).toEqual(['PartyQueryResponse 3201'])
  })

  test('GET /participants of a party without owner is refused with 3204', async () => {
    expect(await gistsOf(participantQuery({ id: msisdn() }))).toEqual([
      'ParticipantQueryResponse 3204',
    ])
  })
})

describe('lookups of many', () => {
  const manyNamed = Array.from({ length: 100 }, (_, n) => ({ type: 'ALIAS', id: `many-${n}` }))

  test('Many lookups cost one statement, are answered together, and cost no statement the second time', async () => {
    await associate(...manyNamed.map((named) => ({ ...named, by: 'bluewallet' })))
    // Loads the list of oracles first.
    await gistsOf(partyQuery({ type: 'ALIAS', id: 'nobody' }))
    const ask = async () => {
      world.published.length = 0
      const before = { ...world.counts }
      await world.publish(...manyNamed.map((named) => partyQuery(named)))
      await eventually(() => world.published.length === 100 || undefined, 'the answers')
      return {
        statements: world.counts.statements - before.statements,
        derivedEvents: world.counts.derivedEvents - before.derivedEvents,
      }
    }
    expect(await ask()).toEqual({ statements: 1, derivedEvents: 1 })
    expect(await ask()).toEqual({ statements: 0, derivedEvents: 1 })
  })
})

describe('what is remembered', () => {
  test('A removal drops the cached owner at once', async () => {
    const named = { id: msisdn() }
    await associate({ ...named, by: 'bluewallet' })
    expect(await gistsOf(partyQuery(named))).toEqual(['NotifyRequested bluewallet'])
    world.published.length = 0
    expect(await gistsOf(removal({ ...named, by: 'bluewallet' }))).toEqual([
      'ParticipantAssociationRemoved',
    ])
    world.published.length = 0
    expect(await gistsOf(partyQuery(named))).toEqual(['PartyQueryResponse 3204'])
  })

  test('A cached owner does not hide a newer association', async () => {
    const named = { id: msisdn() }
    await associate({ ...named, currency: 'USD', by: 'bluewallet' })
    const inEuro = { ...named, currency: 'EUR' }
    expect(await gistsOf(partyQuery(inEuro))).toEqual(['PartyQueryResponse 3204'])
    await associate({ ...inEuro, by: 'mangobank' })
    expect(await gistsOf(partyQuery(inEuro))).toEqual(['NotifyRequested mangobank'])
  })
})

describe('FindOwners', () => {
  test('FindOwners answers per item, with active and inactive owners, oldest first', async () => {
    const named = { id: msisdn() }
    await associate(
      { ...named, currency: 'USD', by: 'mangobank' },
      { ...named, currency: 'EUR', by: 'bluewallet' },
      { type: 'BUSINESS', id: 'hats', subId: 'till1', by: 'bluewallet' },
    )
    const { FindOwners } = world.parts.grpc.client(accountLookupService, 'account-lookup')
    const query = (
      partyIdType: string,
      partyIdentifier: string,
      partySubIdOrType?: string,
      currency?: string,
    ) => ({ partyIdType, partyIdentifier, ...present({ partySubIdOrType, currency }) })
    const { answers } = await FindOwners({
      queries: [
        query('MSISDN', `+${named.id}`),
        query('MSISDN', named.id, undefined, 'EUR'),
        query('MSISDN', named.id, undefined, 'KES'),
        query('BUSINESS', 'hats', 'till1'),
        query('BUSINESS', 'hats'),
        query('PHONE', '1'),
        query('ALIAS', 'a\u0000b'),
        query('MSISDN', named.id, undefined, 'EURO'),
      ],
    })
    expect(answers).toEqual([
      { outcome: 'FOUND', fspIds: ['mangobank', 'bluewallet'] },
      { outcome: 'FOUND', fspIds: ['bluewallet'] },
      { outcome: 'PARTY_UNKNOWN', fspIds: [] },
      { outcome: 'FOUND', fspIds: ['bluewallet'] },
      { outcome: 'PARTY_UNKNOWN', fspIds: [] },
      { outcome: 'ORACLE_MISSING', fspIds: [] },
      { outcome: 'PARTY_UNKNOWN', fspIds: [] },
      { outcome: 'PARTY_UNKNOWN', fspIds: [] },
    ])
    expect((await FindOwners({ queries: [] })).answers).toEqual([])
  })

  interface Answering extends TestParty {
    readonly by: string
  }

  async function mayAnswer({ type = 'MSISDN', id: identifier, subId, by }: Answering) {
    const { FindOwners } = world.parts.grpc.client(accountLookupService, 'account-lookup')
    const party = { partyIdType: type, partyIdentifier: identifier, answeringFspId: by }
    const query = { ...party, ...present({ partySubIdOrType: subId }) }
    return (await FindOwners({ queries: [query] })).answers[0]?.mayAnswer
  }

  test('An FSP may answer for a party when it is its owner in any currency', async () => {
    const named = { id: msisdn() }
    await associate(
      { ...named, currency: 'USD', by: 'mangobank' },
      { ...named, currency: 'EUR', by: 'bluewallet' },
    )
    expect(await mayAnswer({ id: `+${named.id}`, by: 'mangobank' })).toBe(true)
    expect(await mayAnswer({ ...named, by: 'bluewallet' })).toBe(true)
    expect(await mayAnswer({ ...named, by: 'greenbank' })).toBe(false)
    expect(await mayAnswer({ ...named, subId: 'till1', by: 'mangobank' })).toBe(false)
    expect(await mayAnswer({ id: msisdn(), by: 'mangobank' })).toBe(false)
    expect(await mayAnswer({ type: 'PHONE', id: '1', by: 'mangobank' })).toBe(false)
  })

  test('The owner of a party with a sub id may answer for that party alone', async () => {
    const named = { type: 'BUSINESS', id: 'gloves', subId: 'till1' }
    await associate({ ...named, by: 'bluewallet' })
    expect(await mayAnswer({ ...named, by: 'bluewallet' })).toBe(true)
    expect(await mayAnswer({ ...named, subId: 'till2', by: 'bluewallet' })).toBe(false)
    expect(await mayAnswer({ type: 'BUSINESS', id: 'gloves', by: 'bluewallet' })).toBe(false)
  })

  test('The owner before may answer, also after a restart, and so may the new one', async () => {
    const named = { id: msisdn() }
    await associate({ ...named, by: 'mangobank' })
    await gistsOf(removal({ ...named, by: 'mangobank' }))
    expect(await mayAnswer({ ...named, by: 'mangobank' })).toBe(true)
    await associate({ ...named, by: 'bluewallet' })
    world = await world.crash()
    expect(await mayAnswer({ ...named, by: 'mangobank' })).toBe(true)
    expect(await mayAnswer({ ...named, by: 'bluewallet' })).toBe(true)
    expect(await mayAnswer({ ...named, by: 'greenbank' })).toBe(false)
  })

  test('Of a person that is erased, no FSP was the owner before', async () => {
    const named = { id: msisdn() }
    await associate({ ...named, by: 'mangobank' })
    await gistsOf(removal({ ...named, by: 'mangobank' }))
    const { ErasePerson } = world.parts.grpc.client(personsService, 'account-lookup')
    await ErasePerson({ partyIdType: 'MSISDN', partyIdentifier: named.id })
    expect(await mayAnswer({ ...named, by: 'mangobank' })).toBe(false)
  })
})
