import { expect, test } from '@jest/globals'
import { bytesOf, textOf } from './base64url.ts'

test.each([
  [[], ''],
  [[0], 'AA'],
  [[255, 239], '_-8'],
  [[251, 255, 254], '-__-'],
  [[1, 2, 3, 4], 'AQIDBA'],
])('The bytes %j are "%s" in base64url, and back', (bytes, text) => {
  expect(textOf(Uint8Array.from(bytes).buffer)).toBe(text)
  expect([...bytesOf(text)]).toEqual(bytes)
})
