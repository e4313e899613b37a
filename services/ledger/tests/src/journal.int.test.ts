import {
  onboard,
  openHubAccounts,
  openWorld,
  prepare,
  prepareItem,
  type ParticipantLifecycleWorld,
} from '@causeway/participant-lifecycle/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'

let hub: ParticipantLifecycleWorld

beforeAll(async () => {
  hub = await openWorld()
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank', '1000000', '1000000')
  await onboard(hub, 'bluewallet', '1000000', '1000000')
  await prepare(hub, prepareItem({}))
})

afterAll(() => hub.stop())

const lines = () =>
  hub.sql<{ readonly count: number }>('select count(*)::int as count from journal')

test.each([
  ['change', `update journal set amount = amount + 1`],
  ['remove', `delete from journal where step = 'RESERVE'`],
  ['empty', `truncate journal`],
  ['change, in the partition of a month,', `update %I set amount = amount + 1`],
])('The service cannot %s lines of its journal, and goes on adding some', async (_what, text) => {
  const [partition] = await hub.sql<{ readonly name: string }>(
    `select tableoid::regclass::text as name from journal limit 1`,
  )
  const [before] = await lines()
  const statement = text.replace('%I', partition?.name ?? '')
  await expect(hub.sql(statement)).rejects.toThrow('only ever added')
  expect(await lines()).toEqual([before])
  await prepare(hub, prepareItem({}))
  const [after] = await lines()
  expect(after?.count).toBe((before?.count ?? 0) + 1)
})
