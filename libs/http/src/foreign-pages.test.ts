import { expect, test } from '@jest/globals'
import { foreignPage } from './foreign-pages.ts'

test.each([
  ['a program', { host: '127.0.0.1:4100' }, true],
  ['a program that uses the name', { host: 'localhost:4100' }, true],
  ['a program over IPv6', { host: '[::1]:4100' }, true],
  ['a page of the port itself', { host: '127.0.0.1:4100', origin: 'http://127.0.0.1:4100' }, true],
  ['a program on a network', { host: 'sandbox-fsp:4301' }, false],
])('A request of %s is served', (_who, headers, onLoopback) => {
  expect(foreignPage({ headers }, onLoopback)).toBeUndefined()
})

test.each([
  ['another origin', { host: '127.0.0.1:4100', origin: 'https://evil.example' }, true],
  ['another port', { host: '127.0.0.1:4100', origin: 'http://127.0.0.1:9999' }, true],
  ['a file or a sandbox', { host: '127.0.0.1:4100', origin: 'null' }, true],
  ['a name that resolves to this machine', { host: 'evil.example:4100' }, true],
  [
    'its own origin, by a name that resolves to this machine',
    { host: 'evil.example:4100', origin: 'http://evil.example:4100' },
    true,
  ],
  ['no host', {}, true],
  ['another origin on a network', { host: 'fsp:4301', origin: 'https://evil.example' }, false],
])('A request of a page of %s is not', (_who, headers, onLoopback) => {
  expect(foreignPage({ headers }, onLoopback)).toMatch(/^the header (Host|Origin) names /)
})
