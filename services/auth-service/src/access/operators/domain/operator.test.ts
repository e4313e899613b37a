import { grants } from '@causeway/services/privileges'
import { describe, expect, test } from '@jest/globals'
import {
  isOperatorName,
  leavesNoAdministrator,
  passwordFault,
  type Operator,
  type Role,
} from './operator.ts'
import { isOlder, isPrivilegePattern } from './privilege.ts'

const at = new Date('2030-01-01T00:00:00.000Z')

function operator(
  name: string,
  roles: readonly string[],
  changes: Partial<Operator> = {},
): Operator {
  return {
    name,
    kind: 'PERSON',
    isActive: true,
    mustChange: false,
    roles,
    email: null,
    version: 1,
    attempts: 0,
    attemptsSince: at,
    lastLogInAt: null,
    createdAt: at,
    createdBy: 'test',
    endsAt: null,
    oidcIssuer: null,
    oidcSubject: null,
    ...changes,
  }
}

function role(id: string, ...privileges: readonly string[]): Role {
  return { id, label: id, description: '', privileges, isBuiltIn: false }
}

describe('a list of privileges', () => {
  test.each([
    [['VIEW_FUNDS'], 'VIEW_FUNDS', true],
    [['VIEW_FUNDS'], 'VIEW_FUNDS_ALL', false],
    [['VIEW_*'], 'VIEW_FUNDS', true],
    [['VIEW_*'], 'MANAGE_FUNDS', false],
    [['*'], 'MANAGE_FUNDS', true],
    [[], 'VIEW_FUNDS', false],
  ])('%j grants %s: %s', (granted, privilege, expected) => {
    expect(grants(granted, privilege)).toBe(expected)
  })

  test.each([
    ['*', true],
    ['VIEW_*', true],
    ['VIEW_FUNDS', true],
    ['view', false],
    ['*_FUNDS', false],
    ['VIEW_**', false],
    ['', false],
  ])('A list of privileges may hold %j: %s', (text, expected) => {
    expect(isPrivilegePattern(text)).toBe(expected)
  })
})

test.each([
  ['1.0.0', '1.0.1', true],
  ['1.9.0', '1.10.0', true],
  ['2.0.0', '1.10.0', false],
  ['1.0.0', '1.0.0', false],
])('Version %s is older than %s: %s', (version, than, expected) => {
  expect(isOlder(version, than)).toBe(expected)
})

test.each([
  ['ada', true],
  ['ada.king@hub.example', true],
  ['Ada', false],
  ['a', false],
  ['-ada', false],
  ['ada ', false],
  ['a'.repeat(65), false],
])('%j is a name of an operator: %s', (name, expected) => {
  expect(isOperatorName(name)).toBe(expected)
})

describe('a password is refused', () => {
  test.each([
    ['when it is short', 'elevenchars'],
    ['when it is too long', 'x1y2z'.repeat(60)],
    ['when it is the old one', 'correct horse battery'],
    ['when it contains the name', 'xxADA-1815-lovelace'],
    ['when it repeats one letter', 'aaaaaaaaaaaaaaaa'],
  ])('%s', (_, password) => {
    expect(passwordFault('ada', password, 'correct horse battery')).toMatchObject({
      reason: 'INVALID',
    })
  })

  test('A long and new password is accepted', () => {
    expect(passwordFault('ada', 'staple four horses', 'correct horse battery')).toBeUndefined()
  })
})

describe('a change that would leave no person that manages operators', () => {
  const roles = [role('administrator', '*'), role('viewer', 'VIEW_*')]
  const ada = operator('ada', ['administrator'])
  const program = operator('setup', ['administrator'], { kind: 'MACHINE' })

  test.each([
    ['the last one is disabled', { isActive: false, roles: ['administrator'] }, true],
    ['the last one loses the role', { isActive: true, roles: ['viewer'] }, true],
    ['its role is unchanged', { isActive: true, roles: ['administrator'] }, false],
  ])('%s', (_, change, expected) => {
    expect(leavesNoAdministrator([ada, program], roles, 'ada', change)).toBe(expected)
  })

  test('A change is allowed while another person can manage operators', () => {
    const others = [ada, operator('bob', ['administrator'])]
    expect(leavesNoAdministrator(others, roles, 'ada', { isActive: false, roles: [] })).toBe(false)
  })
})
