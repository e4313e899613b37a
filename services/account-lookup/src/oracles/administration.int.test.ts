/** Administration of oracles: create, change and remove, including the hub's own store. */
import { randomUUID } from 'node:crypto'
import type { OutgoingMessage } from '@causeway/bus'
import { oraclesService } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { association, batch, gist, openWorld, partyQuery, removal } from '../testing/world.ts'
import { proposal, useOracles } from './testing/world.ts'

const world = useOracles()
const { create } = world

describe('the administration of oracles', () => {
  test('An operator can create, list, change and remove oracles', async () => {
    const created = await create({ currency: 'USD', isDefault: true })
    expect(created).toMatchObject({
      ...proposal,
      oracleId: expect.any(Number) as unknown,
      endpointValue: world.oracle.url,
      currency: 'USD',
      isDefault: true,
    })
    const other = await create({ oracleIdType: 'CONSENTS' })
    expect(other.oracleIdType).toBe('CONSENT')
    const idsOf = async (query: { oracleIdType?: string; currency?: string }) =>
      (await world.administration.ListOracles(query)).oracles.map(({ oracleId }) => oracleId)
    expect(await idsOf({})).toEqual([created.oracleId, other.oracleId])
    expect(await idsOf({ oracleIdType: 'CONSENT' })).toEqual([other.oracleId])
    expect(await idsOf({ currency: 'USD' })).toEqual([created.oracleId])
    expect(await idsOf({ oracleIdType: 'PHONE' })).toEqual([])
    const { oracleId } = created
    const changed = await world.administration.UpdateOracle({
      oracleId,
      currency: '',
      isDefault: false,
    })
    expect(changed.oracle).toMatchObject({ oracleId, isDefault: false })
    expect(changed.oracle?.currency).toBeUndefined()
    const { oracle: removed } = await world.administration.RemoveOracle({ oracleId })
    expect(removed).toEqual(changed.oracle)
    expect(await idsOf({})).toEqual([other.oracleId])
    expect(await world.administration.RemoveOracle({ oracleId })).toMatchObject({
      refusal: { reason: 'ORACLE_UNKNOWN' },
    })
    expect(await world.administration.UpdateOracle({ oracleId })).toMatchObject({
      refusal: { reason: 'ORACLE_UNKNOWN' },
    })
  })

  test('Only one active oracle serves a type and currency; a removed one makes way for another', async () => {
    const { oracleId } = await create()
    const again = { ...proposal, endpointValue: 'http://another.example' }
    const exists = { refusal: { reason: 'ORACLE_EXISTS' } }
    expect(await world.administration.CreateOracle(again)).toMatchObject(exists)
    const other = await create({ currency: 'USD' })
    expect(
      await world.administration.UpdateOracle({ oracleId: other.oracleId, currency: '' }),
    ).toMatchObject(exists)
    await world.administration.RemoveOracle({ oracleId })
    expect(await world.administration.CreateOracle(again)).toMatchObject({ result: 'oracle' })
  })

  test('Invalid values are refused at creation and at change', async () => {
    const invalid = { refusal: { reason: 'INVALID' } }
    expect(
      await world.administration.CreateOracle({ ...proposal, endpointValue: 'nowhere' }),
    ).toMatchObject(invalid)
    const { oracleId } = await create()
    expect(await world.administration.UpdateOracle({ oracleId, currency: 'DOLLAR' })).toMatchObject(
      invalid,
    )
  })
})

describe('with the own store only where it is registered', () => {
  test('With the built-in store only where registered, a type has no oracle until one is registered', async () => {
    const own = await openWorld({
      ACCOUNT_LOOKUP_BUILT_IN: 'registered',
      cacheAge_ms: 0,
    })
    const gists = async (event: OutgoingMessage) => {
      own.published.length = 0
      await own.publish(event)
      return (await own.eventsFor(event.key, 1)).map(gist)
    }
    const named = { type: 'IBAN', id: 'XX12345' }
    const list = [{ partyIdType: 'IBAN', partyIdentifier: 'XX12345', fspId: 'greenbank' }]
    expect(await gists(partyQuery(named))).toEqual(['PartyQueryResponse 3204'])
    expect(await gists(association(named))).toEqual(['ParticipantAssociationRequestRefused 3003'])
    expect(await gists(removal(named))).toEqual(['ParticipantAssociationRequestRefused 3204'])
    await gists(batch(randomUUID(), list))
    expect(own.published[0]?.payload).toMatchObject({
      result: { partyList: [{ errorInformation: { errorCode: '3003' } }] },
    })
    const { CreateOracle } = own.parts.grpc.client(oraclesService, 'account-lookup')
    await CreateOracle({ ...proposal, oracleIdType: 'IBAN', endpointValue: 'builtin:' })
    expect(await gists(association(named))).toEqual(['ParticipantAssociationCreated'])
    expect(await gists(partyQuery(named))).toEqual(['NotifyRequested greenbank'])
    await own.stop()
  })
})
