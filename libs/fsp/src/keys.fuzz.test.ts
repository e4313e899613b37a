/** Sets of public keys that are almost valid: each key that is read can verify, and the set is read or refused. */
import { generateKeyPairSync } from 'node:crypto'
import { changedJson } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readJwks } from './keys.ts'

const jwkOf = (kid: string) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid,
  use: 'sig',
})
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
const set = { keys: [jwkOf('one'), jwkOf('two'), { ...rsa, kid: 'three' }] }

test('A changed set of keys is read without those that are none, or refused', async () => {
  await fc.assert(
    fc.asyncProperty(changedJson(set), async (json) => {
      const list = (json as { readonly keys?: unknown } | null)?.keys
      let keys: Awaited<ReturnType<typeof readJwks>>
      try {
        keys = await readJwks(json)
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
        expect(Array.isArray(list)).toBe(false)
        return
      }
      expect(keys.length).toBeLessThanOrEqual((list as readonly unknown[]).length)
      for (const { kid, key } of keys) {
        expect(['ec', 'rsa']).toContain(key.asymmetricKeyType)
        expect(key.type).toBe('public')
        expect(typeof kid).toBe('string')
      }
    }),
    { numRuns: 300 },
  )
})
