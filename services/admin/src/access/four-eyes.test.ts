import { readSettings } from '@causeway/process'
import { describe, expect, test } from '@jest/globals'
import { operations } from '../routes.ts'
import { settings } from '../settings.ts'
import type { Deps } from '../upstream.ts'
import { alone, needsSecond, withdrawals } from './four-eyes.ts'
import { open, signedIn, type GuardedOperation } from './privileges.ts'

const deps = Object.assign(Object.create(null) as Deps, {
  settings: readSettings(settings, { sources: [], prefixes: [] }).values,
  fourEyes: true,
})

const all = operations(deps)
const nameOf = ({ method, path }: GuardedOperation) => `${method} ${path}`
const changing = all.filter(({ method }) => method !== 'GET')
describe('With FOUR_EYES=required', () => {
  const waiting = changing.filter(needsSecond)

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

  test('What only withdraws something is one of the operations that wait', () => {
    const names = new Set(waiting.map(nameOf))
    expect(Object.keys(withdrawals).filter((name) => !names.has(name))).toEqual([])
    const disables = withdrawals['PUT /operators/:operator']
    expect(disables?.({ isActive: false })).toBe(true)
    expect(disables?.({ isActive: true })).toBe(false)
    expect(disables?.({ isActive: false, roles: ['administrator'] })).toBe(false)
  })

  test('The table of exceptions names existing operations only', () => {
    const known = new Set(all.map(nameOf))
    expect(Object.keys(alone).filter((name) => !known.has(name))).toEqual([])
  })
})
