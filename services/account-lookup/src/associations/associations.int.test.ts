import { randomUUID } from 'node:crypto'
import type { Message } from '@causeway/bus'
import { newEvent } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  association,
  batch,
  gist,
  openWorld,
  partyQuery,
  payloadOf,
  participantQuery,
  removal,
  type BatchEntry,
  type TestParty,
  type AccountLookupWorld,
} from '../testing/world.ts'

let world: AccountLookupWorld
let id = 0
/** A number that no other test has used. */
function msisdn(): string {
  return `2772${String(++id).padStart(7, '0')}`
}

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  world.published.length = 0
})

const created = 'ParticipantAssociationCreated'
const removed = 'ParticipantAssociationRemoved'
const refused = 'ParticipantAssociationRequestRefused'

/** The outcomes of requests about one party, in their order. */
async function gistsOf(...events: readonly ReturnType<typeof association>[]) {
  world.published.length = 0
  await world.publish(...events)
  const [first] = events
  return (await world.eventsFor(first?.key ?? '', events.length)).map(gist)
}

/** The owners of the party. */
async function ownerOf(named: TestParty): Promise<string> {
  const event = participantQuery(named)
  world.published.length = 0
  await world.publish(event)
  const [message] = await world.eventsFor(event.key, 1)
  return message === undefined ? '' : gist(message).replace('ParticipantQueryResponse ', '')
}

function descriptionIn(message: Message | undefined): string {
  const { errorInformation } = payloadOf(message) as {
    readonly errorInformation: { readonly errorDescription: string }
  }
  return errorInformation.errorDescription
}

describe('an association', () => {
  test('An association is stored, and the requester gets a callback', async () => {
    const named = { type: 'BUSINESS', id: msisdn(), subId: 'till1', currency: 'USD' }
    const event = association(named)
    await world.publish(event)
    const [message] = await world.eventsFor(event.key, 1)
    expect(message?.type).toBe(created)
    expect(message?.payload).toEqual({
      partyKey: event.key,
      partyIdType: 'BUSINESS',
      partyIdentifier: named.id,
      partySubIdOrType: 'till1',
      currency: 'USD',
      requesterFspId: 'greenbank',
      version: '1.1',
      fspId: 'greenbank',
    })
    expect(await ownerOf(named)).toBe('greenbank')
  })

  test('An FSP may request its own association again', async () => {
    const named = { id: msisdn() }
    expect(await gistsOf(association(named), association(named))).toEqual([created, created])
  })

  test('Another FSP cannot take over an association', async () => {
    const named = { id: msisdn() }
    await gistsOf(association(named))
    const event = association({ ...named, id: `+${named.id}`, by: 'bluewallet' })
    await world.publish(event)
    const [message] = await world.eventsFor(event.key, 1)
    expect(message && gist(message)).toBe(`${refused} 3003`)
    expect(descriptionIn(message)).toBe('Add Party information error - it belongs to another FSP')
    expect(await ownerOf(named)).toBe('greenbank')
  })

  test('An association in any currency is not taken over in a single one, nor the reverse', async () => {
    const [all, dollars] = [{ id: msisdn() }, { id: msisdn(), currency: 'USD' }]
    await gistsOf(association(all))
    await gistsOf(association(dollars))
    const by = 'bluewallet'
    expect(await gistsOf(association({ ...all, currency: 'USD', by }))).toEqual([`${refused} 3003`])
    expect(await gistsOf(association({ id: dollars.id, by }))).toEqual([`${refused} 3003`])
    expect(await gistsOf(association({ ...dollars, currency: 'EUR', by }))).toEqual([created])
  })

  test.each([
    ['for another FSP', { id: '1' }, { fspId: 'bluewallet' }, 'fspId is not FSPIOP-Source'],
    ['for an inactive FSP', { id: '1', by: 'sleeper' }, {}, 'the FSP is not an active participant'],
    [
      'for an unknown FSP',
      { id: '1', by: 'unheard-of' },
      {},
      'the FSP is not an active participant',
    ],
  ])('An association is not made %s', async (_title, named, changed, detail) => {
    const event = association(named, changed)
    await world.publish(event)
    const [message] = await world.eventsFor(event.key, 1)
    expect(message && gist(message)).toBe(`${refused} 3003`)
    expect(descriptionIn(message)).toBe(`Add Party information error - ${detail}`)
  })

  test('Only its FSP can remove an association', async () => {
    const named = { id: msisdn() }
    await gistsOf(association(named))
    expect(await gistsOf(removal({ ...named, by: 'bluewallet' }))).toEqual([`${refused} 3040`])
    expect(await ownerOf(named)).toBe('greenbank')
    expect(await gistsOf(removal(named))).toEqual([removed])
    expect(await ownerOf(named)).toBe('3204')
    expect(await gistsOf(removal(named))).toEqual([`${refused} 3204`])
  })

  test('A removal affects the named currency, or all currencies if none is named', async () => {
    const named = { id: msisdn() }
    const inEach = ['USD', 'EUR', 'KES'].map((currency) => association({ ...named, currency }))
    await gistsOf(...inEach)
    expect(await gistsOf(removal({ ...named, currency: 'USD' }))).toEqual([removed])
    expect(await ownerOf({ ...named, currency: 'USD' })).toBe('3204')
    expect(await ownerOf({ ...named, currency: 'EUR' })).toBe('greenbank')
    expect(await gistsOf(removal(named))).toEqual([removed])
    expect(await ownerOf(named)).toBe('3204')
  })

  test('An association changes hands in the order of the requests', async () => {
    const named = { id: msisdn() }
    const other = { ...named, by: 'bluewallet' }
    expect(
      await gistsOf(
        association(named),
        association(other),
        removal(named),
        association(other),
        removal(named),
      ),
    ).toEqual([created, `${refused} 3003`, removed, created, `${refused} 3040`])
    expect(await ownerOf(named)).toBe('bluewallet')
  })
})

