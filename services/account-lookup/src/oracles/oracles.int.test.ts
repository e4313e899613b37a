import { accountLookupService, oraclesService, type Oracle } from '@causeway/protos'
import type { Calls, Message, OutgoingMessage } from '@causeway/runtime'
import { eventually } from '@causeway/runtime/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Settings } from '../settings.ts'
import {
  association,
  batch,
  gist,
  openStand,
  participantQuery,
  partyQuery,
  payloadOf,
  removal,
  type Entry,
  type Stand,
} from '../testing.ts'
import { openOracle, type Call, type OracleStandIn, type Reply } from './testing.ts'

const calls_max = 4

let stand: Stand
let oracle: OracleStandIn
let administration: Calls<typeof oraclesService>
let id = 0
/** One that no other test has used. */
function alias(): string {
  return `alias ${++id}`.replace(' ', '-')
}

function connect(opened: Stand): void {
  stand = opened
  administration = stand.parts.grpc.client(oraclesService, 'account-lookup')
}

beforeAll(async () => {
  connect(
    await openStand({
      ACCOUNT_LOOKUP_ORACLE_TRIAL_MS: 10,
      ACCOUNT_LOOKUP_ORACLE_FAILURES_MAX: 3,
      ACCOUNT_LOOKUP_ORACLE_CALLS_MAX: calls_max,
    }),
  )
})
afterAll(() => stand.stop())
beforeEach(async () => {
  stand.heard.length = 0
  oracle = await openOracle()
})
afterEach(async () => {
  const { oracles } = await administration.ListOracles(everything)
  for (const { oracleId } of oracles) await administration.RemoveOracle({ oracleId })
  await oracle.stop()
})

/** Works with a service that has other settings. */
async function withSettings(changed: Partial<Settings>, work: () => Promise<void>): Promise<void> {
  const common = stand
  connect(await openStand(changed))
  try {
    await work()
  } finally {
    await oracle.stop()
    await stand.stop()
    connect(common)
  }
}

/** It gives up no oracle before the test is over. */
const patient = { ACCOUNT_LOOKUP_ORACLE_TIMEOUT_MS: 60_000 }

const everything = { oracleIdType: '', currency: '' }

const proposal = {
  oracleId: 0,
  oracleIdType: 'ALIAS',
  endpointType: 'URL',
  currency: '',
  isDefault: false,
}

async function create(changes: Partial<Oracle> = {}): Promise<Oracle> {
  const { oracle: created } = await administration.CreateOracle({
    ...proposal,
    endpointValue: oracle.url,
    ...changes,
  })
  if (created === null || created === undefined) throw new Error('the oracle was refused')
  return created
}

/** What events about one party come to, in words. */
async function gistsOf(...events: readonly OutgoingMessage[]): Promise<readonly string[]> {
  return (await saidOf(...events)).map(gist)
}

async function saidOf(...events: readonly OutgoingMessage[]): Promise<readonly Message[]> {
  stand.heard.length = 0
  await stand.publish(...events)
  const [first] = events
  return stand.said(first?.key ?? '', events.length)
}

function methods(): readonly string[] {
  return oracle.calls.map(({ method }) => method)
}

function belongs(identifier: string, fspId: string, more: object = {}): void {
  oracle.entries.set(`ALIAS/${identifier}`, [{ fspId, ...more }])
}

