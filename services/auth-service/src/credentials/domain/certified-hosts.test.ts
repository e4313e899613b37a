import { expect, test } from '@jest/globals'
import { foreignHost } from './certified-hosts.ts'

const own = new Set(['callbacks.greenbank.example', '192.0.2.7'])

test("an FSP's own hosts may be named, and none need be", () => {
  expect(foreignHost({ dns: [], ip: [] }, own)).toBeUndefined()
  const names = { dns: ['callbacks.greenbank.example'], ip: ['192.0.2.7'] }
  expect(foreignHost(names, own)).toBeUndefined()
})

test("the names by which a machine knows itself are everybody's", () => {
  const names = { dns: ['localhost'], ip: ['127.0.0.1', '::1'] }
  expect(foreignHost(names, new Set())).toBeUndefined()
})

test.each([
  [{ dns: ['localhost.example'], ip: [] }, 'localhost.example'],
  [{ dns: ['callbacks.greenbank.example', 'hub.example'], ip: [] }, 'hub.example'],
  [{ dns: [], ip: ['192.0.2.8'] }, '192.0.2.8'],
])('any other host is refused by name', (asked, host) => {
  expect(foreignHost(asked, own)).toMatchObject({
    reason: 'INVALID',
    detail: expect.stringContaining(host),
  })
})
