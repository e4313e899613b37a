import { randomUUID } from 'node:crypto'
import * as authService from '@causeway/auth-service'
import { newEvent } from '@causeway/events'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openAdminOfFsps, refusalOf } from '../testing/identities.ts'
import type { AdminWorld } from '../testing/world.ts'

let admin: AdminWorld
const [early, late] = [randomUUID(), randomUUID()]
const found = (query: string) =>
  admin
    .call('GET', `/third-party-transactions?${query}`)
    .then(({ json }) =>
      (
        json as { readonly transactions: readonly { readonly transactionRequestId: string }[] }
      ).transactions.map(({ transactionRequestId }) => transactionRequestId),
    )

/** `call` checks every answer against the OpenAPI document. */
beforeAll(async () => {
  admin = await openAdminOfFsps([participantLifecycle, authService, settlements])
  const name = 'ThirdPartyTransactionObserved'
  const sent = (transactionRequestId: string, sourceFspId: string, receivedAt: string) =>
    newEvent('fspiop-api', name, {
      transactionRequestId,
      method: 'POST',
      sourceFspId,
      destinationFspId: 'bankx',
      receivedAt,
    })
  await admin.parts.bus.publish([
    sent(early, 'pispx', '2026-01-15T12:00:00.000Z'),
    sent(late, 'pispy', '2026-01-15T13:00:00.000Z'),
    newEvent('fspiop-api', name, {
      transactionRequestId: late,
      method: 'PUT',
      sourceFspId: 'bankx',
      destinationFspId: 'pispy',
      receivedAt: '2026-01-15T13:00:01.000Z',
      transactionRequestState: 'RECEIVED',
    }),
  ])
  await eventually(
    async () => ((await found('state=RECEIVED')).length === 1 ? true : undefined),
    'the requests',
  )
})

afterAll(() => admin.stop())

test('Requests of PISPs are found by id, PISP, DFSP, either of them, state and time', async () => {
  expect(await found('')).toEqual([late, early])
  expect(await found(`transactionRequestId=${early}`)).toEqual([early])
  expect(await found('pispId=pispx')).toEqual([early])
  expect(await found('dfspId=pispx')).toEqual([])
  expect(await found('dfspId=bankx')).toEqual([late, early])
  expect(await found('pispId=pispy&dfspId=bankx&state=RECEIVED')).toEqual([late])
  expect(await found('fspId=pispx')).toEqual([early])
  expect(await found('state=REQUESTED')).toEqual([early])
  expect(await found('from=2026-01-15T13:00:00Z')).toEqual([late])
  expect(await found('to=2026-01-15T13:00:00Z')).toEqual([early])
})

test('A search with a malformed time is refused', async () => {
  const answer = await admin.call('GET', '/third-party-transactions?from=soon')
  expect(refusalOf(answer)).toBe('400 3100')
})
