import { expect, test } from '@jest/globals'
import { allOf } from './all-of.ts'
import { Outage } from './outage.ts'

const outage = new Outage('connection lost')

test('waits for all of it, also when some has failed', async () => {
  let ended = false
  const slow = Promise.resolve().then(() => {
    ended = true
  })
  await expect(allOf([Promise.reject(new Error('first')), slow])).rejects.toThrow('first')
  expect(ended).toBe(true)
})

test('fails as the first that failed, but an outage counts before all else', async () => {
  const bad = () => Promise.reject(new Error('a bad item'))
  await expect(allOf([bad(), Promise.reject(new Error('another'))])).rejects.toThrow('a bad item')
  await expect(allOf([bad(), Promise.reject(outage)])).rejects.toBe(outage)
})

test('of nothing, and of what succeeds, is done', async () => {
  await expect(allOf([])).resolves.toBeUndefined()
  await expect(allOf([Promise.resolve(1), Promise.resolve()])).resolves.toBeUndefined()
})
