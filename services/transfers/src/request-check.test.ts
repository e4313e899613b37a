import { catalogue, type EventName } from '@causeway/events'
import { ledgerService } from '@causeway/protos'
import { callersOf } from '@causeway/services'
import { expect, test } from '@jest/globals'
import { consumedOfBulks } from './bulks/handle.ts'
import { consumed } from './handle.ts'
import { checkedEvents } from './request-check.ts'

/** Events that transfers receives and that have no ledger entry made, each with the reason. */
const movesNothing: ReadonlyMap<string, string> = new Map([
  ...[...consumed, ...consumedOfBulks]
    .filter((name) => name.endsWith('QueryPassedOn'))
    .map((name) => [name, 'it is answered from what is stored'] as const),
  ...[...consumed, ...consumedOfBulks]
    .filter((name) => name.endsWith('CallbackReport'))
    // Two of them end a reservation as well, only with TRANSFERS_ABORT_REFUSED_DELIVERIES=on.
    .map((name) => [name, 'it is stored as a delivery'] as const),
  ['ConfigurationValuesChanged', 'it changes bounds and intervals'],
])

const received = (Object.keys(catalogue) as EventName[]).filter((name) =>
  (catalogue[name].consumers as readonly string[]).includes('transfers'),
)

test.each(received)(
  '%s can lead to an entry in the ledger and needs the code of the edge, or it moves nothing',
  (name) => {
    expect(checkedEvents.has(name)).not.toBe(movesNothing.has(name))
  },
)

test('Only events that transfers receives are checked', () => {
  expect([...checkedEvents].filter((name) => !received.includes(name as EventName))).toEqual([])
})

test('Only transfers, beside the service of the ledger itself, has payments reserved, posted and released', () => {
  const { ProcessTransferPrepare, ProcessTransferFulfil, ProcessTransferRelease } = ledgerService
  for (const { path } of [ProcessTransferPrepare, ProcessTransferFulfil, ProcessTransferRelease]) {
    expect(callersOf(path)).toEqual(['transfers', 'participant-lifecycle'])
  }
})
