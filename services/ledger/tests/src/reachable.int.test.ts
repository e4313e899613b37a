/** A payee FSP that cannot be asked is refused before anything is reserved. */
import {
  onboard,
  openHubAccounts,
  openWorld,
  patient,
  prepare,
  prepareItem,
  succeeded,
  valueOf,
  wordsOf,
  type ParticipantLifecycleWorld,
} from '@causeway/participant-lifecycle/testing'
import { callbackAddress } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'

let hub: ParticipantLifecycleWorld

beforeAll(async () => {
  hub = await openWorld({ ENDPOINT_CHECK: 'off' })
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank')
}, 60_000)

afterAll(() => hub.stop())

/** Active and with accounts, but without endpoints. */
async function addSilent(name: string): Promise<void> {
  const { participants } = hub
  const currency = 'USD'
  const limit = { type: 'NET_DEBIT_CAP', value: '600' }
  const creation = { name, currency, createdBy: 'operator' }
  succeeded(await participants.CreateParticipant(creation, patient))
  const initial = { name, currency, limit }
  succeeded(await participants.SetInitialPositionAndLimits(initial, patient))
  succeeded(await participants.UpdateParticipantState({ name, isActive: true }, patient))
}

async function register(name: string, type: string, value = `https://${name}.example/x`) {
  const endpoint = { name, type, value, createdBy: 'operator' }
  succeeded(await hub.participants.UpdateEndpoint(endpoint, patient))
}

/** What a single transfer to the payee is answered, and an item of a bulk. */
async function answersFor(payeeFsp: string): Promise<readonly string[]> {
  const items = [prepareItem({ payeeFsp }), prepareItem({ payeeFsp, isBulkItem: true })]
  return wordsOf(await prepare(hub, ...items))
}

const no = 'REFUSED PAYEE_UNREACHABLE'

test.each([
  [[], no, no],
  [['FSPIOP_CALLBACK_URL'], 'RESERVED', 'RESERVED'],
  [['FSPIOP_CALLBACK_URL_TRANSFER_POST'], 'RESERVED', no],
  [['FSPIOP_CALLBACK_URL_BULK_TRANSFER_POST'], no, 'RESERVED'],
  [['FSPIOP_CALLBACK_URL_TRANSFER_PUT', 'FSPIOP_CALLBACK_URL_QUOTES'], no, no],
])('With the endpoints %j a transfer is %s, an item of a bulk %s', async (types, single, item) => {
  const name = `x${randomUUID().slice(0, 8)}`
  await addSilent(name)
  for (const type of types) await register(name, type)
  expect(await answersFor(name)).toEqual([single, item])
})

test('An address that becomes unusable is none, and one that is usable again is one', async () => {
  await addSilent('moving')
  await register('moving', 'FSPIOP_CALLBACK_URL')
  await register('moving', 'FSPIOP_CALLBACK_URL_TRANSFER_POST')
  // A request for a transfer has no variable that could be filled in.
  const template = 'https://moving.example/{{transferId}}'
  await hub.sql(`update endpoints set value = '${template}'
    where type = 'FSPIOP_CALLBACK_URL_TRANSFER_POST' and is_active and participant_id =
      (select id from participants where name = 'moving')`)
  expect(await answersFor('moving')).toEqual([no, 'RESERVED'])
  await register('moving', 'FSPIOP_CALLBACK_URL_TRANSFER_POST')
  expect(await answersFor('moving')).toEqual(['RESERVED', 'RESERVED'])
})

test('The ledger and the edge know the same addresses', async () => {
  const values = [undefined, 'https://fsp.example/a', 'https://fsp.example/{{id}}']
  const own = 'FSPIOP_CALLBACK_URL_TRANSFER_POST'
  for (const [at, pair] of values.flatMap((one) => values.map((two) => [one, two])).entries()) {
    const name = `known${at}`
    await addSilent(name)
    const types = [own, 'FSPIOP_CALLBACK_URL']
    const endpoints = new Map(
      types.flatMap((type, index) => {
        const value = pair[index]
        return value === undefined ? [] : [[type, value] as const]
      }),
    )
    for (const [type, value] of endpoints) {
      await hub.sql(`insert into endpoints (participant_id, type, value, created_by)
        select id, '${type}', '${value}', 'test' from participants where name = '${name}'`)
    }
    const isKnown = callbackAddress(endpoints, 'POST /transfers', '/transfers', {}) !== undefined
    const [single] = await answersFor(name)
    expect([...endpoints.values(), single]).toEqual([
      ...endpoints.values(),
      isKnown ? 'RESERVED' : no,
    ])
  }
})

test('A refusal is stored: the same id is refused when the payee has an address, another one is not', async () => {
  await addSilent('late')
  const item = prepareItem({ payeeFsp: 'late' })
  const before = await valueOf(hub, 'greenbank', 'POSITION')
  expect(wordsOf(await prepare(hub, item))).toEqual([no])
  expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe(before)
  await register('late', 'FSPIOP_CALLBACK_URL')
  const again = await prepare(hub, item, prepareItem({ payeeFsp: 'late' }))
  expect(wordsOf(again)).toEqual([no, 'RESERVED'])
})

test('A participant that two persons have created with its endpoints can be asked at once', async () => {
  const account = { ledgerAccountType: 'POSITION', currency: 'USD', limit: '5' }
  succeeded(
    await hub.approvals.make('CreateParticipant', {
      name: 'approved',
      type: 'DFSP',
      currencies: ['USD'],
      accounts: [account],
      endpoints: [{ type: 'FSPIOP_CALLBACK_URL', value: 'https://approved.example' }],
    }),
  )
  const [row] = await hub.sql<{ readonly takes_transfers: boolean }>(
    `select takes_transfers from participants where name = 'approved'`,
  )
  expect(row?.takes_transfers).toBe(true)
})