describe('requests that come again', () => {
  test('Repeated requests change nothing and publish nothing, in any split into batches', async () => {
    const parties = Array.from({ length: 5 }, msisdn)
    const all = parties.flatMap((number) => [
      association({ id: number }),
      association({ id: number, by: 'bluewallet' }),
      removal({ id: number }),
      association({ id: number, by: 'bluewallet', currency: 'USD' }),
    ])
    await world.publish(...all)
    await eventually(() => world.published.length === all.length || undefined, 'the answers')
    const results = world.published.map((message) => message.id)
    for (const size of [1, 3, 7, all.length]) {
      for (let at = 0; at < all.length; at += size) await world.publish(...all.slice(at, at + size))
    }
    // Later requests are processed after them.
    const last = association({ id: msisdn() })
    await world.publish(last)
    await world.eventsFor(last.key, 1)
    for (const number of parties) {
      expect(await ownerOf({ id: number, currency: 'USD' })).toBe('bluewallet')
    }
    const again = association({ id: parties[0] ?? '', by: 'mangobank', currency: 'EUR' })
    expect(await gistsOf(again)).toEqual([created])
    expect(new Set(results).size).toBe(all.length)
  })

  test('Repeated requests publish no new event', async () => {
    const named = { id: msisdn() }
    const mine = association(named)
    const theirs = association({ ...named, by: 'bluewallet' })
    expect(await gistsOf(mine, removal(named), theirs)).toEqual([created, removed, created])
    const last = association({ ...named, currency: 'USD', by: 'bluewallet' })
    // The first request would be refused now; its recorded outcome still applies.
    await world.publish(mine, theirs, last)
    const messages = await world.eventsFor(mine.key, 4)
    expect(messages.map(gist)).toEqual([created, removed, created, created])
  })
})

describe('a crash', () => {
  test('A crash loses no request and changes no outcome', async () => {
    let own = await openWorld({ batch_max: 10 })
    const events = Array.from({ length: 60 }, msisdn).flatMap((number) => [
      association({ id: number }),
      association({ id: number, by: 'bluewallet' }),
      removal({ id: number }),
      association({ id: number, by: 'bluewallet' }),
    ])
    await own.publish(...events)
    const before = own.published
    await eventually(() => before.length > 20 || undefined, 'the first answers')
    own = await own.crash()
    const results = () =>
      new Map([...before, ...own.published].map((message) => [message.id, message]))
    await eventually(() => results().size >= events.length || undefined, 'an answer to each')
    const last = association({ id: msisdn() })
    await own.publish(last)
    await own.eventsFor(last.key, 1)
    const types = [...results().values()].map(({ type }) => type)
    const count = (wanted: string) => types.filter((type) => type === wanted).length
    expect([count(created), count(refused), count(removed)]).toEqual([121, 60, 60])
    await own.stop()
  })
})

