import { describe, expect, test } from '@jest/globals'
import { insecureModes, refuseInsecureModes } from './insecure-modes.ts'
import type { FspiopApiSettings } from './settings.ts'
import { testSettings } from './testing/settings.ts'

const safe: FspiopApiSettings = {
  ...testSettings,
  FSP_HOST: '0.0.0.0',
  EDGE_IDENTITY: 'mtls',
  EDGE_TLS: 'on',
  EDGE_CERTIFICATES: 'issued',
  JWS_VERIFY: 'on',
  JWS_SIGN: 'on',
}
const withToken = { ...safe, EDGE_IDENTITY: 'token' } as const
const loopback = ['127.0.0.1', '::1', 'localhost']
const privateHosts = ['10.1.2.3', '172.16.0.1', '192.168.1.1', 'fd00::1']
const publicHosts = ['0.0.0.0', '::', '192.0.2.1', 'hub.example']

const refusalOn = (FSP_HOST: string, settings: FspiopApiSettings): string => {
  try {
    refuseInsecureModes({ ...settings, FSP_HOST })
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('By default nothing is relaxed', () => {
  expect(insecureModes(safe)).toEqual([])
  expect(publicHosts.map((host) => refusalOn(host, safe))).toEqual(['', '', '', ''])
})

describe.each<[string, FspiopApiSettings]>([
  ['EDGE_IDENTITY=header', { ...safe, EDGE_IDENTITY: 'header', EDGE_TLS: 'off' }],
  ['JWS_VERIFY=off', { ...safe, JWS_VERIFY: 'off' }],
  ['EDGE_TLS=off', { ...withToken, EDGE_TLS: 'off' }],
])('%s', (mode, settings) => {
  test('A development mode is reported, and refused on each address that other machines reach', () => {
    expect(insecureModes(settings)).toContain(mode)
    for (const host of [...privateHosts, ...publicHosts]) {
      expect(refusalOn(host, settings)).toContain(
        `FSP_HOST=${host} is reachable from other machines, and ${mode} is refused there: `,
      )
    }
    expect(loopback.map((host) => refusalOn(host, settings))).toEqual(['', '', ''])
  })

  test('A development mode cannot be accepted', () => {
    const accepting = { ...settings, ACCEPT_RELAXATIONS: mode }
    expect(refusalOn('0.0.0.0', accepting)).toContain(`ACCEPT_RELAXATIONS names ${mode}`)
  })
})

describe.each<[string, FspiopApiSettings]>([
  ['EDGE_TLS=gateway', { ...withToken, EDGE_TLS: 'gateway' }],
  ['EDGE_CERTIFICATES=any', { ...safe, EDGE_CERTIFICATES: 'any' }],
  ['JWS_SIGN=off', { ...safe, JWS_SIGN: 'off' }],
])('%s', (mode, settings) => {
  test('A relaxation is reported, and refused on a public address unless it is accepted there', () => {
    expect(insecureModes(settings)).toEqual([mode])
    for (const host of publicHosts) {
      expect(refusalOn(host, settings)).toContain(`state ACCEPT_RELAXATIONS=${mode}.`)
      const accepting = { ...settings, ACCEPT_RELAXATIONS: `EGRESS_HTTP=accepted, ${mode}` }
      expect(refusalOn(host, accepting)).toBe('')
    }
    for (const host of [...loopback, ...privateHosts]) expect(refusalOn(host, settings)).toBe('')
  })
})

test('COMPATIBILITY=mojaloop authenticates as before, so it is reported alone', () => {
  const settings = { ...safe, COMPATIBILITY: 'mojaloop' } as const
  expect(insecureModes(settings)).toEqual(['COMPATIBILITY=mojaloop'])
  expect(refusalOn('0.0.0.0', settings)).toBe('')
})

test.each(['off', 'gateway'] as const)(
  'EDGE_TLS=%s is refused with client certificates',
  (EDGE_TLS) => {
    expect(refusalOn('127.0.0.1', { ...safe, EDGE_TLS })).toContain(
      `EDGE_TLS=${EDGE_TLS} is refused`,
    )
  },
)
