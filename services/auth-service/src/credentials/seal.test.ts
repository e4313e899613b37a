import { describe, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import { openSeal } from './seal.ts'

const newKey = () => randomBytes(32).toString('base64url')
const plain = Buffer.from('a private key')

describe('a secret that was closed', () => {
  const seal = openSeal('KEY', newKey())
  const closed = seal.close(plain, 'kid-1')

  test('opens with the same key in the same place', () => {
    expect(seal.open(closed, 'kid-1')).toEqual(plain)
    expect(closed.includes(plain)).toBe(false)
  })

  test('does not open elsewhere, with another key, cut, or changed in any byte', () => {
    expect(seal.open(closed, 'kid-2')).toBeUndefined()
    expect(openSeal('KEY', newKey()).open(closed, 'kid-1')).toBeUndefined()
    expect(seal.open(closed.subarray(0, 20), 'kid-1')).toBeUndefined()
    for (let at = 0; at < closed.length; at += 1) {
      const changed = Buffer.from(closed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(seal.open(changed, 'kid-1')).toBeUndefined()
    }
  })

  test('never looks the same twice', () => {
    expect(seal.close(plain, 'kid-1')).not.toEqual(closed)
  })
})

test.each([
  ['', 'KEY is not set'],
  ['short', 'KEY is not 32 bytes'],
  [`${'A'.repeat(42)}B`, 'KEY is not 32 bytes'],
  [randomBytes(33).toString('base64url'), 'KEY is not 32 bytes'],
])('the key %j stops the start, without being repeated', (text, sentence) => {
  expect(() => openSeal('KEY', text)).toThrow(sentence)
})
