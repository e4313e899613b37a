import { describe, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpClient } from './client.ts'
import { egressModes, openEgress, type EgressChoices, type Resolve } from './egress.ts'

const standard: EgressChoices = {
  FSP_HOST: '0.0.0.0',
  EGRESS_LOOPBACK: 'auto',
  EGRESS_HTTP: 'loopback',
  ACCEPT_RELAXATIONS: '',
  EGRESS_ALLOWED: '',
  EGRESS_DENIED: '',
}
const local: EgressChoices = { ...standard, FSP_HOST: '127.0.0.1' }

function faultOf(url: string, choices = standard, isSole = true): string {
  return openEgress(choices, isSole).faultOf(new URL(url)) ?? 'allowed'
}

/** Names resolve to these addresses. */
function namesOf(known: Readonly<Record<string, readonly string[]>>): Resolve {
  return (name, _options, callback) => {
    const addresses = (known[name] ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }))
    if (addresses.length > 0) callback(null, addresses)
    else callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
  }
}

describe('A hub whose FSP port is public sends nothing to', () => {
  test.each([
    ['https://127.0.0.1:4190/dead-letters/replay', 'this machine'],
    ['https://127.8.9.10/', 'this machine'],
    ['https://2130706433/', 'this machine'],
    ['https://0x7f.1/', 'this machine'],
    ['https://[::1]/', 'this machine'],
    ['https://[::ffff:127.0.0.1]/', 'this machine'],
    ['https://169.254.169.254/latest/meta-data/', 'metadata'],
    ['https://[fd00:ec2::254]/latest/meta-data/', 'metadata'],
    ['https://[::ffff:169.254.169.254]/', 'metadata'],
    ['https://100.100.100.200/', 'metadata'],
    ['https://169.254.1.1/', 'not a public address'],
    ['https://[fe80::1]/', 'not a public address'],
    ['https://10.0.0.1/', 'not a public address'],
    ['https://172.16.0.1/', 'not a public address'],
    ['https://192.168.1.1/', 'not a public address'],
    ['https://100.64.0.1/', 'not a public address'],
    ['https://0.0.0.0/', 'not a public address'],
    ['https://[::]/', 'not a public address'],
    ['https://[fd12::1]/', 'not a public address'],
    ['https://[64:ff9b::a00:1]/', 'not a public address'],
    ['https://[2002:a00:1::]/', 'not a public address'],
    ['https://224.0.0.1/', 'not a public address'],
    ['http://203.0.113.7/', 'plain http'],
    ['http://fsp.example/', 'plain http'],
    ['http://localhost/', 'plain http'],
    ['ftp://fsp.example/', 'neither https nor http'],
    ['https://user:secret@fsp.example/', 'a user or a password'],
    ['https://fsp.example/hook#part', 'a fragment'],
    ['https://fsp.example:0/', 'port 0'],
  ])('%s', (url, reason) => {
    expect(faultOf(url)).toContain(reason)
  })
})

test.each(['https://203.0.113.7/', 'https://[2a00::1]/', 'https://fsp.example/'])(
  'A hub whose FSP port is public sends to %s',
  (url) => {
    expect(faultOf(url)).toBe('allowed')
  },
)

describe('This machine', () => {
  const own = 'http://127.0.0.1:4301/'

  test('This machine is allowed only in a hub of one process whose FSP port is on a loopback address, unless a setting says otherwise', () => {
    expect(faultOf(own, local)).toBe('allowed')
    expect(faultOf(own, local, false)).not.toBe('allowed')
    expect(faultOf(own, standard)).not.toBe('allowed')
    expect(faultOf(own, { ...local, EGRESS_LOOPBACK: 'denied' })).not.toBe('allowed')
    expect(faultOf(own, { ...local, EGRESS_LOOPBACK: 'allowed' }, false)).toBe('allowed')
  })

  test('This machine is never allowed beside a public FSP port: such a hub does not start', () => {
    const open = () => openEgress({ ...standard, EGRESS_LOOPBACK: 'allowed' }, true)
    expect(open).toThrow('EGRESS_LOOPBACK=allowed is refused with FSP_HOST=0.0.0.0')
  })

  test('No other address is allowed over plain http', () => {
    expect(faultOf('http://203.0.113.7/', local)).toContain('plain http')
    expect(faultOf('http://10.0.0.1/', { ...local, EGRESS_ALLOWED: '10.0.0.0/8' })).toContain(
      'plain http',
    )
  })
})

