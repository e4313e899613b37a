import { openHsm, openPkcs11Provider } from '@causeway/keys/provider'
import { makeSoftHsm } from '@causeway/keys/provider/testing'
import { afterAll, expect, test } from '@jest/globals'
import { openSigner, openVerifier } from './signing.ts'

const hsm = makeSoftHsm()

afterAll(() => hsm.remove())

test('Entries are signed by a key in the HSM, and only one on Ed25519 is accepted', async () => {
  const token = await openHsm(hsm.settings)
  if (token === undefined) throw new Error('an HSM is set, but none was opened')
  const provider = openPkcs11Provider(token)
  provider.newPair({ id: 'audit', label: 'audit', usage: 'SIGN', curve: 'Ed25519' })
  provider.newPair({ id: 'p256', label: 'p256', usage: 'SIGN', curve: 'P-256' })
  const signer = await openSigner('KEY', 'pkcs11:object=audit', token)
  const { isSigned } = await openVerifier('TRUSTED', undefined, signer)
  const content = Buffer.from('content')
  expect(isSigned(signer.kid, content, signer.sign(content))).toBe(true)
  expect(isSigned(signer.kid, Buffer.from('other'), signer.sign(content))).toBe(false)
  await expect(openSigner('KEY', 'pkcs11:object=p256', token)).rejects.toThrow(
    'KEY is not an Ed25519 private key.',
  )
  token.close()
})
