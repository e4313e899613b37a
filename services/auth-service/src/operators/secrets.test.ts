import { expect, test } from '@jest/globals'
import { hashOfSecret, newSecret, openSecrets } from './secrets.ts'

test('a password is right against its hash, and nothing else is', async () => {
  const secrets = openSecrets({ cost: 10 })
  const hash = await secrets.hashPassword('correct horse battery')
  expect(hash).toMatch(/^scrypt\$1024\$8\$3\$/)
  expect(await secrets.look('correct horse battery', hash)).toBe('RIGHT')
  expect(await secrets.look('correct horse batterx', hash)).toBe('WRONG')
  expect(await secrets.look('', hash)).toBe('WRONG')
})

test('nobody is right without a hash, and it takes as long', async () => {
  expect(await openSecrets({ cost: 10 }).look('anything', undefined)).toBe('WRONG')
})

test('the secret of a program is right against its own hash alone', async () => {
  const secret = newSecret()
  const secrets = openSecrets({ cost: 10 })
  expect(await secrets.look(secret, hashOfSecret(secret))).toBe('RIGHT')
  expect(await secrets.look(newSecret(), hashOfSecret(secret))).toBe('WRONG')
  expect(await secrets.look(hashOfSecret(secret), hashOfSecret(secret))).toBe('WRONG')
})

test('who knocks when too many wait is told so at once', async () => {
  const secrets = openSecrets({ cost: 10 })
  const looks = Array.from({ length: 36 }, () => secrets.look('x'.repeat(20), undefined))
  const told = await Promise.all(looks)
  expect(told.filter((look) => look === 'BUSY')).toHaveLength(2)
  expect(await secrets.look('x', undefined)).toBe('WRONG')
})
