import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { baseAddressFault, mailAddressFault, webAddressFault } from './addresses.ts'

describe('An address of a server', () => {
  test.each([
    'https://fsp.example',
    'HTTPS://FSP.EXAMPLE:4000/base/',
    'http://127.0.0.1:4000/x?a=b@c',
    'https://[::1]:4000',
    'https://fsp.example./a@b',
    'https://b\u00fccher.example/\u00fc',
  ])('The address of a server may be %s', (text) => {
    expect(webAddressFault(text)).toBeUndefined()
  })

  test.each([
    ['', 'neither'],
    ['fsp.example', 'neither'],
    ['/transfers', 'neither'],
    ['ftp://fsp.example', 'neither'],
    ['mailto:ops@fsp.example', 'neither'],
    ['http://', 'no absolute address'],
    ['http:///transfers', 'no absolute address'],
    ['http://fsp.example:99999', 'no absolute address'],
    ['https://fsp.example#', 'a fragment'],
    ['https://fsp.example/a#b?c', 'a fragment'],
    ['https://ada:secret@fsp.example', 'a user or a password'],
    ['https://@fsp.example', 'a user or a password'],
    ['https://ada@fsp.example?x', 'a user or a password'],
    ['https://fsp.example:0/', 'port 0'],
    ['https://fsp..example', 'cannot exist'],
    [`https://${'a'.repeat(64)}.example`, 'cannot exist'],
    ['https://fsp.example/a b', 'white space'],
    ['https://fsp.example\\a', 'a backslash'],
    ['https://fsp.example/\u0000', 'white space'],
    [`https://fsp.example/${'a'.repeat(1_024)}`, 'more than 1024'],
  ])('The address of a server may not be %s', (text, fault) => {
    expect(webAddressFault(text)).toContain(fault)
    expect(baseAddressFault(text)).toContain(fault)
  })

  test('A query is legal in an address, unless paths are appended to it', () => {
    expect(webAddressFault('https://fsp.example/?tenant=1')).toBeUndefined()
    expect(baseAddressFault('https://fsp.example/?tenant=1')).toContain('a query')
    expect(baseAddressFault('https://fsp.example?')).toContain('a query')
  })

  test('An address without a fault is read as what it shows', () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('ab.:@/?#%[]1 \\')) })
    fc.assert(
      fc.property(text, (rest) => {
        const address = `https://${rest}`
        if (webAddressFault(address) !== undefined) return
        const { protocol, username, password, hash, hostname } = new URL(address)
        expect([protocol, username, password, hash]).toEqual(['https:', '', '', ''])
        expect(hostname).not.toBe('')
      }),
    )
  })
})

describe('An e-mail address', () => {
  test.each([
    'ops@fsp.example',
    'a.b+c@mail.fsp.example',
    'root@localhost',
    "o'neil@fsp.example",
    'ops@[192.0.2.1]',
    'ops@b\u00fccher.example',
  ])('An e-mail address may be %s', (text) => {
    expect(mailAddressFault(text)).toBeUndefined()
  })

  test.each([
    '',
    'ops',
    'ops@',
    '@fsp.example',
    'ops@fsp@example',
    'ops@fsp.example, all@fsp.example',
    '<ops@fsp.example>',
    'Ops <ops@fsp.example>',
    'ops@fsp.example\r\nBcc: all@fsp.example',
    'ops@fsp..example',
    'ops@.example',
    'ops.@fsp.example',
    'o..ps@fsp.example',
    `${'a'.repeat(65)}@fsp.example`,
    `ops@${'a'.repeat(64)}.example`,
    `${'a'.repeat(60)}@${'a.'.repeat(100)}example`,
  ])('An e-mail address may not be %j', (text) => {
    expect(mailAddressFault(text)).toEqual(expect.any(String))
  })
})
