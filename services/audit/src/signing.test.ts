import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { openSigner, openVerifier, type Signer } from './signing.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-audit-signing-'))
const trusted = join(folder, 'trusted.pem')
const content = Buffer.from('content')

afterAll(() => {
  rmSync(folder, { recursive: true })
})

async function newSigner(): Promise<Signer> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const file = join(folder, 'signing.key')
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return openSigner('KEY', file)
}

const isValid = async (signer: Signer, verifiedBy: Signer, file?: string) => {
  const { isSigned } = await openVerifier('TRUSTED', file, verifiedBy)
  return isSigned(signer.kid, content, signer.sign(content))
}

describe('trusted keys', () => {
  test('A signature is valid by its own key, and by no other', async () => {
    const [one, other] = [await newSigner(), await newSigner()]
    expect(await isValid(one, one)).toBe(true)
    expect(await isValid(other, one)).toBe(false)
  })

  test('A signature by any key of the file is valid', async () => {
    const [one, two, now] = [await newSigner(), await newSigner(), await newSigner()]
    writeFileSync(trusted, `${one.publicKey}\n${two.publicKey}`)
    expect(await isValid(one, now, trusted)).toBe(true)
    expect(await isValid(two, now, trusted)).toBe(true)
  })

  test('A start with a file that contains anything but Ed25519 public keys is refused', async () => {
    const now = await newSigner()
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
    const { privateKey } = generateKeyPairSync('ed25519')
    for (const text of [
      'no key',
      `${now.publicKey}rest`,
      rsa.export({ type: 'spki', format: 'pem' }).toString(),
      privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ]) {
      writeFileSync(trusted, text)
      await expect(openVerifier('TRUSTED', trusted, now)).rejects.toThrow(
        'TRUSTED contains something other than Ed25519 public keys.',
      )
    }
  })
})
