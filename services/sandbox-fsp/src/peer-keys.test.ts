import { expect, test } from '@jest/globals'
import { generateKeyPairSync } from 'node:crypto'
import { asSet } from './peer-keys.ts'

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = publicKey.export({ format: 'jwk' })
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const now = new Date('2030-01-01T00:00:00.000Z')
const named = { kid: 'one', use: 'sig' }

test('A JWK set is used unchanged', () => {
  const set = { keys: [{ ...jwk, ...named }] }
  expect(asSet(set, now)).toBe(set)
})

test.each([
  ['a JWK', jwk],
  ['the text of a JWK', JSON.stringify(jwk)],
  ['PEM', pem],
])('A key that an administration shows as %s is one of a set', (_form, key) => {
  expect(asSet([{ ...named, publicKey: key }], now)).toEqual({ keys: [{ ...jwk, ...named }] })
})

test('Keys that are not valid now are skipped', () => {
  const records = [
    { ...named, publicKey: jwk, validFrom: '2029-12-31T23:59:59.000Z', validTo: null },
    { kid: 'ended', use: 'sig', publicKey: jwk, validTo: '2030-01-01T00:00:00.000Z' },
    { kid: 'later', use: 'sig', publicKey: jwk, validFrom: '2030-01-01T00:00:00.001Z' },
  ]
  expect(asSet(records, now)).toEqual({ keys: [{ ...jwk, ...named }] })
})