describe('two FSPs that want the same parties at the same moment', () => {
  test('Two FSPs that request the same parties at the same moment get each party at most once, in any kind of request and any currency', async () => {
    const numbers = Array.from({ length: 200 }, msisdn)
    const entries = (fspId: string): BatchEntry[] =>
      numbers.map((number) => ({ partyIdType: 'MSISDN', partyIdentifier: number, fspId }))
    const events = [
      batch(randomUUID(), entries('greenbank')),
      batch(randomUUID(), entries('bluewallet').reverse(), { by: 'bluewallet' }),
      ...numbers.map((number) => association({ id: number, by: 'mangobank', currency: 'USD' })),
    ]
    await Promise.all(events.map((event) => world.publish(event)))
    await eventually(() => world.published.length === events.length || undefined, 'the answers')
    const winners = new Map(numbers.map((number): [string, string[]] => [number, []]))
    for (const message of world.published) {
      for (const { number, fspId } of wonIn(message)) winners.get(number)?.push(fspId)
    }
    expect([...winners.values()].every((each) => each.length === 1)).toBe(true)
    for (const number of numbers.slice(0, 10)) {
      expect([await ownerOf({ id: number })]).toEqual(winners.get(number))
    }
  })
})

interface BatchResult {
  readonly requesterFspId: string
  readonly result: {
    readonly currency?: string
    readonly partyList?: readonly {
      readonly partyId: BatchEntry
      readonly errorInformation?: { readonly errorCode: string; readonly errorDescription: string }
    }[]
    readonly errorInformation?: { readonly errorCode: string }
  }
}

function wonIn({ type, payload }: Message): readonly { number: string; fspId: string }[] {
  if (type === created) {
    const { partyIdentifier, fspId } = payload as { partyIdentifier: string; fspId: string }
    return [{ number: partyIdentifier, fspId }]
  }
  if (type !== 'ParticipantBatchAssociationProcessed') return []
  const { requesterFspId, result } = payload as BatchResult
  return (result.partyList ?? [])
    .filter(({ errorInformation }) => errorInformation === undefined)
    .map(({ partyId }) => ({ number: partyId.partyIdentifier, fspId: requesterFspId }))
}

describe('POST /participants', () => {
  async function resultOf(event: ReturnType<typeof batch>): Promise<BatchResult['result']> {
    await world.publish(event)
    const [message] = await world.eventsFor(event.key, 1)
    expect(message?.type).toBe('ParticipantBatchAssociationProcessed')
    return (payloadOf(message) as BatchResult).result
  }

  test('POST /participants is answered per party, in the order of the request', async () => {
    const [mine, taken] = [msisdn(), msisdn()]
    await gistsOf(association({ id: taken, by: 'bluewallet', currency: 'USD' }))
    const party = (
      partyIdType: string,
      partyIdentifier: string,
      more: Partial<BatchEntry> = {},
    ) => ({
      partyIdType,
      partyIdentifier,
      fspId: 'greenbank',
      ...more,
    })
    const list: BatchEntry[] = [
      party('MSISDN', mine),
      party('PHONE', '1'),
      party('MSISDN', taken),
      party('BUSINESS', 'hats', { partySubIdOrType: 'till1' }),
      party('MSISDN', 'letters'),
      party('MSISDN', msisdn(), { fspId: 'bluewallet' }),
      party('MSISDN', `+${mine}`),
      { partyIdType: 'ALIAS', partyIdentifier: mine },
    ]
    const result = await resultOf(batch(randomUUID(), list, { currency: 'USD' }))
    expect(result.currency).toBe('USD')
    expect(result.partyList?.map(({ partyId }) => partyId)).toEqual(list)
    expect(
      result.partyList?.map(({ errorInformation }) => errorInformation?.errorDescription),
    ).toEqual([
      undefined,
      'Add Party information error - not a legal PartyIdType',
      'Add Party information error - it belongs to another FSP',
      undefined,
      'Add Party information error - not a legal MSISDN',
      'Add Party information error - fspId is not FSPIOP-Source',
      undefined,
      undefined,
    ])
    expect(await ownerOf({ id: mine, currency: 'USD' })).toBe('greenbank')
    expect(await ownerOf({ id: mine, currency: 'EUR' })).toBe('3204')
    expect(await ownerOf({ type: 'BUSINESS', id: 'hats', subId: 'till1' })).toBe('greenbank')
    expect(await ownerOf({ type: 'ALIAS', id: mine })).toBe('greenbank')
  })

  test('POST /participants of an inactive FSP fails as a whole', async () => {
    const list = [{ partyIdType: 'MSISDN', partyIdentifier: msisdn(), fspId: 'sleeper' }]
    const result = await resultOf(batch(randomUUID(), list, { by: 'sleeper' }))
    expect(result).toEqual({
      errorInformation: {
        errorCode: '3003',
        errorDescription: 'Add Party information error - the FSP is not an active participant',
      },
    })
  })

  test('POST /participants accepts 10,000 parties, and the same ones again', async () => {
    const list = Array.from({ length: 10_000 }, (_, n) => ({
      partyIdType: 'ALIAS',
      partyIdentifier: `member-${n}`,
      fspId: 'greenbank',
    }))
    for (const requestId of [randomUUID(), randomUUID()]) {
      const { partyList } = await resultOf(batch(requestId, list))
      expect(partyList?.length).toBe(10_000)
      expect(partyList?.some(({ errorInformation }) => errorInformation)).toBe(false)
    }
    const event = partyQuery({ type: 'ALIAS', id: 'member-9999', by: 'bluewallet' })
    expect(await gistsOf(event)).toEqual(['NotifyRequested greenbank'])
  })
})

