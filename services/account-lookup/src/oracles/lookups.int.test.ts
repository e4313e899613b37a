/** Lookups with an external oracle over real HTTP: hanging, failing, answering invalid data. */
import { eventually } from '@causeway/process/testing'
import { accountLookupService } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { association, gist, participantQuery, partyQuery, subjectOf } from '../testing/world.ts'
import type { Reply } from './testing/oracle.ts'
import { calls_max, patient, alias, useOracles } from './testing/world.ts'

const world = useOracles()
const { withSettings, create, gistsOf, methods, belongs } = world

describe('a lookup with an external oracle', () => {
  test('A lookup calls the external oracle and caches the answer', async () => {
    await create()
    const identifier = `${alias()}&ü`
    belongs(identifier, 'bluewallet', { partySubIdOrType: 'till 1'.replace(' ', '+') })
    const event = partyQuery({ type: 'ALIAS', id: identifier, subId: 'till+1' })
    expect(await gistsOf(event)).toEqual(['NotifyRequested bluewallet'])
    expect(await gistsOf(partyQuery({ type: 'ALIAS', id: identifier, subId: 'till+1' }))).toEqual([
      'NotifyRequested bluewallet',
    ])
    expect(world.oracle.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /participants/ALIAS/${encodeURIComponent(identifier)}?partySubIdOrType=till%2B1`,
    ])
    expect(world.oracle.calls[0]?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
      date: expect.stringMatching(/ GMT$/) as unknown,
      'fspiop-source': 'Hub',
      'fspiop-destination': 'Hub',
    })
  })

  test('A lookup sends a number without its plus sign', async () => {
    await create({ oracleIdType: 'MSISDN' })
    world.oracle.entries.set('MSISDN/27713803912', [{ fspId: 'bluewallet' }])
    expect(await gistsOf(participantQuery({ id: '+27713803912' }))).toEqual([
      'ParticipantQueryResponse bluewallet',
    ])
  })

  test('A lookup in a currency calls the oracle of that currency', async () => {
    await create({ currency: 'USD' })
    await create({ isDefault: true, endpointValue: 'builtin:' })
    const identifier = alias()
    belongs(identifier, 'bluewallet', { currency: 'USD' })
    await gistsOf(association({ type: 'ALIAS', id: identifier, by: 'mangobank', currency: 'EUR' }))
    const of = (currency?: string) =>
      gistsOf(
        participantQuery({
          type: 'ALIAS',
          id: identifier,
          ...(currency === undefined ? {} : { currency }),
        }),
      )
    expect(await of('USD')).toEqual(['ParticipantQueryResponse bluewallet'])
    expect(await of('EUR')).toEqual(['ParticipantQueryResponse mangobank'])
    expect(await of()).toEqual(['ParticipantQueryResponse mangobank'])
  })

  const partyList = [{ fspId: 'bluewallet' }]
  test.each<[string, () => Reply, string]>([
    ['answers an empty list', () => ({ status: 200, body: { partyList: [] } }), '3204'],
    ['answers 204', () => ({ status: 204 }), '3204'],
    ['answers 404', () => ({ status: 404, body: 'not found' }), '3204'],
    ['answers 400', () => ({ status: 400, body: {} }), '3204'],
    ['answers 500', () => ({ status: 500, body: {} }), '1001'],
    ['answers 401', () => ({ status: 401, body: {} }), '1001'],
    ['answers broken JSON', () => ({ status: 200, body: '{"partyList":[' }), '1001'],
    ['answers in another shape', () => ({ status: 200, body: partyList }), '1001'],
    [
      'answers more than the maximum size',
      () => ({ status: 200, body: { partyList, more: 'x'.repeat(8_400_000) } }),
      '1001',
    ],
    [
      'redirects',
      () => ({
        status: 301,
        headers: { location: `${world.oracle.url}/elsewhere` },
        body: { partyList },
      }),
      '1001',
    ],
  ])('A lookup with an external oracle that %s is answered', async (_title, reply, code) => {
    await create()
    world.oracle.answer = reply
    const named = { type: 'ALIAS', id: alias() }
    expect(await gistsOf(partyQuery(named))).toEqual([`PartyQueryResponse ${code}`])
    expect(world.oracle.calls.some(({ url }) => url.includes('elsewhere'))).toBe(false)
    // A failure is not cached.
    world.oracle.answer = undefined
    belongs(named.id, 'bluewallet')
    expect(await gistsOf(partyQuery(named))).toEqual(['NotifyRequested bluewallet'])
  })

  test('A lookup with an unreachable oracle is answered 1001, over gRPC ORACLE_AWAY', async () => {
    const { url } = world.oracle
    await world.oracle.stop()
    await create({ endpointValue: url })
    const named = { type: 'ALIAS', id: alias() }
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse 1001'])
    const { FindOwners } = world.service.parts.grpc.client(accountLookupService, 'account-lookup')
    const { answers } = await FindOwners({
      queries: [{ partyIdType: 'ALIAS', partyIdentifier: named.id }],
    })
    expect(answers).toEqual([{ outcome: 'ORACLE_AWAY', fspIds: [] }])
  })

  test('An FSP that the oracle has named may answer when the party has moved and when the oracle is away', async () => {
    await withSettings({ cacheAge_ms: 0 }, async () => {
      await create()
      const named = { type: 'ALIAS', id: alias() }
      const { FindOwners } = world.service.parts.grpc.client(accountLookupService, 'account-lookup')
      const party = { partyIdType: 'ALIAS', partyIdentifier: named.id }
      const mayAnswer = async (answeringFspId: string) => {
        const { answers } = await FindOwners({
          queries: [{ ...party, answeringFspId }],
        })
        return answers[0]?.mayAnswer
      }
      belongs(named.id, 'bluewallet')
      expect(await gistsOf(partyQuery(named))).toEqual(['NotifyRequested bluewallet'])
      belongs(named.id, 'mangobank')
      expect(await mayAnswer('bluewallet')).toBe(true)
      expect(await mayAnswer('mangobank')).toBe(true)
      expect(await mayAnswer('greenbank')).toBe(false)
      world.oracle.answer = () => ({ status: 500 })
      expect(await mayAnswer('bluewallet')).toBe(true)
      expect(await mayAnswer('greenbank')).toBe(false)
    })
  })

  test('What is stored in the hub gives no right to answer where an oracle is asked instead', async () => {
    const named = { type: 'ALIAS', id: alias(), by: 'mangobank' }
    await gistsOf(association(named))
    await create()
    const { FindOwners } = world.service.parts.grpc.client(accountLookupService, 'account-lookup')
    const party = { partyIdType: 'ALIAS', partyIdentifier: named.id }
    const queries = [{ ...party, answeringFspId: 'mangobank' }]
    const { answers } = await FindOwners({ queries })
    expect(answers[0]).toMatchObject({ outcome: 'PARTY_UNKNOWN', mayAnswer: false })
  })

  test('A lookup is retried once when the oracle fails', async () => {
    await create()
    const named = { type: 'ALIAS', id: alias() }
    belongs(named.id, 'bluewallet')
    let failures = 1
    world.oracle.answer = () => (failures-- > 0 ? { status: 503 } : undefined)
    expect(await gistsOf(partyQuery(named))).toEqual(['NotifyRequested bluewallet'])
    expect(methods()).toEqual(['GET', 'GET'])
  })

  test('A lookup that times out is answered 1001 and not retried', async () => {
    await withSettings({ ACCOUNT_LOOKUP_ORACLE_TIMEOUT_MS: 50 }, async () => {
      await create()
      world.oracle.answer = () => new Promise<Reply>(() => undefined)
      const named = { type: 'ALIAS', id: alias() }
      expect(await gistsOf(partyQuery(named))).toEqual(['PartyQueryResponse 1001'])
      expect(world.oracle.calls.length).toBeLessThanOrEqual(1)
    })
  })

  test('A lookup over gRPC waits a bounded time and does not affect answers about other parties', async () => {
    await withSettings({ ...patient, findOwners_ms: 50 }, async () => {
      await create()
      const [own, slow] = ['27730000003', alias()]
      await gistsOf(association({ id: own, by: 'mangobank' }))
      const releases: ((reply: Reply) => void)[] = []
      world.oracle.answer = () => new Promise((resolve) => releases.push(resolve))
      const { FindOwners } = world.service.parts.grpc.client(accountLookupService, 'account-lookup')
      const query = (partyIdType: string, partyIdentifier: string) => ({
        partyIdType,
        partyIdentifier,
      })
      const queries = [query('ALIAS', slow), query('MSISDN', own)]
      expect((await FindOwners({ queries })).answers).toEqual([
        { outcome: 'ORACLE_AWAY', fspIds: [] },
        { outcome: 'FOUND', fspIds: ['mangobank'] },
      ])
      // The late answer is cached.
      world.oracle.answer = () => ({ status: 404 })
      await eventually(async () => {
        for (const release of releases.splice(0)) release({ status: 200, body: { partyList } })
        const { answers } = await FindOwners({ queries })
        return answers[0]?.fspIds[0] === 'bluewallet' || undefined
      }, 'the late answer')
    })
  })

  test('After repeated failures no further call is made', async () => {
    const noTrials = { trial_every_ms: 600_000 }
    await withSettings({ ...noTrials, failures_max: 3 }, async () => {
      await create()
      const named = { type: 'ALIAS', id: alias() }
      world.oracle.answer = () => ({ status: 500 })
      expect(await gistsOf(partyQuery(named))).toEqual(['PartyQueryResponse 1001'])
      // Two attempts, and the third failure opens the circuit.
      expect(await gistsOf(partyQuery(named))).toEqual(['PartyQueryResponse 2003'])
      belongs(named.id, 'bluewallet')
      world.oracle.answer = undefined
      expect(await gistsOf(partyQuery(named))).toEqual(['PartyQueryResponse 2003'])
      expect(world.oracle.calls.length).toBe(3)
    })
  })

  test('After repeated failures calls resume once a trial is answered', async () => {
    await create()
    const named = { type: 'ALIAS', id: alias() }
    belongs(named.id, 'bluewallet')
    world.oracle.answer = () => ({ status: 500 })
    for (const query of [partyQuery(named), partyQuery(named)]) await gistsOf(query)
    world.oracle.answer = undefined
    await eventually(async () => {
      const [answer] = await gistsOf(partyQuery(named))
      return answer === 'NotifyRequested bluewallet' || undefined
    }, 'a trial to succeed')
  })

  test('A slow oracle delays no request that does not need it, in the same batch or a later one', async () => {
    await withSettings(patient, async () => {
      await create()
      const own = { id: '27730000001' }
      await gistsOf(association({ ...own, by: 'mangobank' }))
      const releases: ((reply: Reply) => void)[] = []
      world.oracle.answer = () => new Promise((resolve) => releases.push(resolve))
      const slow = Array.from({ length: 40 }, () => partyQuery({ type: 'ALIAS', id: alias() }))
      world.service.published.length = 0
      for (const each of slow) await world.service.publish(each, partyQuery(own))
      await world.service.publish(association({ ...own, by: 'mangobank' }))
      await world.service.eventsFor(`MSISDN/${own.id}`, slow.length + 1)
      expect(world.service.published.length).toBe(slow.length + 1)
      world.oracle.answer = () => ({ status: 200, body: { partyList } })
      await eventually(() => {
        for (const release of releases.splice(0)) release({ status: 200, body: { partyList } })
        return world.service.published.length === 2 * slow.length + 1 || undefined
      }, 'the slow answers')
      const answers = world.service.published.filter((one) => subjectOf(one).startsWith('ALIAS'))
      expect(new Set(answers.map(gist))).toEqual(new Set(['NotifyRequested bluewallet']))
    })
  })

  test('The number of concurrent calls of an oracle is bounded', async () => {
    await create()
    const many = Array.from({ length: 40 }, alias)
    for (const each of many) belongs(each, 'bluewallet')
    await world.service.publish(...many.map((each) => partyQuery({ type: 'ALIAS', id: each })))
    await eventually(
      () => world.service.published.length === many.length || undefined,
      'the answers',
    )
    expect(world.oracle.calls.length).toBe(many.length)
    expect(world.oracle.busiest()).toBeLessThanOrEqual(calls_max)
  })

  test('A removed oracle is not called any more', async () => {
    const { oracleId } = await create()
    const named = { type: 'ALIAS', id: alias() }
    belongs(named.id, 'bluewallet')
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse bluewallet'])
    await world.administration.RemoveOracle({ oracleId })
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse 3204'])
  })
})
