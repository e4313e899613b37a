import { randomUUID } from 'node:crypto'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  association,
  batch,
  gist,
  openWorld,
  payloadOf,
  removal,
  type AccountLookupWorld,
} from '../testing/world.ts'

let world: AccountLookupWorld
let id = 0
/** A number that no other test has used. */
function msisdn(): string {
  return `2773${String(++id).padStart(7, '0')}`
}

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  world.published.length = 0
})

const processed = 'ParticipantBatchAssociationProcessed'
const used = {
  errorInformation: {
    errorCode: '3106',
    errorDescription: 'Modified request - the id was used before',
  },
}

function entry(partyIdentifier: string, fspId = 'greenbank') {
  return { partyIdType: 'MSISDN', partyIdentifier, fspId }
}

type Event = ReturnType<typeof batch>

/** The events about the id of these requests, in order, once each request has a result. */
async function resultsOf(...events: readonly Event[]): Promise<readonly unknown[]> {
  world.published.length = 0
  await world.publish(...events)
  const [first] = events
  const key = first?.key ?? ''
  await world.eventsFor(key, 1)
  // Events with the same key are processed in order, so this refusal follows their answers.
  await world.publish(batch(key, [entry('1', 'mangobank')], { by: 'mangobank' }))
  const results = await eventually(() => {
    const found = world.published.filter((message) => message.key === key)
    return requesterOf(found.at(-1)) === 'mangobank' ? found : undefined
  }, 'the refusal of the last request')
  return results.slice(0, -1).map((message) => (payloadOf(message) as { result: unknown }).result)
}

function requesterOf(
  message: AccountLookupWorld['published'][number] | undefined,
): string | undefined {
  return (message?.payload as { readonly requesterFspId?: string } | undefined)?.requesterFspId
}

async function done(event: Event): Promise<void> {
  const before = world.published.length
  await world.publish(event)
  await eventually(() => world.published.length > before || undefined, 'its answer')
}

describe('a POST /participants whose requestId is known', () => {
  test('A repeated POST /participants is answered as the first was, even if its parties have changed hands since', async () => {
    const [mine, taken] = [msisdn(), msisdn()]
    await done(association({ id: taken, by: 'bluewallet' }))
    const list = [entry(mine), entry(taken)]
    const requestId = randomUUID()
    const [first] = await resultsOf(batch(requestId, list, { currency: 'USD' }))
    expect(first).toMatchObject({ currency: 'USD', partyList: [{}, { errorInformation: {} }] })

    await done(removal({ id: mine }))
    await done(removal({ id: taken, by: 'bluewallet' }))
    const [again] = await resultsOf(batch(requestId, list, { currency: 'USD' }))
    expect(again).toEqual(first)
    // Both are free: the repeat has associated neither.
    for (const number of [mine, taken]) {
      const event = association({ id: number, by: 'mangobank' })
      world.published.length = 0
      await world.publish(event)
      const [message] = await world.eventsFor(event.key, 1)
      expect(message && gist(message)).toBe('ParticipantAssociationCreated')
    }
  })

  test('A POST /participants with a used requestId and other content is refused and changes nothing', async () => {
    const [mine, other] = [msisdn(), msisdn()]
    const requestId = randomUUID()
    const results = await resultsOf(
      batch(requestId, [entry(mine)]),
      batch(requestId, [entry(mine), entry(other)]),
      batch(requestId, [entry(mine)], { currency: 'USD' }),
      batch(requestId, [entry(mine)]),
    )
    const first = { partyList: [{ partyId: entry(mine) }] }
    expect(results).toEqual([first, used, used, first])
    const event = association({ id: other, by: 'bluewallet' })
    await world.publish(event)
    const [message] = await world.eventsFor(event.key, 1)
    expect(message && gist(message)).toBe('ParticipantAssociationCreated')
  })

  test("A POST /participants with another FSP's requestId is refused, even with the same content", async () => {
    const requestId = randomUUID()
    const list = [{ partyIdType: 'MSISDN', partyIdentifier: msisdn() }]
    const results = await resultsOf(
      batch(requestId, list),
      batch(requestId, list, { by: 'bluewallet' }),
    )
    expect(results).toEqual([{ partyList: [{ partyId: list[0] }] }, used])
  })

  test('A repeat of a request that was refused as a whole is refused as a whole', async () => {
    const requestId = randomUUID()
    const list = [entry(msisdn(), 'sleeper')]
    const refused = {
      errorInformation: {
        errorCode: '3003',
        errorDescription: 'Add Party information error - the FSP is not an active participant',
      },
    }
    const [first] = await resultsOf(batch(requestId, list, { by: 'sleeper' }))
    expect(first).toEqual(refused)
    const sleeper = world.participants.get('sleeper')
    if (sleeper === undefined) throw new Error('there is no sleeper')
    world.participants.set('sleeper', { ...sleeper, isActive: true })
    const [again] = await resultsOf(batch(requestId, list, { by: 'sleeper' }))
    expect(again).toEqual(refused)
  })

  test('A POST /participants has one outcome after a crash, and each request is answered once', async () => {
    let own = await openWorld({ batch_max: 5 })
    const lists = Array.from({ length: 40 }, () => [entry(msisdn())])
    const events = lists.flatMap((list) => {
      const requestId = randomUUID()
      return [batch(requestId, list), batch(requestId, list, { currency: 'USD' })]
    })
    await own.publish(...events)
    const before = own.published
    await eventually(() => before.length > 10 || undefined, 'the first answers')
    own = await own.crash()
    const results = () =>
      new Map([...before, ...own.published].map((message) => [message.id, message]))
    await eventually(() => results().size >= events.length || undefined, 'an answer to each')
    const last = batch(randomUUID(), [entry(msisdn())])
    await own.publish(last)
    await own.eventsFor(last.key, 1)
    const gists = [...results().values()].filter(({ key }) => key !== last.key).map(gist)
    const count = (wanted: string) => gists.filter((each) => each === wanted).length
    expect([count(processed), count(`${processed} 3106`)]).toEqual([40, 40])
    await own.stop()
  })
})
