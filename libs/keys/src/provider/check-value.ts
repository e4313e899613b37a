/**
 * Key check values (KCV). Of an AES key the first 5 bytes of the CMAC of a block of zeros: encrypting
 * zeros would disclose a part of the hash key of GCM. Of a TDES key the first 3 bytes of the encrypted
 * zeros. ANSI X9.24-1-2017, annex A; CMAC: RFC 4493.
 */
import { blockLengthOf, type SecretType } from './provider.ts'

type EncryptBlock = (block: Buffer) => Buffer

const cmacLength_bytes = 5
const tdesLength_bytes = 3

export function checkValueOf(type: SecretType, encryptBlock: EncryptBlock): Buffer {
  const zeros = Buffer.alloc(blockLengthOf(type))
  return type === 'AES'
    ? cmac(encryptBlock, zeros).subarray(0, cmacLength_bytes)
    : encryptBlock(zeros).subarray(0, tdesLength_bytes)
}

const block_bytes = 16

/** RFC 4493 of a message of whole blocks, at least one. */
export function cmac(encryptBlock: EncryptBlock, message: Buffer): Buffer {
  const last_bytes = message.length - block_bytes
  const subkey = doubled(encryptBlock(Buffer.alloc(block_bytes)))
  let state: Buffer = Buffer.alloc(block_bytes)
  for (let at = 0; at < last_bytes; at += block_bytes) {
    state = encryptBlock(xor(state, message.subarray(at, at + block_bytes)))
  }
  return encryptBlock(xor(xor(state, message.subarray(last_bytes)), subkey))
}

/** Multiplication by x in the field of RFC 4493 2.3. */
function doubled(block: Buffer): Buffer {
  const number = BigInt(`0x${block.toString('hex')}`) << 1n
  const reduced = number >> 128n === 0n ? number : (number ^ 0x87n) & ((1n << 128n) - 1n)
  return Buffer.from(reduced.toString(16).padStart(block_bytes * 2, '0'), 'hex')
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)))
}
