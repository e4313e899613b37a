import { describe, expect, test } from '@jest/globals'
import { createPublicKey, createSign } from 'node:crypto'
import fc from 'fast-check'
import { FlattenedSign, flattenedVerify } from 'jose'
import {
  rsa,
  ec,
  all,
  vector,
  sent,
  received,
  keyOf,
  verdictOf,
  signed,
  parameters,
} from '../testing/signatures.ts'

describe('a signature', () => {
  const vectorKeys = [keyOf(createPublicKey({ key: vector.jwk, format: 'jwk' }))]

  test('A signature made elsewhere over known bytes verifies', () => {
    expect(verdictOf(vector.header, received(), vectorKeys)).toBe('verified')
  })

  test('A signature is over bytes: the same JSON written another way does not verify', () => {
    const body = Buffer.from(JSON.stringify(JSON.parse(vector.body.toString()), undefined, 2))
    expect(verdictOf(vector.header, received({}, { body }), vectorKeys)).toBe(
      '400/3105 body or protected header was changed, or another key signed',
    )
    expect(
      verdictOf(
        vector.header,
        received({}, { body: Buffer.from(`${String(vector.body)}\n`) }),
        vectorKeys,
      ),
    ).toMatch(/3105/)
  })

  test.each(all)('A signature of %s that is made here verifies here and with jose', async (alg) => {
    const { privateKey, publicKey } = alg === 'ES256' ? ec : rsa
    const header = await signed({ alg, key: privateKey, kid: 'first' })
    expect(verdictOf(header, received(), [keyOf(publicKey)], all)).toBe('verified')
    const { signature, protectedHeader } = JSON.parse(header) as Record<string, string>
    const verified = await flattenedVerify(
      {
        signature: signature ?? '',
        protected: protectedHeader ?? '',
        payload: sent.body.toString('base64url'),
      },
      publicKey,
    )
    expect(Buffer.from(verified.payload).equals(sent.body)).toBe(true)
    expect(verified.protectedHeader).toEqual({
      alg,
      kid: 'first',
      ...parameters,
      'FSPIOP-Destination': sent.destination,
      Date: sent.date,
    })
  })

  test('A signature protects the encryption header when there is one, and no destination that is not known', async () => {
    const header = await signed({ encryption: '{"encryptedFields":{}}', destination: undefined })
    const keys = [keyOf(rsa.publicKey)]
    const encryption = { 'fspiop-encryption': '{"encryptedFields":{}}' }
    expect(verdictOf(header, received(encryption), keys)).toBe('verified')
    expect(verdictOf(header, received({ 'fspiop-encryption': '{}' }), keys)).toMatch(
      /FSPIOP-Encryption/,
    )
    expect(
      verdictOf(header, received({ ...encryption, 'fspiop-destination': 'other' }), keys),
    ).toBe('verified')
  })

  test('The signature of a message without a body is over nothing', async () => {
    const header = await signed({ method: 'GET', body: Buffer.alloc(0) })
    const message = received(
      { 'fspiop-http-method': 'GET' },
      { method: 'GET', body: Buffer.alloc(0) },
    )
    expect(verdictOf(header, message, [keyOf(rsa.publicKey)])).toBe('verified')
    expect(verdictOf(header, { ...message, body: sent.body }, [keyOf(rsa.publicKey)])).toMatch(
      /3105/,
    )
  })

  test('A signature is not made with a key of another kind, nor over headers that are never read', async () => {
    await expect(signed({ alg: 'RS256', key: ec.privateKey })).rejects.toThrow('not one for RS256')
    await expect(signed({ alg: 'ES256', key: rsa.privateKey })).rejects.toThrow('not one for ES256')
    await expect(signed({ encryption: 'x'.repeat(32_768) })).rejects.toThrow('too long')
  })
})

