import { describe, expect, test } from '@jest/globals'
import { assertLoopbackOnly, insecureModes } from './insecure-modes.ts'
import type { Settings } from './settings.ts'
import { testSettings } from './testing/settings.ts'

const safe: Settings = {
  ...testSettings,
  FSP_HOST: '0.0.0.0',
  EDGE_IDENTITY: 'mtls',
  EDGE_TLS: 'on',
  EDGE_CERTIFICATES: 'issued',
  JWS_VERIFY: 'on',
  JWS_SIGN: 'on',
}
const withToken = { ...safe, EDGE_IDENTITY: 'token' } as const

test('By default nothing is relaxed', () => {
  expect(() => assertLoopbackOnly(safe)).not.toThrow()
  expect(insecureModes(safe)).toEqual([])
})

describe.each<[string, Settings]>([
  ['EDGE_IDENTITY=header', { ...safe, EDGE_IDENTITY: 'header', EDGE_TLS: 'off' }],
  ['JWS_VERIFY=off', { ...safe, JWS_VERIFY: 'off' }],
  ['EDGE_TLS=off', { ...withToken, EDGE_TLS: 'off' }],
])('%s', (mode, settings) => {
  test('A relaxation is refused on an address that other machines reach', () => {
    for (const FSP_HOST of ['0.0.0.0', '::', '192.0.2.1', 'hub.example']) {
      expect(() => assertLoopbackOnly({ ...settings, FSP_HOST })).toThrow(
        `FSP_HOST=${FSP_HOST} is refused: with ${mode} `,
      )
    }
    for (const FSP_HOST of ['127.0.0.1', '::1', 'localhost']) {
      expect(() => assertLoopbackOnly({ ...settings, FSP_HOST })).not.toThrow()
    }
  })

  test('A relaxation is reported', () => {
    expect(insecureModes(settings).map(({ mode: known }) => known)).toContain(mode)
  })
})

test.each<[string, Settings]>([
  ['EDGE_TLS=gateway', { ...withToken, EDGE_TLS: 'gateway' }],
  ['EDGE_CERTIFICATES=any', { ...safe, EDGE_CERTIFICATES: 'any' }],
  ['JWS_SIGN=off', { ...safe, JWS_SIGN: 'off' }],
  ['COMPATIBILITY=mojaloop', { ...safe, COMPATIBILITY: 'mojaloop' }],
])('%s is allowed on any address, and reported', (mode, settings) => {
  expect(() => assertLoopbackOnly(settings)).not.toThrow()
  expect(insecureModes(settings).map(({ mode: known }) => known)).toEqual([mode])
})

test.each(['off', 'gateway'] as const)(
  'EDGE_TLS=%s is refused with client certificates',
  (EDGE_TLS) => {
    expect(() => assertLoopbackOnly({ ...safe, FSP_HOST: '127.0.0.1', EDGE_TLS })).toThrow(
      `EDGE_TLS=${EDGE_TLS} is refused`,
    )
  },
)
