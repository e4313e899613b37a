/** Associations at an external oracle, and a crash between its answer and the hub's. */
import { randomUUID } from 'node:crypto'
import { eventually } from '@causeway/process/testing'
import { describe, expect, test } from '@jest/globals'
import {
  association,
  batch,
  gist,
  participantQuery,
  payloadOf,
  removal,
  type BatchEntry,
} from '../testing/world.ts'
import type { OracleCall, Reply } from './testing/oracle.ts'
import { patient, alias, useOracles } from './testing/world.ts'

const world = useOracles()
const { withSettings, create, gistsOf, saidOf, methods, belongs, connect } = world

const created = 'ParticipantAssociationCreated'
const removed = 'ParticipantAssociationRemoved'
const refused = 'ParticipantAssociationRequestRefused'

describe('an association at an external oracle', () => {
  const extensionList = { extension: [{ key: 'k', value: 'v' }] }

  test('An association is made at the external oracle on behalf of the FSP, and made again when requested again', async () => {
    await create()
    const named = { type: 'ALIAS', id: alias(), subId: 'till1', currency: 'USD' }
    const event = association(named, { extensionList })
    expect(await gistsOf(event)).toEqual([created])
    expect(methods()).toEqual(['GET', 'POST'])
    expect(world.oracle.calls[1]?.url).toBe(`/participants/ALIAS/${named.id}`)
    expect(world.oracle.calls[1]?.body).toEqual({
      fspId: 'greenbank',
      currency: 'USD',
      partySubIdOrType: 'till1',
      extensionList,
    })
    expect(world.oracle.calls[1]?.headers['fspiop-source']).toBe('greenbank')
    expect(await gistsOf(association(named))).toEqual([created])
    expect(methods()).toEqual(['GET', 'POST', 'GET', 'PUT'])
    // A redelivered event is recognized.
    await world.service.publish(event)
    expect(await gistsOf(participantQuery(named))).toEqual(['ParticipantQueryResponse greenbank'])
    expect(methods()).toEqual(['GET', 'POST', 'GET', 'PUT', 'GET'])
  })

  test('An association at an external oracle is not taken over, and only its FSP removes it', async () => {
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

  test('A refusal carries the description of the oracle', async () => {
    await create()
    const errorInformation = { errorCode: '3003', errorDescription: 'closed for the night' }
    world.oracle.answer = ({ method }: OracleCall) =>
      method === 'POST' ? { status: 400, body: { errorInformation } } : undefined
    const [message] = await saidOf(association({ type: 'ALIAS', id: alias() }))
    expect(message?.payload).toMatchObject({
      errorInformation: {
        errorCode: '3003',
        errorDescription: 'Add Party information error - closed for the night',
      },
    })
  })

  test('A change fails with 1001 when the oracle is unreachable, and is sent once', async () => {
    await create()
    world.oracle.answer = ({ method }: OracleCall) =>
      method === 'POST' ? { status: 503 } : undefined
    expect(await gistsOf(association({ type: 'ALIAS', id: alias() }))).toEqual([`${refused} 1001`])
    expect(methods()).toEqual(['GET', 'POST'])
  })
})

describe('POST /participants with external oracles', () => {
  interface Result {
    readonly result: {
      readonly partyList?: readonly {
        readonly errorInformation?: { readonly errorDescription: string }
      }[]
      readonly errorInformation?: { readonly errorCode: string }
    }
  }

  test('POST /participants makes one call per type and answers per party', async () => {
    await create()
    await create({ oracleIdType: 'EMAIL' })
    const [mine, taken, number] = [alias(), alias(), '27730000002']
    belongs(taken, 'bluewallet')
    const list: BatchEntry[] = [
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
    expect(world.oracle.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /participants',
      'POST /participants',
    ])
    expect(world.oracle.calls.map(({ body }) => body)).toContainEqual({
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

  test('POST /participants fails as a whole when the oracle of all its parties is unreachable', async () => {
    await create()
    world.oracle.answer = () => ({ status: 500 })
    const list = [{ partyIdType: 'ALIAS', partyIdentifier: alias(), fspId: 'greenbank' }]
    const [message] = await saidOf(batch(randomUUID(), list))
    const { result } = payloadOf(message) as Result
    expect(result.errorInformation?.errorCode).toBe('1001')
  })
})

describe('a crash after an oracle was called', () => {
  test('A change that the oracle made before a crash is not refused', async () => {
    await withSettings(patient, async () => {
      await create()
      const named = { type: 'ALIAS', id: alias() }
      belongs(named.id, 'greenbank')
      world.oracle.answer = ({ method }: OracleCall) => {
        if (method !== 'DELETE') return undefined
        world.oracle.entries.delete(`ALIAS/${named.id}`)
        return new Promise<Reply>(() => undefined)
      }
      const event = removal(named)
      await world.service.publish(event)
      await eventually(() => methods().includes('DELETE') || undefined, 'the removal there')
      connect(await world.service.crash())
      expect((await world.service.eventsFor(event.key, 1)).map(gist)).toEqual([removed])
      expect(methods()).toEqual(['GET', 'DELETE', 'GET'])
    })
  })
})
