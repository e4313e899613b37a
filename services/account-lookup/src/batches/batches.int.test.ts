import { eventually } from '@causeway/runtime/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import {
  association,
  batch,
  gist,
  openWorld,
  payloadOf,
  removal,
  type World,
} from '../testing/world.ts'

let stand: World
let id = 0
/** A number that no other test has used. */
function msisdn(): string {
  return `2773${String(++id).padStart(7, '0')}`
}

beforeAll(async () => {
  stand = await openWorld()
})
afterAll(() => stand.stop())
beforeEach(() => {
  stand.heard.length = 0
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

/** What was said about the id of these requests, in its order, once something follows on all of them. */
async function resultsOf(...events: readonly Event[]): Promise<readonly unknown[]> {
  stand.heard.length = 0
  await stand.publish(...events)
  const [first] = events
  const key = first?.key ?? ''
  await stand.said(key, 1)
  // What has the same key is worked on after them, and so is its refusal said after their answers.
  await stand.publish(batch(key, [entry('1', 'mangobank')], { by: 'mangobank' }))
  const said = await eventually(() => {
    const found = stand.heard.filter((message) => message.key === key)
    return requesterOf(found.at(-1)) === 'mangobank' ? found : undefined
  }, 'the refusal of the last request')
  return said.slice(0, -1).map((message) => (payloadOf(message) as { result: unknown }).result)
}

function requesterOf(message: World['heard'][number] | undefined): string | undefined {
  return (message?.payload as { readonly requesterFspId?: string } | undefined)?.requesterFspId
}

async function done(event: Event): Promise<void> {
  const before = stand.heard.length
  await stand.publish(event)
  await eventually(() => stand.heard.length > before || undefined, 'its answer')
}

describe('a POST /participants whose requestId is known', () => {
  test('is answered as the first was, though its parties have changed hands since', async () => {
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
      stand.heard.length = 0
      await stand.publish(event)
      const [message] = await stand.said(event.key, 1)
      expect(message && gist(message)).toBe('ParticipantAssociationCreated')
    }
  })

  test('is refused with other content, and nothing of it is done', async () => {
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
    await stand.publish(event)
    const [message] = await stand.said(event.key, 1)
    expect(message && gist(message)).toBe('ParticipantAssociationCreated')
  })

  test("is refused to another FSP, even with the first one's content", async () => {
    const requestId = randomUUID()
    const list = [{ partyIdType: 'MSISDN', partyIdentifier: msisdn() }]
    const results = await resultsOf(
      batch(requestId, list),
      batch(requestId, list, { by: 'bluewallet' }),
    )
    expect(results).toEqual([{ partyList: [{ partyId: list[0] }] }, used])
  })

  test('repeats the refusal of a whole request that was refused', async () => {
    const requestId = randomUUID()
    const list = [entry(msisdn(), 'sleeper')]
    const refused = {
      errorInformation: {
        errorCode: '3003',
        errorDescription: 'Add Party information error - the FSP is no active participant',
      },
    }
    const [first] = await resultsOf(batch(requestId, list, { by: 'sleeper' }))
    expect(first).toEqual(refused)
    const sleeper = stand.participants.get('sleeper')
    if (sleeper === undefined) throw new Error('there is no sleeper')
    stand.participants.set('sleeper', { ...sleeper, isActive: true })
    const [again] = await resultsOf(batch(requestId, list, { by: 'sleeper' }))
    expect(again).toEqual(refused)
  })

  test('has one outcome after a crash, and each request is answered once', async () => {
    let own = await openWorld({ ACCOUNT_LOOKUP_BATCH_MAX: 5 })
    const lists = Array.from({ length: 40 }, () => [entry(msisdn())])
    const events = lists.flatMap((list) => {
      const requestId = randomUUID()
      return [batch(requestId, list), batch(requestId, list, { currency: 'USD' })]
    })
    await own.publish(...events)
    const before = own.heard
    await eventually(() => before.length > 10 || undefined, 'the first answers')
    own = await own.crash()
    const said = () => new Map([...before, ...own.heard].map((message) => [message.id, message]))
    await eventually(() => said().size >= events.length || undefined, 'an answer to each')
    const last = batch(randomUUID(), [entry(msisdn())])
    await own.publish(last)
    await own.said(last.key, 1)
    const gists = [...said().values()].filter(({ key }) => key !== last.key).map(gist)
    const count = (wanted: string) => gists.filter((each) => each === wanted).length
    expect([count(processed), count(`${processed} 3106`)]).toEqual([40, 40])
    await own.stop()
  })
})
