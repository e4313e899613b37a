import { expect, test } from '@jest/globals'
import { CompactEncrypt } from 'jose'
import { diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { openJwe } from './jwe.ts'

const plain = Buffer.from('00112233445566778899aabbccddeeff', 'hex')

function pairOn(curve: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  return { publicKey, agree: (peer: KeyObject) => diffieHellman({ privateKey, publicKey: peer }) }
}

function encrypted(publicKey: KeyObject, alg = 'ECDH-ES', enc = 'A256GCM'): Promise<string> {
  return new CompactEncrypt(plain).setProtectedHeader({ alg, enc }).encrypt(publicKey)
}

test.each(['P-256', 'P-384'])(
  'What is encrypted for a key on %s is opened by it alone',
  async (curve) => {
    const [own, other] = [pairOn(curve), pairOn(curve)]
    const text = await encrypted(own.publicKey)
    expect(openJwe(text, curve, own.agree)).toEqual(plain)
    expect(openJwe(text, curve, other.agree)).toBeUndefined()
  },
)

test('A text that is modified, of another algorithm or for another curve is not opened', async () => {
  const own = pairOn('P-256')
  const text = await encrypted(own.publicKey)
  const parts = text.split('.')
  const [head = '', , iv = '', ciphertext = '', tag = ''] = parts
  const changed = (part: string) =>
    part.startsWith('A') ? `B${part.slice(1)}` : `A${part.slice(1)}`
  const texts = [
    '',
    'a.b.c.d.e',
    [head, 'AAAA', iv, ciphertext, tag].join('.'),
    [head, '', changed(iv), ciphertext, tag].join('.'),
    [head, '', iv, changed(ciphertext), tag].join('.'),
    [head, '', iv, ciphertext, changed(tag)].join('.'),
    [head, '', iv, ciphertext, tag.slice(0, 8)].join('.'),
    `${text}.more`,
    await encrypted(own.publicKey, 'ECDH-ES+A256KW'),
    await encrypted(own.publicKey, 'ECDH-ES', 'A128GCM'),
    await encrypted(pairOn('P-384').publicKey),
  ]
  expect(texts.map((each) => openJwe(each, 'P-256', own.agree))).toEqual(texts.map(() => undefined))
})