describe('the administration of oracles', () => {
  test('creates, lists, changes and removes', async () => {
    const created = await create({ currency: 'USD', isDefault: true })
    expect(created).toEqual({
      ...proposal,
      oracleId: expect.any(Number) as unknown,
      endpointValue: oracle.url,
      currency: 'USD',
      isDefault: true,
    })
    const other = await create({ oracleIdType: 'CONSENTS' })
    expect(other.oracleIdType).toBe('CONSENT')
    const idsOf = async (query: { oracleIdType?: string; currency?: string }) =>
      (await administration.ListOracles({ ...everything, ...query })).oracles.map(
        ({ oracleId }) => oracleId,
      )
    expect(await idsOf({})).toEqual([created.oracleId, other.oracleId])
    expect(await idsOf({ oracleIdType: 'CONSENT' })).toEqual([other.oracleId])
    expect(await idsOf({ currency: 'USD' })).toEqual([created.oracleId])
    expect(await idsOf({ oracleIdType: 'PHONE' })).toEqual([])
    const { oracleId } = created
    const changed = await administration.UpdateOracle({ oracleId, currency: '', isDefault: false })
    expect(changed.oracle).toEqual({ ...created, currency: '', isDefault: false })
    const { oracle: removed } = await administration.RemoveOracle({ oracleId })
    expect(removed).toEqual(changed.oracle)
    expect(await idsOf({})).toEqual([other.oracleId])
    expect(await administration.RemoveOracle({ oracleId })).toMatchObject({
      refusal: { reason: 'ORACLE_UNKNOWN' },
    })
    expect(await administration.UpdateOracle({ oracleId })).toMatchObject({
      refusal: { reason: 'ORACLE_UNKNOWN' },
    })
  })

  test('lets one oracle serve a type and currency, and again when it was removed', async () => {
    const { oracleId } = await create()
    const again = { ...proposal, endpointValue: 'http://another.example' }
    const exists = { refusal: { reason: 'ORACLE_EXISTS' } }
    expect(await administration.CreateOracle(again)).toMatchObject(exists)
    const other = await create({ currency: 'USD' })
    expect(
      await administration.UpdateOracle({ oracleId: other.oracleId, currency: '' }),
    ).toMatchObject(exists)
    await administration.RemoveOracle({ oracleId })
    expect(await administration.CreateOracle(again)).toMatchObject({ result: 'oracle' })
  })

  test('refuses what is out of bounds, also as a change', async () => {
    const invalid = { refusal: { reason: 'INVALID' } }
    expect(
      await administration.CreateOracle({ ...proposal, endpointValue: 'nowhere' }),
    ).toMatchObject(invalid)
    const { oracleId } = await create()
    expect(await administration.UpdateOracle({ oracleId, currency: 'DOLLAR' })).toMatchObject(
      invalid,
    )
  })
})

