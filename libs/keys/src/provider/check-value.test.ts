import { expect, test } from '@jest/globals'
import { createCipheriv } from 'node:crypto'
import { cmac } from './check-value.ts'

const key = Buffer.from('2b7e151628aed2a6abf7158809cf4f3c', 'hex')

function encryptBlock(block: Buffer): Buffer {
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  return Buffer.concat([cipher.update(block), cipher.final()])
}

const message =
  '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51' +
  '30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710'

test.each([
  [16, '070a16b46b4d4144f79bdd9dd04a287c'],
  [64, '51f0bebf7e3b9d92fc49741779363cfe'],
])('CMAC of %i bytes is as in the examples of RFC 4493', (length_bytes, mac) => {
  const bytes = Buffer.from(message, 'hex').subarray(0, length_bytes)
  expect(cmac(encryptBlock, bytes).toString('hex')).toBe(mac)
})
