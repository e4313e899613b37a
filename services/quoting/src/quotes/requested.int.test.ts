/** Quotes with a transaction request, and how a transfer leads to them. */
import { randomUUID } from 'node:crypto'
import { statement } from '@causeway/postgres'
import { plainBodies } from '@causeway/keys/months'
import { expect, test } from '@jest/globals'
import { useFlows } from '../testing/flows.ts'
import { payer, requestEvent, responseEvent } from '../testing/messages.ts'
import { readRecord, readRequested } from './record-store.ts'

const flows = useFlows()
const conditionOf = () => randomUUID().replaceAll('-', '').padEnd(43, 'A')
const conditionsKept = statement('select condition from quotes where id = $1')

async function agreed(transactionRequestId: string | undefined, condition: string) {
  const id = randomUUID()
  const named = transactionRequestId === undefined ? {} : { transactionRequestId }
  await flows.world.handle(requestEvent(id, named))
  await flows.world.handle(responseEvent(id, { condition }))
  return id
}

test('A quote with a transaction request is found by its id and by its condition, once', async () => {
  const [request, condition] = [randomUUID(), conditionOf()]
  const id = await agreed(request, condition)
  const { db } = flows.world
  const quote = { id, transaction_request_id: request, payer_fsp: payer, condition }
  expect(await readRequested(db, [request], [])).toMatchObject([quote])
  expect(await readRequested(db, [], [condition])).toMatchObject([quote])
  expect(await readRequested(db, [request], [condition])).toMatchObject([quote])
  expect((await readRecord(db, plainBodies, id))?.quote.transaction_request_id).toBe(request)
})

test('A quote that is not accepted is found only by its transaction request', async () => {
  const [request, id] = [randomUUID(), randomUUID()]
  await flows.world.handle(requestEvent(id, { transactionRequestId: request }))
  const [found] = await readRequested(flows.world.db, [request], [])
  expect(found).toMatchObject({ id, condition: null })
})

test('A quote without a transaction request is not found, and stores no condition', async () => {
  const condition = conditionOf()
  const id = await agreed(undefined, condition)
  expect(await readRequested(flows.world.db, [], [condition])).toEqual([])
  expect(await flows.world.db.query(conditionsKept, [id])).toEqual([{ condition: null }])
})