describe('a lookup with an oracle of somebody else', () => {
  test('asks it for the party, and remembers the answer', async () => {
    await create()
    const identifier = `${alias()}&ü`
    belongs(identifier, 'bluewallet', { partySubIdOrType: 'till 1'.replace(' ', '+') })
    const event = partyQuery({ type: 'ALIAS', id: identifier, subId: 'till+1' })
    expect(await gistsOf(event)).toEqual(['NotifyRequested bluewallet'])
    expect(await gistsOf(partyQuery({ type: 'ALIAS', id: identifier, subId: 'till+1' }))).toEqual([
      'NotifyRequested bluewallet',
    ])
    expect(oracle.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /participants/ALIAS/${encodeURIComponent(identifier)}?partySubIdOrType=till%2B1`,
    ])
    expect(oracle.calls[0]?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
      date: expect.stringMatching(/ GMT$/) as unknown,
      'fspiop-source': 'Hub',
      'fspiop-destination': 'Hub',
    })
  })

  test('asks about a number without its plus sign', async () => {
    await create({ oracleIdType: 'MSISDN' })
    oracle.entries.set('MSISDN/27713803912', [{ fspId: 'bluewallet' }])
    expect(await gistsOf(participantQuery({ id: '+27713803912' }))).toEqual([
      'ParticipantQueryResponse bluewallet',
    ])
  })

  test('in a currency asks the oracle of the currency', async () => {
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
    ['answers 404', () => ({ status: 404, body: 'not found' }), '3204'],
    ['answers 400', () => ({ status: 400, body: {} }), '3204'],
    ['answers 500', () => ({ status: 500, body: {} }), '1001'],
    ['answers 401', () => ({ status: 401, body: {} }), '1001'],
    ['answers broken JSON', () => ({ status: 200, body: '{"partyList":[' }), '1001'],
    ['answers in another shape', () => ({ status: 200, body: partyList }), '1001'],
    [
      'answers more than can be taken',
      () => ({ status: 200, body: { partyList, more: 'x'.repeat(8_400_000) } }),
      '1001',
    ],
    [
      'redirects',
      () => ({
        status: 301,
        headers: { location: `${oracle.url}/elsewhere` },
        body: { partyList },
      }),
      '1001',
    ],
  ])('that %s is answered', async (_title, reply, code) => {
    await create()
    oracle.answer = reply
    const named = { type: 'ALIAS', id: alias() }
    expect(await gistsOf(partyQuery(named))).toEqual([`PartyQueryResponse ${code}`])
    expect(oracle.calls.some(({ url }) => url.includes('elsewhere'))).toBe(false)
    // A failure is not remembered.
    oracle.answer = undefined
    belongs(named.id, 'bluewallet')
    expect(await gistsOf(partyQuery(named))).toEqual(['NotifyRequested bluewallet'])
  })

  test('with nobody listening is answered 1001, over gRPC ORACLE_AWAY', async () => {
    const { url } = oracle
    await oracle.stop()
    await create({ endpointValue: url })
    const named = { type: 'ALIAS', id: alias() }
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse 1001'])
    const { FindOwners } = stand.parts.grpc.client(accountLookupService, 'account-lookup')
    const { answers } = await FindOwners({
      queries: [
        { partyIdType: 'ALIAS', partyIdentifier: named.id, partySubIdOrType: '', currency: '' },
      ],
    })
    expect(answers).toEqual([{ outcome: 'ORACLE_AWAY', fspIds: [] }])
  })

  test('is repeated once when the oracle fails', async () => {
    await create()
    const named = { type: 'ALIAS', id: alias() }
    belongs(named.id, 'bluewallet')
    let failures = 1
    oracle.answer = () => (failures-- > 0 ? { status: 503 } : undefined)
    expect(await gistsOf(partyQuery(named))).toEqual(['NotifyRequested bluewallet'])
    expect(methods()).toEqual(['GET', 'GET'])
  })

  test('that is not answered in time is answered 1001, and not made again', async () => {
    await withSettings({ ACCOUNT_LOOKUP_ORACLE_TIMEOUT_MS: 50 }, async () => {
      await create()
      oracle.answer = () => new Promise<Reply>(() => undefined)
      const named = { type: 'ALIAS', id: alias() }
      expect(await gistsOf(partyQuery(named))).toEqual(['PartyQueryResponse 1001'])
      expect(oracle.calls.length).toBeLessThanOrEqual(1)
    })
  })

  test('over gRPC waits a while, and spoils no answer about another party', async () => {
    await withSettings({ ...patient, ACCOUNT_LOOKUP_FIND_OWNERS_WAIT_MS: 50 }, async () => {
      await create()
      const [own, slow] = ['27730000003', alias()]
      await gistsOf(association({ id: own, by: 'mangobank' }))
      const releases: ((reply: Reply) => void)[] = []
      oracle.answer = () => new Promise((resolve) => releases.push(resolve))
      const { FindOwners } = stand.parts.grpc.client(accountLookupService, 'account-lookup')
      const query = (partyIdType: string, partyIdentifier: string) => ({
        partyIdType,
        partyIdentifier,
        partySubIdOrType: '',
        currency: '',
      })
      const queries = [query('ALIAS', slow), query('MSISDN', own)]
      expect((await FindOwners({ queries })).answers).toEqual([
        { outcome: 'ORACLE_AWAY', fspIds: [] },
        { outcome: 'FOUND', fspIds: ['mangobank'] },
      ])
      // What comes late is remembered.
      oracle.answer = () => ({ status: 404 })
      await eventually(async () => {
        for (const release of releases.splice(0)) release({ status: 200, body: { partyList } })
        const { answers } = await FindOwners({ queries })
        return answers[0]?.fspIds[0] === 'bluewallet' || undefined
      }, 'the late answer')
    })
  })

  test('that fails again and again is not made any more', async () => {
    const noTrials = { ACCOUNT_LOOKUP_ORACLE_TRIAL_MS: 600_000 }
    await withSettings({ ...noTrials, ACCOUNT_LOOKUP_ORACLE_FAILURES_MAX: 3 }, async () => {
      await create()
      const named = { type: 'ALIAS', id: alias() }
      oracle.answer = () => ({ status: 500 })
      expect(await gistsOf(partyQuery(named))).toEqual(['PartyQueryResponse 1001'])
      // Two attempts, and the third failure opens the circuit.
      expect(await gistsOf(partyQuery(named))).toEqual(['PartyQueryResponse 2003'])
      belongs(named.id, 'bluewallet')
      oracle.answer = undefined
      expect(await gistsOf(partyQuery(named))).toEqual(['PartyQueryResponse 2003'])
      expect(oracle.calls.length).toBe(3)
    })
  })

  test('that has failed again and again is made again once a trial is answered', async () => {
    await create()
    const named = { type: 'ALIAS', id: alias() }
    belongs(named.id, 'bluewallet')
    oracle.answer = () => ({ status: 500 })
    for (const query of [partyQuery(named), partyQuery(named)]) await gistsOf(query)
    oracle.answer = undefined
    await eventually(async () => {
      const [answer] = await gistsOf(partyQuery(named))
      return answer === 'NotifyRequested bluewallet' || undefined
    }, 'a trial to succeed')
  })

  test('holds up nothing that needs no oracle, in the same batch or after it', async () => {
    await withSettings(patient, async () => {
      await create()
      const own = { id: '27730000001' }
      await gistsOf(association({ ...own, by: 'mangobank' }))
      const releases: ((reply: Reply) => void)[] = []
      oracle.answer = () => new Promise((resolve) => releases.push(resolve))
      const slow = Array.from({ length: 40 }, () => partyQuery({ type: 'ALIAS', id: alias() }))
      stand.heard.length = 0
      for (const each of slow) await stand.publish(each, partyQuery(own))
      await stand.publish(association({ ...own, by: 'mangobank' }))
      await stand.said(`MSISDN/${own.id}`, slow.length + 1)
      expect(stand.heard.length).toBe(slow.length + 1)
      oracle.answer = () => ({ status: 200, body: { partyList } })
      await eventually(() => {
        for (const release of releases.splice(0)) release({ status: 200, body: { partyList } })
        return stand.heard.length === 2 * slow.length + 1 || undefined
      }, 'the slow answers')
      const answers = stand.heard.filter(({ key }) => key.startsWith('ALIAS')).map(gist)
      expect(new Set(answers)).toEqual(new Set(['NotifyRequested bluewallet']))
    })
  })

  test('is one of a few side by side', async () => {
    await create()
    const many = Array.from({ length: 40 }, alias)
    for (const each of many) belongs(each, 'bluewallet')
    await stand.publish(...many.map((each) => partyQuery({ type: 'ALIAS', id: each })))
    await eventually(() => stand.heard.length === many.length || undefined, 'the answers')
    expect(oracle.calls.length).toBe(many.length)
    expect(oracle.busiest()).toBeLessThanOrEqual(calls_max)
  })

  test('ends with its removal', async () => {
    const { oracleId } = await create()
    const named = { type: 'ALIAS', id: alias() }
    belongs(named.id, 'bluewallet')
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse bluewallet'])
    await administration.RemoveOracle({ oracleId })
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse 3204'])
  })
})

const created = 'ParticipantAssociationCreated'
const removed = 'ParticipantAssociationRemoved'
const refused = 'ParticipantAssociationRequestRefused'

describe('an association with an oracle of somebody else', () => {
  const extensionList = { extension: [{ key: 'k', value: 'v' }] }

  test('is made there in the name of the FSP, and made anew when it comes again', async () => {
    await create()
    const named = { type: 'ALIAS', id: alias(), subId: 'till1', currency: 'USD' }
    const event = association(named, { extensionList })
    expect(await gistsOf(event)).toEqual([created])
    expect(methods()).toEqual(['GET', 'POST'])
    expect(oracle.calls[1]?.url).toBe(`/participants/ALIAS/${named.id}`)
    expect(oracle.calls[1]?.body).toEqual({
      fspId: 'greenbank',
      currency: 'USD',
      partySubIdOrType: 'till1',
      extensionList,
    })
    expect(oracle.calls[1]?.headers['fspiop-source']).toBe('greenbank')
    expect(await gistsOf(association(named))).toEqual([created])
    expect(methods()).toEqual(['GET', 'POST', 'GET', 'PUT'])
    // The same event again is known.
    await stand.publish(event)
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse greenbank'])
    expect(methods()).toEqual(['GET', 'POST', 'GET', 'PUT', 'GET'])
  })

  test('is not taken over, and is removed by its FSP alone', async () => {
    await create()
    const named = { type: 'ALIAS', id: alias() }
    belongs(named.id, 'bluewallet')
    expect(await gistsOf(association(named))).toEqual([`${refused} 3003`])
    expect(await gistsOf(removal(named))).toEqual([`${refused} 3040`])
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse bluewallet'])
    expect(methods()).toEqual(['GET', 'GET', 'GET'])
    expect(await gistsOf(removal({ ...named, by: 'bluewallet' }))).toEqual([removed])
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse 3204'])
    expect(await gistsOf(removal({ ...named, by: 'bluewallet' }))).toEqual([`${refused} 3204`])
  })

  test('is refused in the words of the oracle', async () => {
    await create()
    const errorInformation = { errorCode: '3003', errorDescription: 'closed for the night' }
    oracle.answer = ({ method }: Call) =>
      method === 'POST' ? { status: 400, body: { errorInformation } } : undefined
    const [message] = await saidOf(association({ type: 'ALIAS', id: alias() }))
    expect(message?.payload).toMatchObject({
      errorInformation: {
        errorCode: '3003',
        errorDescription: 'Add Party information error - closed for the night',
      },
    })
  })

  test('fails with 1001 when the oracle is away, and is sent once', async () => {
    await create()
    oracle.answer = ({ method }: Call) => (method === 'POST' ? { status: 503 } : undefined)
    expect(await gistsOf(association({ type: 'ALIAS', id: alias() }))).toEqual([`${refused} 1001`])
    expect(methods()).toEqual(['GET', 'POST'])
  })
})

describe('POST /participants with oracles of somebody else', () => {
  interface Result {
    readonly result: {
      readonly partyList?: readonly {
        readonly errorInformation?: { readonly errorDescription: string }
      }[]
      readonly errorInformation?: { readonly errorCode: string }
    }
  }

  test('is one call for each type, and answers for each party', async () => {
    await create()
    await create({ oracleIdType: 'EMAIL' })
    const [mine, taken, number] = [alias(), alias(), '27730000002']
    belongs(taken, 'bluewallet')
    const list: Entry[] = [
      ['ALIAS', mine],
      ['MSISDN', number],
      ['ALIAS', taken],
      ['EMAIL', 'ana@mango.example'],
      ['PHONE', '1'],
      ['ALIAS', alias()],
    ].map(([partyIdType = '', partyIdentifier = '']) => ({
      partyIdType,
      partyIdentifier,
      fspId: 'greenbank',
    }))
    const requestId = randomUUID()
    const [message] = await saidOf(batch(requestId, list, { currency: 'USD' }))
    const { result } = payloadOf(message) as Result
    expect(
      result.partyList?.map(({ errorInformation }) => errorInformation?.errorDescription),
    ).toEqual([
      undefined,
      undefined,
      'Add Party information error - not yours',
      undefined,
      'Add Party information error - not a legal PartyIdType',
      undefined,
    ])
    expect(oracle.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /participants',
      'POST /participants',
    ])
    expect(oracle.calls.map(({ body }) => body)).toContainEqual({
      requestId,
      currency: 'USD',
      partyList: [
        { partyIdType: 'EMAIL', partyIdentifier: 'ana@mango.example', fspId: 'greenbank' },
      ],
    })
    expect(await gistsOf(participantQuery({ id: number }))).toEqual([
      'ParticipantQueryResponse greenbank',
    ])
  })

  test('fails as a whole when the oracle of all its parties is away', async () => {
    await create()
    oracle.answer = () => ({ status: 500 })
    const list = [{ partyIdType: 'ALIAS', partyIdentifier: alias(), fspId: 'greenbank' }]
    const [message] = await saidOf(batch(randomUUID(), list))
    const { result } = payloadOf(message) as Result
    expect(result.errorInformation?.errorCode).toBe('1001')
  })
})

describe('a crash after an oracle was called', () => {
  test('does not refuse what the oracle has done', async () => {
    await withSettings(patient, async () => {
      await create()
      const named = { type: 'ALIAS', id: alias() }
      belongs(named.id, 'greenbank')
      oracle.answer = ({ method }: Call) => {
        if (method !== 'DELETE') return undefined
        oracle.entries.delete(`ALIAS/${named.id}`)
        return new Promise<Reply>(() => undefined)
      }
      const event = removal(named)
      await stand.publish(event)
      await eventually(() => methods().includes('DELETE') || undefined, 'the removal there')
      connect(await stand.crash())
      expect((await stand.said(event.key, 1)).map(gist)).toEqual([removed])
      expect(methods()).toEqual(['GET', 'DELETE', 'GET'])
    })
  })
})

describe('with the own store only where it is registered', () => {
  test('there is no oracle for a type until one is registered', async () => {
    const own = await openStand({
      ACCOUNT_LOOKUP_BUILT_IN: 'registered',
      ACCOUNT_LOOKUP_CACHE_AGE_MAX_MS: 0,
    })
    const gists = async (event: OutgoingMessage) => {
      own.heard.length = 0
      await own.publish(event)
      return (await own.said(event.key, 1)).map(gist)
    }
    const named = { type: 'IBAN', id: 'XX12345' }
    const list = [{ partyIdType: 'IBAN', partyIdentifier: 'XX12345', fspId: 'greenbank' }]
    expect(await gists(partyQuery(named))).toEqual(['PartyQueryResponse 3204'])
    expect(await gists(association(named))).toEqual([`${refused} 3003`])
    expect(await gists(removal(named))).toEqual([`${refused} 3204`])
    await gists(batch(randomUUID(), list))
    expect(own.heard[0]?.payload).toMatchObject({
      result: { partyList: [{ errorInformation: { errorCode: '3003' } }] },
    })
    const { CreateOracle } = own.parts.grpc.client(oraclesService, 'account-lookup')
    await CreateOracle({ ...proposal, oracleIdType: 'IBAN', endpointValue: 'builtin:' })
    expect(await gists(association(named))).toEqual([created])
    expect(await gists(partyQuery(named))).toEqual(['NotifyRequested greenbank'])
    await own.stop()
  })
})
