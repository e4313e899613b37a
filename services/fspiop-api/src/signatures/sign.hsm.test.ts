import { openHsm, openPkcs11Provider } from '@causeway/keys/provider'
import { makeSoftHsm } from '@causeway/keys/provider/testing'
import { readPublicKey, readSignature, verifySignature } from '@causeway/fspiop'
import { afterAll, expect, test } from '@jest/globals'
import { openHubKeys } from './sign.ts'

const hsm = makeSoftHsm()

afterAll(() => hsm.remove())

test('A key in the HSM signs callbacks, and FSPs verify them with the published key', async () => {
  const token = await openHsm(hsm.settings)
  if (token === undefined) throw new Error('an HSM is set, but none was opened')
  const spec = { id: 'hub', label: 'hub-signing', usage: 'SIGN', curve: 'P-256' } as const
  openPkcs11Provider(token).newPair(spec)
  const keys = await openHubKeys(
    'pkcs11:object=hub-signing',
    'JWS_SIGNING_KEY_FILE',
    Date.now,
    token,
  )
  const [jwk] = keys.publicJwks
  const reading = await readPublicKey(jwk ?? {}, 'sig')
  if ('fault' in reading) throw new Error(reading.fault)
  const target = '/transfers/85feac2f-39b2-491b-817e-4a03203d4f14'
  const headers = {
    'fspiop-source': 'Hub',
    'fspiop-destination': 'greenbank',
    'fspiop-http-method': 'PUT',
    'fspiop-uri': target,
    date: 'Tue, 23 May 2028 21:12:31 GMT',
  }
  const body = Buffer.from('{"transferState":"COMMITTED"}')
  const value = await keys.sign(headers, body)
  const parsed = readSignature(value, ['ES256'])
  if (!('parameters' in parsed)) throw new Error('the signature cannot be read')
  const { thumbprint: kid, key } = reading
  const known = [{ kid, key, validFrom: undefined, validTo: undefined }]
  const sent = { method: 'PUT', target, headers: { ...headers, 'fspiop-signature': value }, body }
  expect(verifySignature(parsed, sent, known, { now: new Date() })).toBeUndefined()
  const changed = { ...sent, body: Buffer.from('{}') }
  expect(verifySignature(parsed, changed, known, { now: new Date() })).toBeDefined()
  token.close()
})

test('A setting that names a key in an HSM is refused where there is none', async () => {
  await expect(
    openHubKeys('pkcs11:object=hub-signing', 'JWS_SIGNING_KEY_FILE', Date.now),
  ).rejects.toThrow('JWS_SIGNING_KEY_FILE names a key in an HSM')
})
