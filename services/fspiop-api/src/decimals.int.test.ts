/** AMOUNT_DECIMALS=currency: the edge follows the currencies that operators list at config. */
import { newEvent } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import { configurationsService } from '@causeway/protos'
import { afterEach, expect, test } from '@jest/globals'
import { serveAuth } from './testing/auth.ts'
import { bulkTransferRequest } from './testing/bulk-messages.ts'
import { message, transferBody } from './testing/messages.ts'
import { openWorld, send, type EdgeWorld } from './testing/world.ts'

let world: EdgeWorld
/** The decimals of USD in the list of the scheme, and how often it was changed. */
let listed: { readonly decimals: number; readonly iteration: number }

afterEach(() => world.stop())

async function open(AMOUNT_DECIMALS: 'four' | 'currency'): Promise<void> {
  listed = { decimals: 1, iteration: 1 }
  world = await openWorld(
    { AMOUNT_DECIMALS },
    {
      authOf(parts) {
        parts.grpc.serve(configurationsService, {
          RegisterConfigurationSchema: (set) => Promise.resolve({ configuration: set }),
          ListConfigurations: () => Promise.resolve({ configurations: [] }),
          GetConfiguration: ({ boundedContextId }) =>
            Promise.resolve({ configuration: setOf(boundedContextId) }),
        })
        return serveAuth(parts)
      },
    },
  )
}

function setOf(boundedContextId: string) {
  const currencies = [{ currency: 'USD', decimals: listed.decimals }]
  const parameter = {
    name: 'SCHEME_CURRENCIES',
    type: 'LIST' as const,
    description: '',
    defaultJson: '[]',
    currentJson: JSON.stringify(currencies),
    isSet: true,
    jsonSchema: '{}',
  }
  return {
    boundedContextId,
    schemaVersion: '1.0.0',
    iterationNumber: listed.iteration,
    parameters: boundedContextId === 'GLOBAL' ? [parameter] : [],
    featureFlags: [],
    actor: 'ada',
  }
}

/** The status and code that a transfer of this amount is answered with. */
async function answerTo(amount: string): Promise<string> {
  const body = transferBody({ amount: { currency: 'USD', amount } })
  const { status, error } = await send(world.edge.url, { ...message('POST', '/transfers'), body })
  return `${status} ${error?.errorCode ?? ''}`.trim()
}

/** The same of a bulk, which is large enough to be read in another thread. */
async function answerToBulk(amount: string): Promise<string> {
  const bulk = bulkTransferRequest(400)
  const last = bulk.individualTransfers.at(-1)
  const items = [
    ...bulk.individualTransfers.slice(0, -1),
    { ...last, transferAmount: { currency: 'USD', amount } },
  ]
  const sent = message('POST', '/bulkTransfers', { ...bulk, individualTransfers: items })
  const { status, error } = await send(world.edge.url, sent)
  return `${status} ${error?.errorDescription ?? ''}`.trim()
}

test('Whatever operators list, amounts have four decimals by default', async () => {
  await open('four')
  expect(await answerTo('1.2345')).toBe('202')
  expect(await answerToBulk('1.2345')).toBe('202')
})

test('With AMOUNT_DECIMALS=currency amounts have the listed decimals, and new ones once they are listed', async () => {
  await open('currency')
  expect(await answerTo('1.2')).toBe('202')
  expect(await answerTo('1.25')).toBe('400 3100')
  expect(await answerToBulk('1.2')).toBe('202')
  expect(await answerToBulk('1.25')).toMatch(
    /^400 .*\/individualTransfers\/399\/transferAmount\/amount: amounts in USD have at most 1/,
  )
  listed = { decimals: 2, iteration: 2 }
  await world.parts.bus.publish([
    newEvent('config', 'ConfigurationValuesChanged', {
      boundedContextId: 'GLOBAL',
      schemaVersion: '1.0.0',
      iterationNumber: 2,
      changedKeys: ['SCHEME_CURRENCIES'],
    }),
  ])
  await eventually(async () => (await answerTo('1.25')) === '202', 'the new decimals')
  expect(await answerTo('1.255')).toBe('400 3100')
})
