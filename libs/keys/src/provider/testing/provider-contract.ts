/** What every provider guarantees: the same tests for node:crypto and for an HSM. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  createCipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import { cmac } from '../check-value.ts'
import type { CryptoProvider, Curve, KeyUsage, Secret, SecretType } from '../provider.ts'
import { algorithmOf, isSignature, isSignatureOfDigest } from '../signature.ts'

export interface OpenedProvider {
  readonly provider: CryptoProvider
  close(): void
}

const runs = { numRuns: 20 }
const bytes = (length_min: number, length_max: number) =>
  fc.uint8Array({ minLength: length_min, maxLength: length_max }).map((array) => Buffer.from(array))

export function testProvider(name: string, open: () => Promise<OpenedProvider>): void {
  describe(`the provider ${name}`, () => {
    let opened: OpenedProvider
    let provider: CryptoProvider

    beforeAll(async () => {
      opened = await open()
      provider = opened.provider
    })
    afterAll(() => opened.close())

    const named = (usage: KeyUsage) => ({ id: randomUUID(), label: 'a test', usage })
    const imported = (type: SecretType, usage: KeyUsage, plain: Buffer) =>
      provider.importSecret({ ...named(usage), type }, plain)

    test('Random bytes have the length that was asked for and do not repeat', () => {
      const values = Array.from({ length: 50 }, () => provider.random(32).toString('hex'))
      expect(new Set(values).size).toBe(50)
      expect(values.every((value) => value.length === 64)).toBe(true)
    })

    test.each([128, 192, 256])('What an AES key of %i bits encrypts, it decrypts', async (bits) => {
      const key = provider.newAesKey(named('ENCRYPT'), bits)
      await fc.assert(
        fc.asyncProperty(bytes(1, 2_000), bytes(0, 100), async (plain, aad) => {
          const text = await provider.encrypt(key, plain, aad)
          expect(text.iv).toHaveLength(12)
          expect(text.tag).toHaveLength(16)
          expect(await provider.decrypt(key, text, aad)).toEqual(plain)
        }),
        runs,
      )
    })

    test('A text with any flipped bit, other data or another key is not decrypted', async () => {
      const key = provider.newAesKey(named('ENCRYPT'), 256)
      const other = provider.newAesKey(named('ENCRYPT'), 256)
      const aad = Buffer.from('context')
      const text = await provider.encrypt(key, Buffer.from('a secret of the scheme'), aad)
      for (const part of ['iv', 'ciphertext', 'tag'] as const) {
        for (let bit = 0; bit < text[part].length * 8; bit += 1) {
          const flipped = Buffer.from(text[part])
          flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
          expect(await provider.decrypt(key, { ...text, [part]: flipped }, aad)).toBeUndefined()
        }
      }
      expect(await provider.decrypt(key, text, Buffer.from('Context'))).toBeUndefined()
      expect(await provider.decrypt(other, text, aad)).toBeUndefined()
    })

    test('AES-GCM agrees with test case 16 of its specification', async () => {
      const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
      const key = imported(
        'AES',
        'ENCRYPT',
        hex('feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308'),
      )
      const text = {
        iv: hex('cafebabefacedbaddecaf888'),
        ciphertext: hex(
          '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa' +
            '8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662',
        ),
        tag: hex('76fc6ece0f4e1768cddf8853bb2d551b'),
      }
      const aad = hex('feedfacedeadbeeffeedfacedeadbeefabaddad2')
      expect(await provider.decrypt(key, text, aad)).toEqual(
        hex(
          'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72' +
            '1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
        ),
      )
    })

    test.each<[Curve]>([['P-256'], ['P-384'], ['Ed25519']])(
      'A signature of a key on %s verifies with its public key and with no other',
      async (curve) => {
        const pair = provider.newPair({ ...named('SIGN'), curve })
        const other = provider.newPair({ ...named('SIGN'), curve })
        const algorithm = algorithmOf(pair.publicKey)
        if (algorithm === undefined) throw new Error('no algorithm takes the key')
        const verifies = (text: Buffer, signature: Buffer, key = pair.publicKey) =>
          isSignature(algorithm, key, text, signature)
        await fc.assert(
          fc.asyncProperty(bytes(1, 1_000), fc.nat(), async (text, at) => {
            const signature = await provider.sign(pair, text)
            expect(verifies(text, signature)).toBe(true)
            expect(verifies(Buffer.concat([text, Buffer.of(0)]), signature)).toBe(false)
            expect(verifies(text, signature, other.publicKey)).toBe(false)
            const flipped = Buffer.from(signature)
            const index = at % flipped.length
            flipped.writeUInt8(flipped.readUInt8(index) ^ 1, index)
            expect(verifies(text, flipped)).toBe(false)
          }),
          runs,
        )
      },
    )

    test.each([
      ['P-256', 'ES256', 'sha256'],
      ['P-384', 'ES384', 'sha384'],
    ] as const)(
      'The signature of a digest by a key on %s is one of the text, and of no other digest',
      async (curve, algorithm, hash) => {
        const { publicKey, ...pair } = provider.newPair({ ...named('SIGN'), curve })
        const text = Buffer.from('a text')
        const digest = createHash(hash).update(text).digest()
        const signature = await provider.signDigest(pair, digest)
        expect(isSignature(algorithm, publicKey, text, signature)).toBe(true)
        expect(isSignatureOfDigest(algorithm, publicKey, digest, signature)).toBe(true)
        const other = createHash(hash).update('another').digest()
        expect(isSignatureOfDigest(algorithm, publicKey, other, signature)).toBe(false)
        const ofText = await provider.sign(pair, text)
        expect(isSignatureOfDigest(algorithm, publicKey, digest, ofText)).toBe(true)
      },
    )

    test('Many signatures at once are each that of their own text', async () => {
      const pair = provider.newPair({ ...named('SIGN'), curve: 'P-256' })
      const texts = Array.from({ length: 40 }, (_, at) => Buffer.from(`text ${at}`))
      const signatures = await Promise.all(texts.map((text) => provider.sign(pair, text)))
      for (const [at, text] of texts.entries()) {
        const signature = signatures[at] ?? Buffer.alloc(0)
        expect(isSignature('ES256', pair.publicKey, text, signature)).toBe(true)
      }
    })

    test('Many texts at once are each encrypted and decrypted by themselves', async () => {
      const key = provider.newAesKey(named('ENCRYPT'), 256)
      const plain = Array.from({ length: 40 }, (_, at) => Buffer.from(`text ${at}`))
      const aad = Buffer.alloc(0)
      const texts = await Promise.all(plain.map((each) => provider.encrypt(key, each, aad)))
      const read = await Promise.all(texts.map((each) => provider.decrypt(key, each, aad)))
      expect(read).toEqual(plain)
    })

    test.each<[Curve, string]>([
      ['P-256', 'P-256'],
      ['P-384', 'P-384'],
    ])('Two holders of keys on %s agree on the same secret', (curve, namedCurve) => {
      const own = provider.newPair({ ...named('WRAP'), curve })
      const peer = generateKeyPairSync('ec', { namedCurve })
      expect(provider.agree(own, createPublicKey(peer.privateKey))).toEqual(
        diffieHellman({ privateKey: peer.privateKey, publicKey: own.publicKey }),
      )
    })

    test('The check value of an AES key is the start of its CMAC, that of a TDES key of its ECB', () => {
      // RFC 4493 4 computes K1 of this key from AES-128 of zeros.
      const aes = Buffer.from('2b7e151628aed2a6abf7158809cf4f3c', 'hex')
      const encrypted = (block: Buffer) => {
        const cipher = createCipheriv('aes-128-ecb', aes, null).setAutoPadding(false)
        return Buffer.concat([cipher.update(block), cipher.final()])
      }
      const zeros = Buffer.alloc(16)
      for (const usage of ['ENCRYPT', 'PIN', 'WRAP'] as const) {
        expect(provider.checkValue(imported('AES', usage, aes))).toEqual(
          cmac(encrypted, zeros).subarray(0, 5),
        )
      }
      const tdes = Buffer.from('0123456789abcdeffedcba9876543210', 'hex')
      // A key that manuals of HSMs use, with this check value.
      expect(provider.checkValue(imported('TDES', 'PIN', tdes)).toString('hex')).toBe('08d7b4')
    })

    test.each<[SecretType, number]>([
      ['AES', 16],
      ['AES', 32],
      ['TDES', 16],
      ['TDES', 24],
    ])(
      'A block under a %s key of %i bytes is encrypted and decrypted',
      async (type, length_bytes) => {
        const key = imported(type, 'PIN', randomBytes(length_bytes))
        const block = randomBytes(type === 'AES' ? 16 : 8)
        const encrypted = await provider.encryptBlock(key, block)
        expect(encrypted).not.toEqual(block)
        expect(await provider.decryptBlock(key, encrypted)).toEqual(block)
      },
    )

    test('A key that was wrapped for the provider is unwrapped, and works as it did outside', async () => {
      // RFC 3394 4.6: 256 bits of key data with a 256-bit key.
      const kek = '000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F'
      const data = '00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F'
      const wrapped = Buffer.from(
        '28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21',
        'hex',
      )
      const by = imported('AES', 'WRAP', Buffer.from(kek, 'hex'))
      const unwrapped = unwrap(wrapped, by)
      const outside = imported('AES', 'ENCRYPT', Buffer.from(data, 'hex'))
      if (unwrapped === undefined) throw new Error('the key was not unwrapped')
      expect(provider.checkValue(unwrapped)).toEqual(provider.checkValue(outside))
      const text = await provider.encrypt(outside, Buffer.from('a text'), Buffer.alloc(0))
      const plain = await provider.decrypt(unwrapped, text, Buffer.alloc(0))
      expect(plain).toEqual(Buffer.from('a text'))
      for (let at = 0; at < wrapped.length; at += 1) {
        const flipped = Buffer.from(wrapped)
        flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
        expect(unwrap(flipped, by)).toBeUndefined()
      }
    })

    function unwrap(wrapped: Buffer, by: Secret) {
      return provider.unwrapSecret({ ...named('ENCRYPT'), type: 'AES' }, wrapped, by)
    }

    test('A removed key of an HSM is gone, and no key of an HSM can be exported', async () => {
      const pair = provider.newPair({ ...named('SIGN'), curve: 'P-256' })
      const isHsm = provider.adapter === 'PKCS11'
      expect(provider.exportPair(pair) === undefined).toBe(isHsm)
      provider.remove(pair)
      const signed = provider.sign(pair, Buffer.from('text')).then(
        () => true,
        () => false,
      )
      expect(await signed).toBe(!isHsm)
    })
  })
}
