import { expect, test } from '@jest/globals'
import { hashOfSecret, newSecret, openSecrets } from './secrets.ts'

test('A password matches its hash, and nothing else does', async () => {
  const secrets = openSecrets({ cost: 10 })
  const hash = await secrets.hashPassword('correct horse battery')
  expect(hash).toMatch(/^scrypt\$1024\$8\$3\$/)
  expect(await secrets.check('correct horse battery', hash)).toBe('RIGHT')
  expect(await secrets.check('correct horse batterx', hash)).toBe('WRONG')
  expect(await secrets.check('', hash)).toBe('WRONG')
})

test('Without a hash no password matches, after the same time', async () => {
  expect(await openSecrets({ cost: 10 }).check('anything', undefined)).toBe('WRONG')
})

test('The secret of a program matches only its own hash', async () => {
  const secret = newSecret()
  const secrets = openSecrets({ cost: 10 })
  expect(await secrets.check(secret, hashOfSecret(secret))).toBe('RIGHT')
  expect(await secrets.check(newSecret(), hashOfSecret(secret))).toBe('WRONG')
  expect(await secrets.check(hashOfSecret(secret), hashOfSecret(secret))).toBe('WRONG')
})

test('A check beyond the maximum queue is rejected at once', async () => {
  const secrets = openSecrets({ cost: 10 })
  const looks = Array.from({ length: 36 }, () => secrets.check('x'.repeat(20), undefined))
  const results = await Promise.all(looks)
  expect(results.filter((look) => look === 'BUSY')).toHaveLength(2)
  expect(await secrets.check('x', undefined)).toBe('WRONG')
})