describe('a consent that the auth service of the hub claims', () => {
  const claim = (consentId: string, requesterFspId: string, isGranter?: boolean) =>
    newEvent('auth-service', 'ConsentOwnershipClaimed', {
      partyKey: `CONSENTS/${consentId}`,
      partyIdType: 'CONSENTS',
      partyIdentifier: consentId,
      requesterFspId,
      isGranter,
      version: '1.1',
    })

  test("A consent belongs to the hub's auth service that claims it, in either spelling of the type and however often", async () => {
    const consentId = randomUUID()
    const claims = [claim(consentId, 'mangobank'), claim(consentId, 'mangobank')]
    expect(await gistsOf(...claims)).toEqual([created, created])
    expect(await ownerOf({ type: 'CONSENT', id: consentId })).toBe('mangobank')
    expect(await ownerOf({ type: 'CONSENTS', id: consentId })).toBe('mangobank')
  })

  test('The claimer gets its callback in the spelling of its claim', async () => {
    const event = claim(randomUUID(), 'mangobank')
    await world.publish(event)
    const [message] = await world.eventsFor(event.key, 1)
    expect(message?.payload).toMatchObject({
      partyKey: event.key,
      partyIdType: 'CONSENTS',
      requesterFspId: 'mangobank',
      fspId: 'mangobank',
    })
  })

  test('A claim of a consent that an FSP has registered before is refused', async () => {
    const consentId = randomUUID()
    await gistsOf(association({ type: 'CONSENT', id: consentId, by: 'bluewallet' }))
    expect(await gistsOf(claim(consentId, 'mangobank'))).toEqual([`${refused} 3003`])
    expect(await ownerOf({ type: 'CONSENT', id: consentId })).toBe('bluewallet')
  })

  test('A claim for the DFSP that granted the consent replaces what another FSP registered before', async () => {
    const consentId = randomUUID()
    const squatting = association({ type: 'CONSENT', id: consentId, by: 'bluewallet' })
    await gistsOf(squatting)
    expect(await gistsOf(claim(consentId, 'mangobank', true))).toEqual([created])
    expect(await ownerOf({ type: 'CONSENT', id: consentId })).toBe('mangobank')
    const later = association({ type: 'CONSENTS', id: consentId, by: 'bluewallet' })
    expect(
      await gistsOf(later, removal({ type: 'CONSENTS', id: consentId, by: 'bluewallet' })),
    ).toEqual([`${refused} 3003`, `${refused} 3040`])
    expect(await ownerOf({ type: 'CONSENT', id: consentId })).toBe('mangobank')
  })
})
