import { expect, test } from '@jest/globals'
import { isGuessable } from './guessable.ts'

test.each([
  'password1234',
  'Passw0rd2024',
  'qwertyuiop123',
  '123456789012',
  'aaaaaaaaaaaaaaaa',
  'administrator1',
  'causeway2026',
])('%s is guessable', async (password) => {
  expect(await isGuessable('administrator', password)).toBe(true)
})

test.each([
  'correct horse battery',
  'vX7-pluto-9weft',
  'k3JxQ9vLm2Tz',
  'x '.repeat(3) + 'wandering otters',
])('%s is not', async (password) => {
  expect(await isGuessable('administrator', password)).toBe(false)
})