describe('Settings', () => {
  test('EGRESS_ALLOWED allows private addresses, ranges and names, and never a metadata service', () => {
    const choices = { ...standard, EGRESS_ALLOWED: '10.20.0.0/16, fd12::/32 , 169.254.0.0/16' }
    expect(faultOf('https://10.20.3.4/', choices)).toBe('allowed')
    expect(faultOf('https://10.21.3.4/', choices)).not.toBe('allowed')
    expect(faultOf('https://[fd12::1]/', choices)).toBe('allowed')
    expect(faultOf('https://169.254.7.7/', choices)).toBe('allowed')
    expect(faultOf('https://169.254.169.254/', choices)).toContain('metadata')
    expect(faultOf('https://127.0.0.1/', { ...standard, EGRESS_ALLOWED: '127.0.0.1' })).toContain(
      'this machine',
    )
  })

  test('EGRESS_DENIED denies also what is public or allowed', () => {
    const choices = {
      ...standard,
      EGRESS_ALLOWED: '10.0.0.0/8',
      EGRESS_DENIED: '203.0.113.0/24,10.1.0.0/16',
    }
    expect(faultOf('https://203.0.113.7/', choices)).toContain('EGRESS_DENIED')
    expect(faultOf('https://10.1.2.3/', choices)).toContain('EGRESS_DENIED')
    expect(faultOf('https://10.2.2.3/', choices)).toBe('allowed')
  })

  test.each([
    [{ EGRESS_DENIED: 'fsp.example' }],
    [{ EGRESS_DENIED: '10.0.0.0/33' }],
    [{ EGRESS_ALLOWED: '10.0.0.0/33' }],
  ])('A hub with the list %j does not start', (changed) => {
    expect(() => openEgress({ ...standard, ...changed }, true)).toThrow('EGRESS_')
  })

  test('What the settings relax is named, and nothing by default', () => {
    expect(egressModes(standard)).toEqual([])
    const relaxed = {
      ...local,
      EGRESS_LOOPBACK: 'allowed',
      EGRESS_HTTP: 'accepted',
      EGRESS_ALLOWED: '10.0.0.0/8',
    } as const
    expect(egressModes(relaxed).map(({ mode }) => mode)).toEqual([
      'EGRESS_LOOPBACK=allowed',
      'EGRESS_HTTP=accepted',
      'EGRESS_ALLOWED',
    ])
  })
})

describe('Names', () => {
  const resolve = namesOf({
    'fsp.example': ['203.0.113.7', '2a00::7'],
    'rebound.example': ['203.0.113.7', '127.0.0.1'],
    'metadata.example': ['169.254.169.254'],
    'sandbox-fsp': ['10.1.2.3'],
    'sneaky-fsp': ['10.1.2.3'],
  })
  const faultNow = (url: string, changed: Partial<EgressChoices> = {}) =>
    openEgress({ ...standard, ...changed }, true, resolve).faultNow(new URL(url))

  test('A name is denied for one denied address among others', async () => {
    expect(await faultNow('https://fsp.example/')).toBeUndefined()
    expect(await faultNow('https://rebound.example/')).toBe(
      'rebound.example (127.0.0.1) may not be called: it is this machine (EGRESS_LOOPBACK)',
    )
    expect(await faultNow('https://metadata.example/')).toContain('metadata')
  })

  test('A name of EGRESS_ALLOWED may have a private address, another name not', async () => {
    const changed = { EGRESS_ALLOWED: 'Sandbox-FSP,metadata.example' }
    expect(await faultNow('https://sandbox-fsp/', changed)).toBeUndefined()
    expect(await faultNow('https://sneaky-fsp/', changed)).toContain('not a public address')
    expect(await faultNow('https://metadata.example/', changed)).toContain('metadata')
  })

  test('A name that does not resolve is not denied, since it may resolve later', async () => {
    expect(await faultNow('https://unknown.example/')).toBeUndefined()
  })

  test('A name that resolves to this machine at the second time is not connected to', async () => {
    const server = createServer((_request, response) => response.end('internal'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const answers = [['203.0.113.7'], ['127.0.0.1']]
    const rebinding: Resolve = (name, options, callback) =>
      namesOf({ [name]: answers.shift() ?? [] })(name, options, callback)
    const choices = {
      ...standard,
      EGRESS_HTTP: 'accepted',
      ACCEPT_RELAXATIONS: 'EGRESS_HTTP=accepted',
    } as const
    const egress = openEgress(choices, true, rebinding)
    const client = createHttpClient({ connections_per_origin_max: 1, timeout_ms: 5_000, egress })
    try {
      const url = `http://rebinding.example:${port}/`
      expect(await egress.faultNow(new URL(url))).toBeUndefined()
      const sent = client.request({ method: 'POST', url, headers: {} })
      await expect(sent).rejects.toMatchObject({
        kind: 'DENIED',
        message:
          'rebinding.example (127.0.0.1) may not be called: it is this machine (EGRESS_LOOPBACK)',
      })
    } finally {
      await client.close()
      server.close()
    }
  })

  test('A client does not connect to a denied address in place of a name', async () => {
    const egress = openEgress(standard, true)
    const client = createHttpClient({ connections_per_origin_max: 1, timeout_ms: 5_000, egress })
    const sent = client.request({ method: 'GET', url: 'https://127.0.0.1:1/', headers: {} })
    await expect(sent).rejects.toMatchObject({ kind: 'DENIED' })
    await client.close()
  })
})
