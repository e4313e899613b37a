import { openSeal } from '@causeway/keys/provider'
import { openRequestKeys } from '@causeway/keys/components'
import { statement } from '@causeway/postgres'
import { isOutage } from '@causeway/process'
import { randomBytes } from 'node:crypto'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { start } from '../../service.ts'
import { authSettings, ownDatabase } from '../../testing/world.ts'
import { openRequestKey } from './open.ts'

let parts: TestParts

beforeEach(async () => {
  parts = await openTestParts()
})

afterEach(() => parts.stop())

const newKey = () => randomBytes(32).toString('base64url')

test('The edge and transfers receive one key of 32 bytes, which is the same for both', async () => {
  const service = await start(authSettings(), parts)
  const [one, other] = [openRequestKeys(parts.grpc), openRequestKeys(parts.grpc)]
  const [first, second] = [await one.current(), await other.current()]
  expect(first.key.symmetricKeySize).toBe(32)
  expect(first.key.equals(second.key)).toBe(true)
  await service.stop()
})

test('Replicas and restarts have the same key, also with a new sealing key, and none without the right one', async () => {
  const db = await ownDatabase(parts, 2)
  const [before, after] = [newKey(), newKey()]
  const keyWith = async (seal: string) => {
    const { handlers } = await openRequestKey(db, openSeal('KEY', seal))
    return (await handlers.GetRequestKey({}, {} as never)).key
  }
  const key = await keyWith(before)
  expect(await keyWith(`${after},${before}`)).toEqual(key)
  expect(await keyWith(after)).toEqual(key)
  await expect(keyWith(before)).rejects.toThrow('AUTH_SERVICE_SECRETS_KEY is not the key')
  await db.close()
})

const grow = statement(`update request_key set made_at = made_at - interval '31 days'`)

test('A key of a month is replaced once by all replicas, and given beside the new one', async () => {
  const db = await ownDatabase(parts, 2)
  const seal = newKey()
  const [one, other] = await Promise.all(
    [1, 2].map(() => openRequestKey(db, openSeal('KEY', seal))),
  )
  if (one === undefined || other === undefined) throw new Error('not opened')
  const read = async ({ handlers }: typeof one) => handlers.GetRequestKey({}, {} as never)
  const first = await read(one)
  await one.rotate()
  expect(await read(one)).toEqual(first)
  expect(first.previousKey).toBeUndefined()
  await db.query(grow, [])
  await Promise.all([one.rotate(), other.rotate(), one.rotate()])
  const second = await read(other)
  expect(second.key).not.toEqual(first.key)
  expect(second.previousKey).toEqual(first.key)
  expect(await read(one)).toEqual(second)
  const sealedAgain = newKey()
  expect(await read(await openRequestKey(db, openSeal('KEY', `${sealedAgain},${seal}`)))).toEqual(
    second,
  )
  expect(await read(await openRequestKey(db, openSeal('KEY', sealedAgain)))).toEqual(second)
  await db.close()
})

test('While nothing answers, the key is an outage and not the absence of one', async () => {
  const asking = Promise.resolve(openRequestKeys(parts.grpc).current())
  expect(isOutage(await asking.catch((error: unknown) => error))).toBe(true)
})
