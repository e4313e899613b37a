import { expect, test } from '@jest/globals'
import { foreignHost } from './certified-hosts.ts'

const own = new Set(['callbacks.greenbank.example', '192.0.2.7'])

test("A certificate may name the FSP's own hosts, or none", () => {
  expect(foreignHost({ dns: [], ip: [] }, own)).toBeUndefined()
  const names = { dns: ['callbacks.greenbank.example'], ip: ['192.0.2.7'] }
  expect(foreignHost(names, own)).toBeUndefined()
})

test('Any FSP may use the names by which a machine addresses itself', () => {
  const names = { dns: ['localhost'], ip: ['127.0.0.1', '::1'] }
  expect(foreignHost(names, new Set())).toBeUndefined()
})

test.each([
  [{ dns: ['localhost.example'], ip: [] }, 'localhost.example'],
  [{ dns: ['callbacks.greenbank.example', 'hub.example'], ip: [] }, 'hub.example'],
  [{ dns: [], ip: ['192.0.2.8'] }, '192.0.2.8'],
])('Any other host is refused by name', (asked, host) => {
  expect(foreignHost(asked, own)).toMatchObject({
    reason: 'INVALID',
    detail: expect.stringContaining(host),
  })
})
