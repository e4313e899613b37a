/**
 * What is read of a message costs in proportion to its size, counted and not timed: a message of twice the
 * size takes at most about twice as many steps.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { readBody } from './bodies/body.ts'
import { withoutEncrypted } from './signatures/encrypted.ts'
import { decodePacket, encodePacket } from './ilp.ts'
import { decryptFields, encryptFields } from './signatures/jwe.ts'
import { membersIn, repeatedMember } from './members.ts'

const sizes = [200, 400, 800] as const

/** The steps for each of the sizes. */
function expectLinear(stepsFor: (size: number) => number): void {
  const perUnit = sizes.map((size) => stepsFor(size) / size)
  const [first = 0] = perUnit
  expect(first).toBeGreaterThan(0)
  for (const each of perUnit) expect(each).toBeLessThanOrEqual(first * 1.2)
}

/** A text that counts the characters that are looked at. */
class CountedText {
  looked = 0
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  get length(): number {
    return this.#text.length
  }
  charCodeAt(at: number): number {
    this.looked += 1
    return this.#text.charCodeAt(at)
  }
  indexOf(part: string, from: number): number {
    const found = this.#text.indexOf(part, from)
    this.looked += (found < 0 ? this.#text.length : found) - from + 1
    return found
  }
  slice(from: number, to: number): string {
    this.looked += to - from
    return this.#text.slice(from, to)
  }
}

describe('Members of a JSON text', () => {
  const member = (at: number) => [`m${at}`, `${'\\'.repeat(at % 7)}"${at}`] as const
  const flat = (size: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: size }, (_, at) => member(at))))
  const escapes = (size: number) => JSON.stringify({ a: '\\'.repeat(size), b: '"'.repeat(size) })
  const nested = (size: number) => `${'{"a":'.repeat(size)}1${'}'.repeat(size)}`

  test.each([
    ['many members', flat],
    ['long runs of escapes', escapes],
    ['deep nesting', nested],
  ])('Each character is looked at a bounded number of times in a text of %s', (_what, textOf) => {
    for (const read of [membersIn, repeatedMember] as const) {
      expectLinear((size) => {
        const text = new CountedText(textOf(size))
        read(text as unknown as string)
        return text.looked
      })
    }
  })
})

describe('Bodies', () => {
  /** The list has as many elements as the size says, and each judgement of one is counted. */
  function judgementsOf(
    size: number,
    options: { readonly encrypted?: readonly string[][] },
  ): number {
    let judged = 0
    const element = z.object({ a: z.string() }).refine(() => {
      judged += 1
      return true
    })
    const schema = z.object({ list: z.array(element), note: z.string().max(3).optional() })
    const list = Array.from({ length: size }, (_, at) => ({ a: String(at) }))
    const bytes = Buffer.from(JSON.stringify({ list, note: 'long ciphertext' }))
    readBody(schema, bytes, { encrypted: [], ...options })
    return judged
  }

  test('Each element of a body is judged once, and twice where members are encrypted', () => {
    for (const size of sizes) {
      expect(judgementsOf(size, {})).toBe(size)
      expect(judgementsOf(size, { encrypted: [['note']] })).toBe(2 * size)
    }
  })
})

/** A body with as many members, each of which counts how often it is read. */
function countedBody(size: number): { readonly body: object; readonly reads: () => number } {
  let reads = 0
  const body = {}
  for (let at = 0; at < size; at += 1) {
    Object.defineProperty(body, `m${at}`, {
      enumerable: true,
      get() {
        reads += 1
        return 'text'
      },
    })
  }
  return { body, reads: () => reads }
}

const half = (size: number) => Array.from({ length: size / 2 }, (_, at) => `m${at}`)

describe('Encrypted fields', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const publicKey = createPublicKey(privateKey)

  test('Members are left out of a body with a bounded number of reads for each member', () => {
    expectLinear((size) => {
      const { body, reads } = countedBody(size)
      withoutEncrypted(
        body,
        half(size).map((name) => [name]),
      )
      return reads()
    })
  })

  test('Fields are encrypted with a bounded number of reads for each member of the body', () => {
    expectLinear((size) => {
      const { body, reads } = countedBody(size)
      // More entries do not fit into the header.
      expect(encryptFields(body, half(size).slice(0, 60), publicKey).ok).toBe(true)
      return reads()
    })
  })

  test('Fields are decrypted with a bounded number of reads for each member of the body', () => {
    const names = half(120)
    const plain = Object.fromEntries(names.map((name) => [name, 'text']))
    const encryption = encryptFields(plain, names, publicKey)
    if (!encryption.ok) throw new Error(encryption.detail)
    expectLinear((size) => {
      const { body, reads } = countedBody(size)
      for (const [name, value] of Object.entries(encryption.body)) {
        Object.defineProperty(body, `own-${name}`, { value, enumerable: true })
      }
      const header = encryption.header.replaceAll(/"fieldName":"/g, '"fieldName":"own-')
      expect(decryptFields(header, body, privateKey).ok).toBe(true)
      return reads()
    })
  })
})

test('A packet of more than 32,768 characters is refused for its length', () => {
  const address = 'g.payee'
  const largest = (length: number) =>
    encodePacket({ amount: 1n, address, data: Buffer.alloc(length) })
  let length = 32_767
  while (largest(length) === undefined) length -= 1
  const packet = largest(length) ?? ''
  expect(packet.length).toBeGreaterThan(32_700)
  expect(packet.length).toBeLessThanOrEqual(32_768)
  expect(decodePacket(packet)?.data).toHaveLength(length)
  // Padding that every decoder passes over.
  expect(decodePacket(packet.padEnd(32_768, '='))).toBeDefined()
  expect(decodePacket(packet.padEnd(32_769, '='))).toBeUndefined()
})
