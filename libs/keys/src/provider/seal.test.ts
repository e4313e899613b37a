import { describe, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import { openSeal } from './seal.ts'

const newKey = () => randomBytes(32).toString('base64url')
const plain = Buffer.from('a private key')

describe('an encrypted secret', () => {
  const seal = openSeal('KEY', newKey())
  const closed = seal.encrypt(plain, 'kid-1')

  test('An encrypted secret is decrypted with the same key and context', () => {
    expect(seal.decrypt(closed, 'kid-1')).toEqual(plain)
    expect(closed.includes(plain)).toBe(false)
  })

  test('An encrypted secret is not decrypted with another context or key, or if truncated or modified in any byte', () => {
    expect(seal.decrypt(closed, 'kid-2')).toBeUndefined()
    expect(openSeal('KEY', newKey()).decrypt(closed, 'kid-1')).toBeUndefined()
    expect(seal.decrypt(closed.subarray(0, 20), 'kid-1')).toBeUndefined()
    for (let at = 0; at < closed.length; at += 1) {
      const changed = Buffer.from(closed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(seal.decrypt(changed, 'kid-1')).toBeUndefined()
    }
  })

  test('Encrypting the same secret twice yields different texts', () => {
    expect(seal.encrypt(plain, 'kid-1')).not.toEqual(closed)
  })
})

test.each([
  ['', 'KEY is not set'],
  ['short', 'KEY is not 32 bytes'],
  [`${'A'.repeat(42)}B`, 'KEY is not 32 bytes'],
  [randomBytes(33).toString('base64url'), 'KEY is not 32 bytes'],
  [`${randomBytes(32).toString('base64url')},`, 'KEY is not set'],
])('The invalid key %j fails the start, and the error does not contain it', (text, sentence) => {
  expect(() => openSeal('KEY', text)).toThrow(sentence)
})

test('The first key encrypts and each key decrypts, so that a process of the step before can read', () => {
  const [before, after] = [newKey(), newKey()]
  const both = openSeal('KEY', `${before},${after}`)
  const swapped = openSeal('KEY', `${after}, ${before}`)
  const old = both.encrypt(plain, 'kid-1')
  const renewed = swapped.encrypt(plain, 'kid-1')
  expect(openSeal('KEY', before).decrypt(old, 'kid-1')).toEqual(plain)
  expect(both.decrypt(renewed, 'kid-1')).toEqual(plain)
  expect(swapped.decrypt(old, 'kid-1')).toEqual(plain)
  expect(openSeal('KEY', before).decrypt(renewed, 'kid-1')).toBeUndefined()
  expect([swapped.isCurrent(old, 'kid-1'), swapped.isCurrent(renewed, 'kid-1')]).toEqual([
    false,
    true,
  ])
})
