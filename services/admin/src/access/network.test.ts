import { expect, test } from '@jest/globals'
import { networkOf } from './network.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:DB8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0001::1', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('The network of %j is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('What is no address counts as it is, within 64 characters', () => {
  expect(networkOf('x'.repeat(100))).toBe('x'.repeat(64))
})