describe('an awkward body', () => {
  const bodies: readonly (readonly [string, string | Buffer])[] = [
    ['of Unicode', '{"name":"Zoë 😀 \u00a0\u2028 ሀ é e\u0301"}'],
    ['with escapes', '{"name":"\\u0041\\/\\u00e9\\ud83d\\ude00\\n"}'],
    ['with members out of order', '{"b":1,"10":2,"9":3,"a":4}'],
    ['with members twice', '{"a":1,"a":2}'],
    ['with large numbers', '{"a":12345678901234567890.10,"b":1e400,"c":-0,"d":1.0}'],
    ['with CRLF and blanks', '\r\n{ "a" : 1 }\r\n\t'],
    ['with a BOM', '\ufeff{"a":1}'],
    ['of no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
    ['of nothing', ''],
    ['of a whole piece', Buffer.alloc(49_152, 'é')],
    ['of two whole pieces', Buffer.alloc(98_304, 'é')],
    ['of two pieces and a byte', Buffer.alloc(98_305, 'é')],
    ['of 1 MiB', Buffer.alloc(1_048_576, 'é')],
  ]
  const keys = [keyOf(rsa.publicKey)]

  test.each(bodies)('%s, signed with jose, verifies', async (_, text) => {
    const body = Buffer.from(text)
    const { signature, protected: protectedHeader } = await new FlattenedSign(body)
      .setProtectedHeader({ alg: 'RS256', ...parameters })
      .sign(rsa.privateKey)
    const header = JSON.stringify({ signature, protectedHeader })
    expect(verdictOf(header, received({}, { body }), keys)).toBe('verified')
  })

  test.each(bodies)('%s, signed step by step, verifies', (_, text) => {
    const body = Buffer.from(text)
    const json = `{ "alg":"RS512",\n ${JSON.stringify(parameters).slice(1)}`
    const protectedHeader = Buffer.from(json).toString('base64url')
    const signature = createSign('sha512')
      .update(`${protectedHeader}.${body.toString('base64url')}`)
      .sign(rsa.privateKey, 'base64url')
    const header = JSON.stringify({ protectedHeader, signature, more: 1 }, undefined, 1)
    expect(verdictOf(header, received({}, { body }), keys)).toBe('verified')
  })

  test.each(bodies)('%s, signed here, verifies', async (_, text) => {
    const body = Buffer.from(text)
    expect(verdictOf(await signed({ body }), received({}, { body }), keys)).toBe('verified')
  })
})

describe('a body that is verified in several pieces', () => {
  const body = Buffer.alloc(100_000, 'é')

  test.each(all)('It verifies with %s', async (alg) => {
    const { privateKey, publicKey } = alg === 'ES256' ? ec : rsa
    const header = await signed({ alg, key: privateKey, body })
    expect(verdictOf(header, received({}, { body }), [keyOf(publicKey)], all)).toBe('verified')
  })

  test('A change in any piece is noticed, and so is a missing end', async () => {
    const header = await signed({ body })
    const keys = [keyOf(rsa.publicKey)]
    for (const at of [0, 49_151, 49_152, 98_303, 98_304, 99_999]) {
      const changed = Buffer.from(body)
      changed[at] = 0
      expect(verdictOf(header, received({}, { body: changed }), keys)).toMatch(/3105/)
    }
    const short = body.subarray(0, 98_304)
    expect(verdictOf(header, received({}, { body: short }), keys)).toMatch(/3105/)
  })
})

describe('one flipped bit', () => {
  const names = ['method', 'uri', 'source', 'destination', 'date'] as const
  const keys = [keyOf(rsa.publicKey)]
  const position = fc.nat()

  /** The bytes with one bit flipped, somewhere. */
  function flipped(bytes: Buffer, at: number): Buffer {
    const copy = Buffer.from(bytes)
    const index = (at >> 3) % copy.length
    copy[index] = (copy[index] ?? 0) ^ (1 << (at & 7))
    return copy
  }

  function flippedText(text: string, at: number): string {
    return flipped(Buffer.from(text, 'latin1'), at).toString('latin1')
  }

  function headersOf(message: typeof sent | Readonly<Record<(typeof names)[number], string>>) {
    return {
      date: message.date,
      'fspiop-source': message.source,
      'fspiop-destination': message.destination,
      'fspiop-uri': message.uri,
      'fspiop-http-method': message.method,
    }
  }

  test('One flipped bit in the body never verifies', async () => {
    const header = await signed()
    expect(verdictOf(header, received(), keys)).toBe('verified')
    fc.assert(
      fc.property(position, (at) => {
        const body = flipped(sent.body, at)
        expect(verdictOf(header, received({}, { body }), keys)).toMatch(/^400\/3105 body/)
      }),
    )
  })

  test('One flipped bit in the bytes or the text of the signature never verifies', async () => {
    const header = await signed()
    const { signature = '', protectedHeader } = JSON.parse(header) as Record<string, string>
    const bytes = Buffer.from(signature, 'base64url')
    fc.assert(
      fc.property(position, (at) => {
        const other = flipped(bytes, at).toString('base64url')
        const ofBytes = JSON.stringify({ signature: other, protectedHeader })
        expect(verdictOf(ofBytes, received(), keys)).toMatch(/^400\/3105 body/)
        const ofText = JSON.stringify({ signature: flippedText(signature, at), protectedHeader })
        expect(verdictOf(ofText, received(), keys)).toMatch(/^400\/3105/)
      }),
    )
    // The last character has four spare bits.
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=') {
      const other = signature.slice(0, -1) + last
      const outcome = verdictOf(
        JSON.stringify({ signature: other, protectedHeader }),
        received(),
        keys,
      )
      expect(outcome === 'verified').toBe(other === signature)
    }
  })

  test('One flipped bit in the protected header never verifies', async () => {
    const { signature, protectedHeader = '' } = JSON.parse(await signed()) as Record<string, string>
    fc.assert(
      fc.property(position, (at) => {
        const ofText = flippedText(protectedHeader, at)
        const ofJson = flipped(Buffer.from(protectedHeader, 'base64url'), at).toString('base64url')
        for (const other of [ofText, ofJson]) {
          const header = JSON.stringify({ signature, protectedHeader: other })
          expect(verdictOf(header, received(), keys)).toMatch(/^400\/3105/)
        }
      }),
    )
  })

  test.each(names)(
    'One flipped bit in the header of the %s alone, or in all but the signature, never verifies',
    async (name) => {
      const { signature } = JSON.parse(await signed()) as Record<string, string>
      fc.assert(
        fc.property(position, (at) => {
          const changed = { ...sent, [name]: flippedText(sent[name], at) }
          const headers = headersOf(changed)
          const header = JSON.stringify({
            signature,
            protectedHeader: Buffer.from(
              JSON.stringify({
                alg: 'RS256',
                'FSPIOP-URI': changed.uri,
                'FSPIOP-HTTP-Method': changed.method,
                'FSPIOP-Source': changed.source,
                'FSPIOP-Destination': changed.destination,
                Date: changed.date,
              }),
            ).toString('base64url'),
          })
          const message = { method: changed.method, target: changed.uri, body: sent.body, headers }
          expect(verdictOf(header, message, keys)).toMatch(/^400\/3105/)
        }),
      )
      const header = await signed()
      fc.assert(
        fc.property(position, (at) => {
          const headers = headersOf({ ...sent, [name]: flippedText(sent[name], at) })
          expect(verdictOf(header, received(headers), keys)).toMatch(/^400\/3105 (FSPIOP-\w+|Date)/)
        }),
      )
    },
  )

  test.each(['method', 'target'] as const)(
    'One flipped bit in the %s of the request never verifies',
    async (name) => {
      const header = await signed()
      fc.assert(
        fc.property(position, (at) => {
          const message = received()
          const changed = { ...message, [name]: flippedText(message[name], at) }
          expect(verdictOf(header, changed, keys)).toMatch(
            /^400\/3105 FSPIOP-(URI|HTTP-Method): header says/,
          )
        }),
      )
    },
  )
})
