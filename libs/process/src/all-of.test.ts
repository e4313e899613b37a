import { expect, test } from '@jest/globals'
import { allOf } from './work/all-of.ts'
import { Outage } from './outage.ts'

const outage = new Outage('connection lost')

test('All works are waited for, also when some have failed', async () => {
  let ended = false
  const slow = Promise.resolve().then(() => {
    ended = true
  })
  await expect(allOf([Promise.reject(new Error('first')), slow])).rejects.toThrow('first')
  expect(ended).toBe(true)
})

test('The failure is that of the first work that failed, but an outage takes precedence', async () => {
  const bad = () => Promise.reject(new Error('a bad item'))
  await expect(allOf([bad(), Promise.reject(new Error('another'))])).rejects.toThrow('a bad item')
  await expect(allOf([bad(), Promise.reject(outage)])).rejects.toBe(outage)
})

test('No works, and works that all succeed, resolve', async () => {
  await expect(allOf([])).resolves.toBeUndefined()
  await expect(allOf([Promise.resolve(1), Promise.resolve()])).resolves.toBeUndefined()
})
