import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { openNodeProvider } from './node-provider.ts'
import { openSeal } from './seal.ts'
import { testProvider } from './testing/provider-contract.ts'

const newSeal = () => openSeal('KEY', randomBytes(32).toString('base64url'))

testProvider('node', () => Promise.resolve({ provider: openNodeProvider(newSeal()), close() {} }))

test('A stored key is not in the clear, and is of use to its own id and seal alone', async () => {
  const seal = newSeal()
  const provider = openNodeProvider(seal)
  const plain = randomBytes(32)
  const spec = { id: 'one', label: 'a test', usage: 'ENCRYPT', type: 'AES' } as const
  const key = provider.importSecret(spec, plain)
  expect(key.material.includes(plain)).toBe(false)
  const use = (of: typeof provider, id: string) => of.encrypt({ ...key, id }, plain, plain)
  await expect(use(provider, 'other')).rejects.toThrow('encrypted with another key')
  const elsewhere = openNodeProvider(newSeal())
  await expect(use(elsewhere, 'one')).rejects.toThrow('encrypted with another key')
})
