import { expect, test } from '@jest/globals'
import { checkSecrets, registerSecrets, type SecretSet } from './secrets.ts'

const password = { name: 'SMTP_PASSWORD', description: 'of the mail server', required: false }
const token = { name: 'TOKEN', description: 'of the market', required: true }
const stored: SecretSet = {
  contextId: 'pricing',
  version: '1.2.0',
  keys: [password, token],
  iterationNumber: 3,
}

test('The first registration begins at iteration 0', () => {
  expect(registerSecrets(undefined, stored)).toMatchObject({
    type: 'STORE',
    set: { keys: [password, token] },
    dropped: [],
  })
})

test('The same version changes nothing, and with other names it is refused', () => {
  expect(registerSecrets(stored, stored)).toEqual({ type: 'UNCHANGED', set: stored })
  const other = { ...stored, keys: [password] }
  expect(registerSecrets(stored, other)).toMatchObject({ reason: 'MODIFIED' })
})

test('A lower version is refused', () => {
  const lower = { ...stored, version: '1.1.9' }
  expect(registerSecrets(stored, lower)).toMatchObject({ reason: 'VERSION_OUTDATED' })
})

test('A higher version keeps the iteration and drops the values of names that are gone', () => {
  const higher = { ...stored, version: '1.10.0', keys: [token] }
  expect(registerSecrets(stored, higher)).toEqual({
    type: 'STORE',
    set: { ...stored, version: '1.10.0', keys: [token] },
    dropped: ['SMTP_PASSWORD'],
  })
})

test('Names are found without regard to case', () => {
  expect(checkSecrets(stored, [{ name: 'smtp_password', value: 'x' }])).toEqual({
    type: 'CHECKED',
    newValues: [{ name: 'SMTP_PASSWORD', value: 'x' }],
  })
})

test.each([
  ['no values', []],
  ['an unknown name', [{ name: 'PASSWORD', value: 'hidden-value' }]],
  [
    'a name twice',
    [
      { name: 'TOKEN', value: 'hidden-value' },
      { name: 'token', value: 'hidden-value' },
    ],
  ],
])('A change with %s is refused, and the refusal does not repeat a value', (_what, newValues) => {
  const checked = checkSecrets(stored, newValues)
  expect(checked).toMatchObject({ type: 'REFUSE', reason: 'INVALID' })
  expect(JSON.stringify(checked)).not.toContain('hidden-value')
})
