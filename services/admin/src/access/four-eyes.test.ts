import { readSettings } from '@causeway/process'
import { describe, expect, test } from '@jest/globals'
import { operations } from '../routes.ts'
import { settings } from '../settings.ts'
import type { Deps } from '../upstream.ts'
import { alone, needsSecond } from './four-eyes.ts'
import { open, signedIn, type GuardedOperation } from './privileges.ts'

type Call = Parameters<GuardedOperation['run']>[0]

const asked: string[] = []

/** Every call of a service is noted, and none is answered. */
const services = new Proxy(
  {},
  {
    get: (_, service) =>
      new Proxy(
        {},
        {
          get: (__, method) => () => {
            asked.push(`${String(service)}.${String(method)}`)
            return Promise.reject(new Error('no service answers'))
          },
        },
      ),
  },
)

const deps = Object.assign(Object.create(services) as Deps, {
  settings: readSettings(settings, { sources: [], prefixes: [] }).values,
  fourEyes: true,
})

const all = operations(deps)
const nameOf = ({ method, path }: GuardedOperation) => `${method} ${path}`
const changing = all.filter(({ method }) => method !== 'GET')
const call: Call = {
  actor: 'ada',
  token: '',
  address: '',
  sent: { uri: '/', body: '{}' },
  wanted: 'json',
  query: {},
  body: {},
  header: () => '',
}

describe('With FOUR_EYES=required', () => {
  const waiting = changing.filter(needsSecond)

  test.each(waiting.map((operation) => [nameOf(operation), operation] as const))(
    '%s does nothing but store what was sent',
    async (_, operation) => {
      asked.length = 0
      await expect(operation.run(call)).rejects.toThrow('no service answers')
      expect(asked).toEqual(['operationRequests.RequestOperation'])
    },
  )

  test('One person alone uses only what is about the own session, what is a request or a decision, and what the table names', () => {
    const others = changing.filter((operation) => !needsSecond(operation))
    const unexplained = others.filter(
      (operation) =>
        ![open, signedIn].includes(operation.privilege) &&
        !/^(CREATE|APPROVE|REJECT)_/.test(operation.privilege) &&
        !Object.hasOwn(alone, nameOf(operation)),
    )
    expect(unexplained.map(nameOf)).toEqual([])
    expect(waiting.length).toBeGreaterThan(40)
  })

  test('Money, limits, keys, certificates, settlement, rules, oracles and operators are among what waits', () => {
    expect(waiting.map(nameOf)).toEqual(
      expect.arrayContaining([
        'POST /participants/:name/accounts/:id',
        'PUT /participants/:name/limits',
        'PUT /participants/:name',
        'POST /participants/:name/endpoints',
        'POST /participants/:name/keys',
        'POST /participants/:name/certificates',
        'POST /participants/:name/client-secrets',
        'POST /settlementModels',
        'POST /v2/settlements',
        'PUT /scheme-rules/:ruleId',
        'POST /oracles',
        'POST /operators',
        'PUT /operators/:operator',
        'POST /operators/:operator/secret-reset',
        'PUT /roles/:role',
      ]),
    )
  })

  test('The table of exceptions names existing operations only', () => {
    const known = new Set(all.map(nameOf))
    expect(Object.keys(alone).filter((name) => !known.has(name))).toEqual([])
  })
})
